"""Runs of speech, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.timing.runs import Runs
from workbench.timing.segments import runs, segments


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
