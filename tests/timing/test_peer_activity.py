"""Activity frame for frame as the published method's own implementation gives it, on real calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from two_sided import measured

from workbench.audio.activity import activity
from workbench.audio.frames import frame_levels, to_dbfs
from workbench.audio.read import blocks, probe
from workbench.timing.segments import runs

CALLS = Path(__file__).parents[2] / "data" / "calls"
GOLDEN: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "activity-hotato-1.20.0.json").read_text())
clips = pytest.mark.parametrize("clip", sorted(GOLDEN))


def test_the_golden_file_has_clips() -> None:
    assert len(GOLDEN) >= 9


@clips
def test_activity_is_the_same_frame_for_frame(clip: str) -> None:
    frames = pa.concat_tables(measured(CALLS / clip).frames)
    for role in ("caller", "agent"):
        expected = np.zeros(GOLDEN[clip][role]["frames"], bool)
        for start, end in GOLDEN[clip][role]["runs"]:
            expected[start:end] = True
        assert np.array_equal(frames[f"{role}_active"].to_numpy(), expected)


@clips
def test_floor_threshold_peak_and_times_are_the_same(clip: str) -> None:
    for row in measured(CALLS / clip).channels:
        theirs = GOLDEN[clip][row["role"]]
        assert row["noise_floor_dbfs"] == pytest.approx(theirs["noise_floor_db"], abs=1e-8)
        assert row["threshold_dbfs"] == pytest.approx(theirs["threshold_db"], abs=1e-8)
        assert row["active_s"] == pytest.approx(theirs["active_sec"], abs=5e-4)
        assert row["first_speech_s"] == pytest.approx(theirs["first_speech_sec"], abs=5e-4)
        assert row["peak_dbfs"] == pytest.approx(theirs["peak_dbfs"], abs=0.051)
        assert row["clipped_fraction"] == pytest.approx(theirs["clipped_fraction"], abs=1e-6)


@clips
def test_runs_without_their_tails_are_the_same(clip: str) -> None:
    rate = probe(CALLS / clip).sample_rate_hz
    levels = frame_levels(blocks(CALLS / clip), sample_rate_hz=rate)
    for role, dbfs in zip(("caller", "agent"), to_dbfs(levels.rms), strict=True):
        first, after = runs(activity(dbfs, hop_s=levels.hop_s).trimmed)
        assert np.stack([first, after], axis=1).tolist() == GOLDEN[clip][role]["runs_without_tail"]


@clips
def test_real_calls_are_as_scorable_as_the_other_implementation_finds_them(clip: str) -> None:
    health = measured(CALLS / clip).health
    assert health["scorable"] == GOLDEN[clip]["scorable"]
    assert health["verdict_eligible"] == GOLDEN[clip]["verdict_eligible"]
