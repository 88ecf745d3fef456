"""Several processes measure what one does."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_calls import made_call

from workbench.archive import measuring
from workbench.archive.archive import Archive

TABLES = ("channels", "segments", "input_health", "frames")


def test_two_workers_give_the_rows_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for workers in (1, 2):
        archive = Archive.create(tmp_path / f"a{workers}")
        archive.add([made_call(ix, tmp_path / "sounds") for ix in range(6)])
        monkeypatch.setattr(measuring, "POOL_S", 0.0)
        monkeypatch.setattr(measuring, "_split", lambda todo, _workers: ([row] for row in todo))
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


def test_a_little_audio_starts_no_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "ProcessPoolExecutor", None)
    monkeypatch.setattr(measuring, "_split", lambda todo, _workers: ([row] for row in todo))
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(ix, tmp_path / "sounds") for ix in range(2)])
    assert archive.measure(workers=2).measured == 2
