"""Runs of speech, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.timing.segments import runs, segments


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
    assert segments(active, hop_s=0.01) == expected
    assert len(runs(active)[0]) == len(expected)


def test_times_are_on_the_clock_of_the_call() -> None:
    active = np.array([False, True, True, False])
    assert segments(active, hop_s=0.01, offset_s=2.0) == [(2.01, 2.03)]


def test_no_run_ends_after_the_recording() -> None:
    assert segments(np.array([True, True]), hop_s=0.01, offset_s=1.0, duration_s=0.0125) == [(1.0, 1.0125)]
