"""Ctrl-C ends a command at once, with 130 and without a traceback."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pytest
import soundfile

from workbench.archive import lake
from workbench.cli import errors, interruptible
from workbench.cli.interruptible import was_stopped
from workbench.errors import ArchiveFailed

LONG = {
    "join": "select count(*) from range(1000000) a, range(1000000) b where a.range*b.range%7=3",
    "recursion": "with recursive n(i) as (select 0::hugeint union all select i+1 from n) select max(i) from n",
}


def stopped(process: subprocess.Popen[bytes], *, after_s: float) -> tuple[int, str, str]:
    """Press Ctrl-C after some seconds; exit code, stdout, stderr."""
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=after_s)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    finally:
        process.kill()
        process.communicate()
    return process.returncode, out.decode(), err.decode()


def heard() -> None:
    """Let a process hear Ctrl-C even where it was started in the background."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.parametrize("query", LONG.values(), ids=LONG)
def test_a_long_query_stops(
    query: str, small_archive: Path, start: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    process = start("sql", query, "--archive", small_archive, "-o", tmp_path / "out.csv", preexec_fn=heard)
    code, out, err = stopped(process, after_s=4)
    assert (code, out, err.strip()) == (130, "", "workbench: stopped")
    assert not list(tmp_path.iterdir())


def test_a_long_export_stops(
    small_archive: Path, start: Callable[..., subprocess.Popen[bytes]], tmp_path: Path
) -> None:
    """It reads on a connection of its own."""
    words = ["export", tmp_path / "e", "--query", LONG["join"], "--archive", small_archive]
    process = start(*words, preexec_fn=heard)
    code, out, err = stopped(process, after_s=4)
    assert (code, out, err.strip()) == (130, "", "workbench: stopped")
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def long_recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two voices by turns for a quarter of an hour, as rough noise."""
    rate, seconds = 8000, 900
    lot = np.random.default_rng(1)
    turns = np.repeat(np.arange(seconds) // 3 % 2, rate)
    sound = lot.integers(-6000, 6000, (len(turns), 2)).astype(np.int16)
    sound[turns == 0, 0] //= 300
    sound[turns == 1, 1] //= 300
    path = tmp_path_factory.mktemp("long") / "long.wav"
    soundfile.write(path, sound, rate, subtype="PCM_16")
    return path


@pytest.fixture(scope="module")
def long_archive(
    long_recording: Path, run: Callable[..., tuple[int, str, str]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    archive = tmp_path_factory.mktemp("archive") / "archive"
    assert run("import", long_recording, "--channels", "caller,agent", "--archive", archive)[0] == 0
    assert run("measure", "--archive", archive)[0] == 0
    return archive


@pytest.mark.parametrize(
    "words",
    [
        ("robustness", "FILE", "--onset", "3.0", "--expect", "hold", "--channels", "caller,agent"),
        ("benchmark-timing",),
        ("measure", "--backend", "refined", "--archive", "ARCHIVE"),
        ("acoustics", "--archive", "ARCHIVE"),
    ],
    ids=lambda words: words[0],
)
def test_a_command_that_listens_stops(
    words: tuple[str, ...],
    long_recording: Path,
    start: Callable[..., subprocess.Popen[bytes]],
    long_archive: Path,
    tmp_path: Path,
) -> None:
    before = _files(long_archive)
    named = {"FILE": str(long_recording), "ARCHIVE": str(long_archive)}
    process = start(*(named.get(word, word) for word in words), preexec_fn=heard, env={"TMPDIR": str(tmp_path)})
    code, out, err = stopped(process, after_s=2)
    assert (code, out, err.strip()) == (130, "", "workbench: stopped")
    assert not list(tmp_path.iterdir())
    assert _files(long_archive) == before


def _files(folder: Path) -> list[tuple[Path, int]]:
    return sorted((path, path.stat().st_size) for path in folder.rglob("*") if path.is_file())


def test_what_a_stopped_command_leaves_behind_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    asked = click.exceptions.Abort()
    asked.__cause__ = KeyboardInterrupt("the mark of the deletion stays")
    assert [errors.tell(asked), errors.tell(KeyboardInterrupt())] == [130, 130]
    told = capsys.readouterr().err.splitlines()
    assert told == ["workbench: stopped; the mark of the deletion stays", "workbench: stopped"]


def test_a_full_standard_error_does_not_change_the_exit_code(
    small_archive: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    with Path("/dev/full").open("wb") as full:
        assert run("sql", "selec", "--archive", small_archive, stderr=full)[0] == 2


def test_without_standard_error_a_measuring_pass_runs(
    small_archive: Path, run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    shutil.copytree(small_archive, tmp_path / "a")
    command = [sys.executable, "-m", "workbench", "measure", "--rel-db", "13", "--archive", str(tmp_path / "a")]
    done = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", *command], stdout=subprocess.PIPE, check=False)
    assert done.returncode == 0


def test_waiting_for_stdin_stops(start: Callable[..., subprocess.Popen[bytes]], small_archive: Path) -> None:
    process = start("sql", "--file", "-", "--archive", small_archive, stdin=subprocess.PIPE, preexec_fn=heard)
    code, out, err = stopped(process, after_s=3)
    assert (code, out, err.strip()) == (130, "", "workbench: stopped")


def test_a_query_that_begins_after_the_signal_stops_too(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[float] = []  # of two queries, one after the other; the signal comes in the first
    monkeypatch.setattr(lake, "interrupt", lambda: asked.append(time.monotonic()))

    def work() -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        while len(asked) < 2:
            time.sleep(0.01)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            interruptible.run(work)
    finally:
        signal.signal(signal.SIGINT, before)
    assert len(asked) >= 2


def test_work_gives_its_result_and_its_error_to_the_caller() -> None:
    assert interruptible.run(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        interruptible.run(lambda: 1 / 0)


class InterruptException(Exception):
    """What DuckDB's own looks like."""


def _caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "stopped"),
    [
        (KeyboardInterrupt(), True),
        (click.exceptions.Abort(), True),
        (RuntimeError("Query interrupted"), True),
        (_caused(ArchiveFailed("INTERRUPT Error: Interrupted!"), InterruptException()), True),
        (RuntimeError("another"), False),
        (ArchiveFailed("the disk is full"), False),
    ],
)
def test_every_way_a_library_reports_it(
    error: BaseException, stopped: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    assert (errors.tell(error) == 130) is stopped
    said = capsys.readouterr().err
    assert (said == "workbench: stopped\n") is stopped
    assert was_stopped(error) is (stopped and not isinstance(error, click.exceptions.Abort))


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("Query interrupted")])
def test_a_stopped_import_makes_no_half_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], error: BaseException
) -> None:
    from workbench.archive import creating
    from workbench.cli import main

    def stop(*_given: object) -> None:
        raise error

    monkeypatch.setattr(creating.lake, "making", stop)
    turns = '[{"role": "caller", "text": "hi"}]'
    (tmp_path / "c.json").write_text(f'{{"format": "workbench.call/1", "id": "c", "turns": {turns}}}', encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["import", str(tmp_path / "c.json"), "--archive", str(tmp_path / "archive")])
    assert ended.value.code == 130
    assert capsys.readouterr().err.strip() == "workbench: stopped"
    assert not (tmp_path / "archive").exists()


def test_an_import_goes_on_where_a_killed_one_left_a_half_made_archive(
    tmp_path: Path, run: Callable[..., tuple[int, str, str]]
) -> None:
    target = tmp_path / "a"
    for left in ("data", "media"):
        (target / left).mkdir(parents=True)
    (target / "catalog.sqlite").write_bytes(b"half")
    for name in ("write.lock", "archive.making"):
        (target / name).touch()
    (tmp_path / "c.json").write_text(
        '{"format": "workbench.call/1", "id": "c", "turns": [{"role": "caller", "text": "hi"}]}', encoding="utf-8"
    )
    code, out, err = run("import", tmp_path / "c.json", "--archive", target)
    assert (code, out.startswith("1 call imported")) == (0, True), err


def test_a_home_folder_that_cannot_be_written_is_no_hindrance(
    small_archive: Path, run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """DuckDB would keep its extensions there."""
    environment = {"HOME": "/nonexistent/home", "TMPDIR": str(tmp_path)}
    assert run("sql", "select 1 as one", "--archive", small_archive, env=environment)[:2][0] == 0
    assert not list(tmp_path.glob("workbench-extensions-*"))
