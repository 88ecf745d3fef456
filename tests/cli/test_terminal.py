"""What a terminal gets: nothing that moves its cursor, and tables that fit."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.cli import errors, output
from workbench.errors import UsageError

EVIL = "a\x1b[2Jb\x9bc\u202ed\u061ce\u2028f\u2029g\u200bh\ufeffi\x07"
HIDDEN = set(EVIL) - set("abcdefghi[2J")
QUERY = "select '" + EVIL + "' as t"


def on_terminal(start: Callable[..., subprocess.Popen[bytes]], *args: str | Path, columns: int = 80) -> str:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {"COLUMNS": "", "LINES": ""}
    process = start(*args, stdout=theirs, env=env)
    os.close(theirs)
    read = b""
    while True:
        try:
            more = os.read(ours, 65536)
        except OSError:  # how Linux tells that the other end was closed
            break
        if not more:
            break
        read += more
    os.close(ours)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    return read.decode().replace("\r\n", "\n")


@pytest.mark.parametrize("form", ["csv", "json", "table"])
def test_data_on_a_terminal_moves_nothing(
    form: str, small_archive: Path, start: Callable[..., subprocess.Popen[bytes]]
) -> None:
    shown = on_terminal(start, "sql", QUERY, "--archive", small_archive, "--format", form)
    assert "\u27e8U+202E\u27e9" in shown
    assert not set(shown) & HIDDEN


def test_data_for_a_program_is_as_it_is(
    small_archive: Path, tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    _, out, _ = run("sql", QUERY, "--archive", small_archive, "--format", "csv")
    assert out == f"t\n{EVIL}\n"
    _, out, _ = run("sql", QUERY, "--archive", small_archive, "--format", "json")
    assert json.loads(out) == [{"t": EVIL}]
    run("sql", QUERY, "--archive", small_archive, "--format", "csv", "-o", tmp_path / "x.csv")
    assert (tmp_path / "x.csv").read_bytes().decode() == f"t\n{EVIL}\n"


def test_errors_quote_nothing_that_moves(capsys: pytest.CaptureFixture[str]) -> None:
    from workbench.cli import main

    assert errors.tell(UsageError(EVIL, where=EVIL, hint=EVIL)) == 2
    assert errors.tell(ValueError(EVIL)) == 70
    with pytest.raises(SystemExit):
        main([EVIL])
    with pytest.raises(SystemExit):
        main(["tables", f"--{EVIL}"])
    said = capsys.readouterr().err
    assert said.count("\u27e8U+202E\u27e9") == 5  # click writes escapes in names itself
    assert not set(said) & HIDDEN


@pytest.mark.parametrize("columns", [60, 100])
def test_a_table_fits_the_terminal(
    columns: int, small_archive: Path, start: Callable[..., subprocess.Popen[bytes]]
) -> None:
    query = "select 'short' as a, repeat('long ', 60) as b, repeat('\u4f60\u597d', 70) as c, 123456789 as n"
    lines = on_terminal(start, "sql", query, "--archive", small_archive, columns=columns).splitlines()
    assert {columns - 1, columns} >= {output.breadth(line) for line in lines}
    assert "short" in lines[2]
    assert lines[2].endswith("123456789")
    assert lines[2].count("\u2026") == 2


def test_a_table_for_a_program_is_whole(small_archive: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    _, out, _ = run("sql", "select repeat('x', 500) as a", "--archive", small_archive, env={"COLUMNS": "40"})
    assert "x" * 500 in out


def test_an_id_on_a_terminal_is_whole(small_archive: Path, start: Callable[..., subprocess.Popen[bytes]]) -> None:
    """Prose gives way; where even that is not enough, the line goes on below."""
    ids = {name: f"{name}-" + "0123456789" * 3 for name in ("call_id", "run", "label_id", "moment", "recording")}
    columns = ", ".join(f"'{value}' as {name}" for name, value in ids.items())
    query = f"select {columns}, repeat('long ', 60) as message, 21590.375::double as seconds"
    shown = on_terminal(start, "sql", query, "--archive", small_archive, columns=80)
    assert all(value in shown for value in ids.values())
    assert "long …" in shown
    assert "21590.38" in shown


def test_one_long_text_does_not_make_every_row_long(
    small_archive: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    query = "select if(n = 1, repeat('x', 3000), 'short') as a, n, if(n = 2, repeat('y', 3000), 'b') as b"
    _, out, _ = run("sql", f"{query} from range(4) t(n) order by n", "--archive", small_archive)
    head, line, *rows = out.splitlines()
    assert "x" * 3000 in rows[1]
    assert "y" * 3000 in rows[2]
    assert max(len(text) for text in (head, line, rows[0], rows[3])) < 140


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (21590.375, "21590.38"),
        (10000.0, "10000"),
        (86399.95, "86399.95"),
        (1234567.891, "1234567.89"),
        (0.25, "0.25"),
        (1.0, "1"),
        (0.000123456, "0.0001235"),
        (-48.24, "-48.24"),
        (0.0, "0"),
        (float("inf"), "inf"),
        (1e-30, "1e-30"),
    ],
)
def test_a_number_in_a_table_is_in_plain_decimals(value: float, said: str) -> None:
    assert output.cell(value) == said


def test_widths_give_way_from_the_widest() -> None:
    assert output.fitted([5, 90, 40], [5, 6, 6], 79) == [5, 35, 35]
    assert output.fitted([5, 90, 10], [5, 6, 6], 79) == [5, 60, 10]
    assert output.fitted([5, 6], [5, 6], 4) == [5, 6]
    assert output.fitted([4, 9], [6, 6], 99) == [4, 9]
    assert output.fitted([30, 30], [6, 6], 20) == [9, 9]
    assert output.fitted([], [], 20) == []
