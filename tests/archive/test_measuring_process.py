"""Many hours are measured by processes beside this one: the same rows, one clear error, nothing left behind."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest
from made_calls import made_call

from workbench.archive import measuring, measuring_process
from workbench.archive.archive import Archive
from workbench.archive.measure_job import Batch, Job
from workbench.archive.measuring_process import Measurers
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

    def killing(self: Measurers, job: Job, _stop: threading.Event) -> Batch:
        if not killed.is_set():
            killed.set()
            os.kill(self.processes[0].pid, signal.SIGKILL)
        return self.processes[0].measure(job)

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
