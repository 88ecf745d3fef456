"""Runs of speech, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.audio.config import MeasureConfig
from workbench.timing.runs import Runs
from workbench.timing.segments import frame_after, runs, segments


def without_hangover(active: np.ndarray) -> Runs:
    start, end = runs(active)
    return Runs(start=start, end=end, voiced_end=end)


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ("", []),
        ("....", []),
        ("####", [(0.0, 0.04)]),
        ("#..#", [(0.0, 0.01), (0.03, 0.04)]),
        (".##..###.", [(0.01, 0.03), (0.05, 0.08)]),
    ],
)
def test_runs_become_seconds(flags: str, expected: list[tuple[float, float]]) -> None:
    active = np.array([flag == "#" for flag in flags], bool)
    found = segments(without_hangover(active), hop_s=0.01)
    assert [(start, end) for start, end, _ in found] == expected
    assert len(runs(active)[0]) == len(expected)


def test_times_are_on_the_clock_of_the_call() -> None:
    active = np.array([False, True, True, False])
    assert segments(without_hangover(active), hop_s=0.01, offset_s=2.0) == [(2.01, 2.03, 2.03)]


def test_no_run_ends_after_the_recording() -> None:
    found = Runs(start=np.array([0]), end=np.array([2]), voiced_end=np.array([1]))
    assert segments(found, hop_s=0.01, offset_s=1.0, duration_s=0.0125) == [(1.0, 1.0125, 1.01)]


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 22050, 44100, 48000, 96000, 192000])
@pytest.mark.parametrize("hop_ms", [1.0, 10.0])
@pytest.mark.parametrize("offset_s", [0.0, 0.35, 1234.567891])
def test_a_frame_is_the_same_after_it_was_kept_as_seconds(rate: int, hop_ms: float, offset_s: float) -> None:
    """At 11,025 Hz frame 502 begins at 5.0086168 s, kept as 5.008617: later, and not in frame 503."""
    hop_s = MeasureConfig(hop_ms=hop_ms).hop_s(rate)
    frames = np.arange(1, 100_001, 7)
    found = Runs(start=frames - 1, end=frames, voiced_end=frames)
    kept = np.array([end for _, end, _ in segments(found, hop_s=hop_s, offset_s=offset_s)])
    assert np.array_equal(frame_after(kept - offset_s, hop_s), frames)
    duration_s = frames[-1] * hop_s + 1 / rate  # one sample of another frame
    cut = segments(
        Runs(start=frames[:1], end=frames[-1:] + 1, voiced_end=frames[-1:] + 1),
        hop_s=hop_s,
        offset_s=offset_s,
        duration_s=duration_s,
    )
    assert frame_after(np.array([cut[0][1] - offset_s]), hop_s) == [frames[-1] + 1]
