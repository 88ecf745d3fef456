"""Ctrl-C ends a command at once, with 130 and without a traceback."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

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


def test_waiting_for_stdin_stops(start: Callable[..., subprocess.Popen[bytes]], small_archive: Path) -> None:
    process = start("sql", "--file", "-", "--archive", small_archive, stdin=subprocess.PIPE, preexec_fn=heard)
    code, out, err = stopped(process, after_s=3)
    assert (code, out, err.strip()) == (130, "", "workbench: stopped")


def test_a_query_that_begins_after_the_signal_stops_too() -> None:
    class Reader:
        """Two queries, one after the other; the signal comes in the first."""

        asked = 0

        def interrupt(self) -> None:
            self.asked += 1

    reader = Reader()

    def work() -> None:
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
        while reader.asked < 2:
            time.sleep(0.01)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            interruptible.run(reader, work)  # type: ignore[arg-type]
    finally:
        signal.signal(signal.SIGINT, before)
    assert reader.asked >= 2


def test_work_gives_its_result_and_its_error_to_the_caller() -> None:
    nothing: Any = None
    assert interruptible.run(nothing, lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        interruptible.run(nothing, lambda: 1 / 0)


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


def test_a_stopped_import_makes_no_half_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from workbench.archive import creating
    from workbench.cli import main

    def stop(*_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(creating.lake, "writing", stop)
    (tmp_path / "calls").mkdir()
    with pytest.raises(SystemExit) as ended:
        main(["import", str(tmp_path / "calls"), "--archive", str(tmp_path / "archive")])
    assert ended.value.code == 130
    assert capsys.readouterr().err.strip() == "workbench: stopped"
    assert not (tmp_path / "archive").exists()
