"""Several workers measure what one does."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_calls import made_call

from workbench.archive import measure_job, measuring
from workbench.archive.archive import Archive
from workbench.archive.lake import Writer
from workbench.audio.config import MeasureConfig

TABLES = ("channels", "segments", "input_health", "frames")


@pytest.fixture
def one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job for each recording."""
    monkeypatch.setattr(measuring, "_split", lambda todo, _workers: ([row] for row in todo))


@pytest.mark.usefixtures("one_by_one")
def test_two_workers_give_the_rows_of_one(tmp_path: Path) -> None:
    found = []
    for workers in (1, 2):
        archive = Archive.create(tmp_path / f"a{workers}")
        archive.add([made_call(ix, tmp_path / "sounds") for ix in range(6)])
        seen: list[float] = []
        report = archive.measure(workers=workers, on_progress=lambda done, total, seen=seen: seen.append(done / total))
        assert (report.measured, report.problems) == (6, [])
        assert len(seen) == 6
        assert seen[-1] == pytest.approx(1.0)
        rows = {}
        for name in TABLES:
            frame = archive.sql(f"from {name}")
            kept = [column for column in frame.columns if column != "run_id"]
            rows[name] = sorted(map(repr, frame.select(kept).rows()))
        found.append(rows)
    assert found[0] == found[1]
    assert len(found[0]["frames"]) == 6 * 50  # 0.5 s: a frame every 10 ms


@pytest.mark.usefixtures("one_by_one")
def test_a_stop_half_way_begins_no_further_recording_and_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(ix, tmp_path / "sounds") for ix in range(6)])
    before = archive.snapshot
    begun: list[str] = []
    threads = threading.active_count()
    released = threading.Event()
    require = measure_job.media.require

    def slow(layout: object, row: dict[str, str], *, hashed: bool) -> object:
        begun.append(row["recording_id"])
        if len(begun) > 1:
            released.wait(5.0)
        return require(layout, row, hashed=hashed)  # type: ignore[arg-type]

    def interrupted(_done: float, _total: float) -> None:
        released.set()
        raise KeyboardInterrupt

    monkeypatch.setattr(measure_job.media, "require", slow)
    with pytest.raises(KeyboardInterrupt):
        archive.measure(workers=2, on_progress=interrupted)
    assert len(begun) < 6
    assert threading.active_count() == threads
    archive.refresh()
    assert archive.snapshot == before
    monkeypatch.undo()
    assert archive.measure(workers=2).measured == 6


def test_a_job_that_is_stopped_begins_no_further_recording(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(ix, tmp_path / "sounds") for ix in range(3)])
    writer = Writer(archive.layout)
    rows, _ = measuring._todo(writer, MeasureConfig())
    writer.close()
    stop = threading.Event()

    class Stopping(list[dict[str, Any]]):
        def __iter__(self) -> Iterator[dict[str, Any]]:
            for row in super().__iter__():
                yield row
                stop.set()

    job = measure_job.Job(archive.layout, Stopping(rows), MeasureConfig(), "run", tmp_path / "frames.parquet")
    batch = measure_job.measure_job(job, stop)
    assert batch.recordings == [rows[0]["recording_id"]]
    assert batch.tables["channels"].height == 2
