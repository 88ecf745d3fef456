"""A report that cannot be written, a stdin that is closed, a folder or a home that is gone: one clear error each."""

from __future__ import annotations

import os
import pty
import resource
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pytest

Run = Callable[..., tuple[int, str, str]]
Start = Callable[..., Any]
CLIP = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio/vapi-default-01-hard-interruption.example.wav"
CLOSED = "import os, sys; os.close(0); os.execv(sys.executable, [sys.executable, '-m', 'workbench', *sys.argv[1:]])"
GONE = CLOSED.replace("os.close(0)", "os.rmdir(os.getcwd())")
HERE = CLOSED.replace("os.close(0); ", "")


@pytest.fixture
def archive(failing_archive: Path, tmp_path: Path) -> Path:
    shutil.copytree(failing_archive, tmp_path / "archive")
    return tmp_path / "archive"


@pytest.fixture
def full() -> Iterator[BinaryIO]:
    with Path("/dev/full").open("wb") as file:
        yield file


def ended(program: str, *words: str | Path, **options: Any) -> tuple[int, str]:
    """Run `workbench` after a line of Python; exit code and stderr."""
    found = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **options,
    )
    assert "Traceback" not in found.stderr
    return found.returncode, found.stderr


def test_what_was_done_is_not_asked_for_again(archive: Path, tmp_path: Path, full: BinaryIO, run: Run) -> None:
    """A deletion, a label, a contract and an export stay, and the error names them."""
    at = ("--archive", archive)
    said = {
        "label c1, score-": ("label", "c1", "--at", "0.5", "--expect", "yield", *at),
        ".contract": ("pin", f"{CLIP}#1", "--expect", "yield", "--channels", "caller,agent", "-o", tmp_path / "pinned"),
        str(tmp_path / "export"): ("export", tmp_path / "export", "--tables", "calls", *at),
        "the call 'c1' was deleted": ("delete", "c1", "--yes", *at),
    }
    for kept, words in said.items():
        code, _, err = run(*words, stdout=full)
        assert code == 2
        assert "only the report is lost" in err
        assert kept in err
        assert "Hint: do not run the command again" in err
    assert run("sql", "select count(*) as n from calls", "--format", "csv", *at)[1] == "n\n0\n"
    code, _, err = run("sql", "from calls", *at, stdout=full)
    assert (code, "what was done" in err) == (2, False)


def test_a_closed_stdin_is_told(archive: Path) -> None:
    at = ("--archive", archive)
    for words, what in (
        (("delete", "c1", *at), "c1: nobody is there to be asked"),
        (("label", "--file", "-", *at), "stdin: it is closed"),
        (("sql", "--file", "-", *at), "stdin: it is closed"),
    ):
        code, err = ended(CLOSED, *words)
        assert (code, what in err, err.count("Hint: ")) == (2, True, 1), err


def test_an_empty_stdin_is_named_as_what_it_is(archive: Path, run: Run) -> None:
    code, _, err = run("label", "--file", "-", "--archive", archive)
    assert (code, err.startswith("workbench: stdin: no column call_id")) == (2, True)


def test_ctrl_d_is_a_no(archive: Path, start: Start, run: Run) -> None:
    ours, theirs = pty.openpty()
    process = start("delete", "c1", "--archive", archive, stdin=theirs)
    os.close(theirs)
    os.write(ours, b"\x04")
    out, err = process.communicate(timeout=60)
    os.close(ours)
    assert (process.returncode, b"Delete call c1" in out) == (2, True)
    assert b"workbench: c1: nothing was deleted" in err
    assert run("sql", "select count(*) as n from calls", "--format", "csv", "--archive", archive)[1] == "n\n1\n"


@pytest.mark.parametrize(
    "words",
    [
        ("sql", "from calls", "--archive", "{archive}"),
        ("sql", "from calls"),
        ("import", str(CLIP), "--archive", "{new}"),
        ("init", "--archive", "{new}"),
        ("demo", "{new}"),
        ("delete", "c1", "--yes", "--archive", "{archive}"),
    ],
)
def test_a_current_folder_that_is_gone_is_named(words: tuple[str, ...], archive: Path, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    words = tuple(word.format(archive=archive, new=tmp_path / "new") for word in words)
    env = {**os.environ, "PWD": str(tmp_path / "gone")}
    code, err = ended(GONE, *words, cwd=tmp_path / "gone", env=env)
    assert (code, err.count("Hint: ")) == (2, 1), err
    assert err.startswith(f"workbench: {tmp_path / 'gone'}: the current folder was removed")


def test_what_needs_no_archive_runs_where_the_current_folder_is_gone(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    assert ended(GONE, "trust", CLIP, "-q", cwd=tmp_path / "gone") == (0, "")


def test_without_a_home_folder_archives_are_read(archive: Path, tmp_path: Path) -> None:
    env = {name: value for name, value in os.environ.items() if name != "HOME"} | {"TMPDIR": str(tmp_path)}
    assert ended(HERE, "sql", "from calls", "--archive", archive, env=env) == (0, "1 row\n")
    assert ended(HERE, "delete", "c1", "--yes", "--archive", archive, env=env)[0] == 0


@pytest.mark.parametrize(
    "words",
    [
        ("unpack", "x", "y", "--max-bytes", "9223372036854775806"),
        ("import", "x", "--workers", "9223372036854775806"),
        ("demo", "x", "--workers", "9223372036854775806"),
        ("sql", "from calls", "--limit", "9223372036854775807"),
    ],
)
def test_a_number_that_is_too_large_is_refused_with_its_option(
    words: tuple[str, ...], at: Callable[..., tuple[int, str, str]]
) -> None:
    code, _, err = at(*words)
    assert (code, f"Invalid value for '{words[-2]}'" in err) == (2, True), err


def test_a_query_is_never_waited_for(archive: Path, tmp_path: Path, run: Run) -> None:
    os.mkfifo(tmp_path / "q.sql")
    (tmp_path / "zero.sql").symlink_to("/dev/zero")
    for name in ("q.sql", "zero.sql"):
        for words in (("sql", "--file", tmp_path / name), ("export", tmp_path / "x", "--query", tmp_path / name)):
            code, _, err = run(*words, "--archive", archive)
            assert (code, "it is a device or a pipe" in err) == (2, True), err


def test_a_full_folder_for_temporary_files_is_told(archive: Path, run: Run) -> None:
    """A limit on the size of files stands for a full disk."""
    limit = (0, resource.RLIM_INFINITY)
    code, _, err = run(
        "sql",
        "from calls",
        "--archive",
        archive,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    )
    assert (code, "no folder for temporary files" in err, err.count("Hint: ")) == (2, True, 1), err
