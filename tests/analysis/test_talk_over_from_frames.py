"""Talk-over of a labelled moment can be counted in the exported frames, whatever it was measured with."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import soundfile as sf

import workbench
from workbench.archive.archive import Archive
from workbench.audio.config import MeasureConfig
from workbench.ingest import read
from workbench.report.export import export
from workbench.schema.call import Audio, Call, Label

CALLS = Path(__file__).parents[2] / "data" / "calls"


def counted(folder: Path, archive: Archive, *, hop_s: float = 0.01) -> list[tuple[float, float, float]]:
    """Of each event: talk-over as stored, counted by runs up to their last loud frame, and counted by loud frames."""
    export(archive, folder, tables=["scored_events", "timing_frames"], comments=True)
    events, frames = (
        pl.read_csv(folder / f"{name}.csv", comment_prefix="#", infer_schema_length=None)
        for name in ("scored_events", "timing_frames")
    )
    found = []
    for event in events.filter(pl.col("talk_over_s").is_not_null()).iter_rows(named=True):
        lasts_s = 3.0 if event["time_to_yield_s"] is None else event["time_to_yield_s"]
        since = pl.col("t_s") - event["onset_s"]
        inside = frames.filter(
            (pl.col("call_id") == event["call_id"]) & (since > -hop_s / 2) & (since < lasts_s - hop_s / 2)
        )
        both = inside["caller_voiced"] & inside["agent_voiced"]
        sides = [inside.select(level=f"{side}_dbfs", bound=f"{side}_threshold_dbfs") for side in ("caller", "agent")]
        loud = [side["level"] >= side["bound"].cast(pl.Float64, strict=False) for side in sides]
        found.append((event["talk_over_s"], int(both.sum()) * hop_s, int((loud[0] & loud[1]).sum()) * hop_s))
    return found


def test_every_bundled_moment_is_derived_again_by_counting(tmp_path: Path) -> None:
    with Archive.create(tmp_path / "archive") as archive:
        archive.add(read([CALLS / "vapi-defaults", CALLS / "ami-floor-exchange"]))
        archive.measure(workers=1)
        found = counted(tmp_path / "out", archive)
    assert len(found) == 12
    for stored, by_runs, _ in found:
        assert by_runs == pytest.approx(stored, abs=1e-6)
    longest = max(found)  # vapi-07: a pause inside a word counts, as it is no end of a run
    assert longest == pytest.approx((1.01, 1.01, 0.83), abs=1e-6)


def test_so_is_one_of_another_hangover_another_rate_and_several_channels(tmp_path: Path) -> None:
    """22,050 Hz has a hop of 220 samples; the caller has two channels whose runs touch within the hangover."""
    samples, _ = sf.read(CALLS / "vapi-defaults" / "audio" / "vapi-default-07-correction.example.wav", dtype="int16")
    half = len(samples) // 4
    early, late = samples[:, 0].copy(), samples[:, 0].copy()
    early[half:], late[: half - 800] = 0, 0
    sf.write(tmp_path / "three.wav", np.stack([early, samples[:, 1], late], axis=1), 22050, subtype="PCM_16")
    labels = [
        Label(kind="expectation", onset_s=at, expect=expect, author="A")
        for at, expect in ((1.4, "yield"), (2.3, "hold"))
    ]
    audio = Audio(path=str(tmp_path / "three.wav"), channels=["caller", "agent", "caller"], offset_s=0.35)
    source = {"source_format": "made", "source_uri": "made", "source_sha256": "0" * 64}
    with Archive.create(tmp_path / "archive") as archive:
        archive.add([Call(id="c", audio=[audio], labels=labels, **source)])
        archive.measure(config=MeasureConfig(hangover_s=0.4), workers=1)
        found = counted(tmp_path / "out", archive, hop_s=220 / 22050)
    assert len(found) == 2
    for stored, by_runs, _ in found:
        assert by_runs == pytest.approx(stored, abs=1e-6)
    assert max(found)[0] > 0.3


def test_the_comments_of_the_export_hold_for_any_measuring_config(small_archive: Path, tmp_path: Path) -> None:
    with workbench.open(small_archive) as archive:
        export(archive, tmp_path / "out", tables=["frames", "timing_frames"], comments=True)
    for name in ("frames", "timing_frames"):
        text = (tmp_path / "out" / f"{name}.csv").read_text(encoding="utf-8")
        head = [line for line in text.splitlines() if line.startswith("#")]
        for setting in ("10 ms", "20 ms", "0.15 s"):
            assert all("by default" in line for line in head if setting in line), name
    assert any("hangover_s of the measuring config" in line for line in head)
