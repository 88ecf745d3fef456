"""Many hours are measured by processes beside this one: the same rows, one clear error, nothing left behind."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from made_calls import made_call

from workbench.archive import measuring, measuring_process
from workbench.archive.archive import Archive
from workbench.archive.layout import Layout
from workbench.archive.measure_job import Batch, Job
from workbench.archive.measuring_process import Measurers
from workbench.audio.config import MeasureConfig
from workbench.errors import ArchiveFailed

TABLES = ("channels", "segments", "input_health", "frames", "moments")


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[Measurers]:
    """Every measuring pass is worth a process, each recording a job; what was begun is kept."""
    found: list[Measurers] = []

    class Kept(Measurers):
        def __init__(self, count: int) -> None:
            super().__init__(count)
            found.append(self)

    monkeypatch.setattr(measuring, "_split", lambda todo, _workers: ([row] for row in todo))
    monkeypatch.setattr(measuring_process, "WORTH_S", 0.0)
    monkeypatch.setattr(measuring_process, "Measurers", Kept)
    return found


def archive_of(folder: Path, sounds: Path, *, count: int = 6) -> Archive:
    archive = Archive.create(folder)
    archive.add([made_call(ix, sounds) for ix in range(count)])
    return archive


def rows_of(archive: Archive) -> dict[str, list[str]]:
    found = {}
    for name in TABLES:
        frame = archive.sql(f"from {name}")
        found[name] = sorted(map(repr, frame.select(c for c in frame.columns if c != "run_id").rows()))
    return found


def test_a_process_gives_the_rows_of_a_thread(begun: list[Measurers], tmp_path: Path) -> None:
    found = []
    for workers in (1, 2):
        archive = archive_of(tmp_path / f"a{workers}", tmp_path / "sounds")
        report = archive.measure(workers=workers)
        assert (report.measured, report.problems) == (6, [])
        found.append(rows_of(archive))
    assert [len(one.processes) for one in begun] == [0, 1]
    assert found[0] == found[1]
    assert len(found[0]["frames"]) == 6 * 50  # 0.5 s: a frame every 10 ms
    assert not any(process.alive for one in begun for process in one.processes)


def test_what_cannot_be_measured_is_told_and_the_rest_is_measured(begun: list[Measurers], tmp_path: Path) -> None:
    archive = archive_of(tmp_path / "a", tmp_path / "sounds")
    for path in sorted((tmp_path / "a" / "media").rglob("*.wav"))[:5]:
        path.unlink()
    report = archive.measure(workers=2)
    assert (report.measured, len(report.problems)) == (1, 5)
    assert all("the audio file is missing" in problem for problem in report.problems)
    assert len(begun[0].processes) == 1


def test_a_process_that_is_killed_is_one_clear_error_and_nothing_is_written(
    begun: list[Measurers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = archive_of(tmp_path / "a", tmp_path / "sounds")
    before = archive.snapshot
    killed = threading.Event()

    def killing(self: Measurers, job: Job, stop: threading.Event) -> Batch:
        if killed.is_set():
            return Batch()
        killed.set()
        found = self.processes[0].measure(job, stop)  # it has begun
        os.kill(self.processes[0].pid, signal.SIGKILL)
        return found if stop.is_set() else self.processes[0].measure(job, stop)

    monkeypatch.setattr(Measurers, "__call__", killing)
    with pytest.raises(ArchiveFailed, match=r"a measuring process ended before its work was done \(exit status -9\)"):
        archive.measure(workers=2)
    archive.refresh()
    assert archive.snapshot == before
    assert archive.layout.spools() == []
    assert not begun[0].processes[0].alive
    monkeypatch.undo()
    assert archive.measure(workers=2).measured == 6


def test_few_hours_are_measured_by_threads(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made: list[int] = []
    monkeypatch.setattr(measuring_process, "Process", lambda: made.append(1))
    archive = archive_of(tmp_path / "a", tmp_path / "sounds", count=2)
    assert archive.measure(workers=2).measured == 2
    assert made == []


def test_the_current_folder_is_no_place_for_modules(
    begun: list[Measurers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = archive_of(tmp_path / "a", tmp_path / "sounds", count=2)
    for name in ("pickle", "random", "numpy"):
        (tmp_path / f"{name}.py").write_text(f"open({str(tmp_path / 'owned')!r}, 'w')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert archive.measure(workers=2).measured == 2
    assert not (tmp_path / "owned").exists()
    assert len(begun[0].processes) == 1


@pytest.mark.parametrize("program", ["/nonexistent/python", "/bin/false"])
def test_where_no_process_can_begin_threads_measure(
    begun: list[Measurers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    archive = archive_of(tmp_path / "a", tmp_path / "sounds")
    monkeypatch.setattr(sys, "executable", program)
    report = archive.measure(workers=2)
    assert (report.measured, report.problems) == (6, [])
    assert not any(process.alive for process in begun[0].processes)


def test_a_bug_in_a_process_is_a_bug(begun: list[Measurers], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = archive_of(tmp_path / "a", tmp_path / "sounds", count=2)

    def sent(self: Measurers, _job: Job, stop: threading.Event) -> Batch:
        return self.processes[0].measure("no job", stop)  # type: ignore[arg-type]

    monkeypatch.setattr(Measurers, "__call__", sent)
    with pytest.raises(RuntimeError, match="AttributeError"):
        archive.measure(workers=2)
    assert not begun[0].processes[0].alive


def test_a_stop_ends_a_process_at_its_work(tmp_path: Path) -> None:
    process, stop = measuring_process.Process(), threading.Event()
    assert process._answer(threading.Event()) == "ready"
    process._ready = True
    threading.Timer(0.5, stop.set).start()
    begun_at = time.monotonic()
    job = Job(Layout(tmp_path), Waiting(), MeasureConfig(), "run", tmp_path / "frames.parquet")
    assert process.measure(job, stop).recordings == []
    assert time.monotonic() - begun_at < 20
    assert not process.alive


class Waiting(list[dict[str, Any]]):
    """Rows that never come, in the process that unpickles them."""

    def __reduce__(self) -> tuple[Any, ...]:
        return time.sleep, (60,)
