"""Which moments rest on faint sound alone: as the scan finds them with the faint runs and without them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from workbench.audio.config import MeasureConfig
from workbench.timing.faint_moments import resting
from workbench.timing.lines import lay
from workbench.timing.measuring import Measured, measure_recording
from workbench.timing.moments import CRITICAL, GAP, OVERLAP, START, STOP, scan
from workbench.timing.score_config import ScoreConfig

CALLS = Path(__file__).parents[2] / "data" / "calls"
CLIPS = sorted([*CALLS.glob("harper-valley-bank/audio/*.flac"), *CALLS.glob("*/audio/*.wav")])
CONFIG = ScoreConfig()


def run(role: str, start_s: float, end_s: float, *, faint: bool = False, channel_ix: int = 0) -> dict[str, Any]:
    return {"role": role, "channel_ix": channel_ix, "start_s": start_s, "end_s": end_s, "faint": faint}


@pytest.mark.parametrize(
    ("kind", "severity", "at", "runs", "rests"),
    [
        (OVERLAP, "warning", 3.0, [run("agent", 1, 5), run("caller", 3, 4, faint=True)], True),
        (OVERLAP, "warning", 3.0, [run("agent", 1, 5, faint=True), run("caller", 3, 4)], True),
        (OVERLAP, "warning", 3.0, [run("agent", 1, 5), run("caller", 3, 4)], False),
        (OVERLAP, "warning", 3.0, [run("agent", 1, 2.95), run("caller", 3, 4)], False),
        (START, "warning", 3.0, [run("caller", 1, 5, faint=True), run("agent", 3, 4)], True),
        (START, "warning", 3.0, [run("caller", 1, 5), run("agent", 3, 4)], False),
        (STOP, "warning", 4.0, [run("agent", 3, 4, faint=True)], True),
        (STOP, "warning", 4.0, [run("agent", 3, 4), run("agent", 5, 6, faint=True)], False),
        (STOP, CRITICAL, 4.0, [run("agent", 3, 4, faint=True)], False),
        (STOP, "warning", 4.0, [run("agent", 3, 4, faint=True), run("agent", 2, 3.999, channel_ix=1)], True),
        (GAP, "warning", 4.0, [run("caller", 3, 4, faint=True)], True),
        (GAP, "warning", 4.0, [run("caller", 3, 4, faint=True), run("caller", 2, 6, channel_ix=1)], False),
    ],
)
def test_the_party_it_needs_decides(
    kind: str, severity: str, at: float, runs: list[dict[str, Any]], *, rests: bool
) -> None:
    moment = {"kind": kind, "severity": severity, "onset_s": at}
    assert resting([moment], runs, CONFIG) == [rests]
    assert resting([], runs, CONFIG) == []


def measured(path: Path) -> Measured:
    return measure_recording(
        path,
        recording_id="r",
        call_id="c",
        roles=("caller", "agent"),
        offset_s=0.0,
        config=MeasureConfig(),
        run_id="run",
    )


def test_an_overlap_rests_on_faint_sound_when_the_scan_does_not_find_it_without() -> None:
    """The scan itself is the reference: run once more over the runs that are not faint."""
    total = 0
    for path in CLIPS:
        found = measured(path)
        if not found.health["scorable"]:
            continue
        recordings = pl.DataFrame(
            [
                {
                    "call_id": "c",
                    "sample_rate_hz": found.sample_rate_hz,
                    "offset_s": 0.0,
                    "duration_s": found.duration_s,
                }
            ]
        )
        firm = pl.DataFrame(found.segments).filter(~pl.col("faint"))
        again = {
            (row["kind"], round(row["onset_s"], 3))
            for row in scan(lay(recordings, firm, MeasureConfig()).speech, CONFIG)
        }
        for row in found.moments:
            if row["kind"] in (OVERLAP, START):
                assert row["faint"] is ((row["kind"], round(row["onset_s"], 3)) not in again), (path.name, row)
                total += row["faint"]
    assert total > 20
