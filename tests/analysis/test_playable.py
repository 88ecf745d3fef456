"""A turn or finding is played exactly where it is, or not at all with the reason."""

from __future__ import annotations

import math

import polars as pl
import pytest

from workbench.analysis.playable import finding_stretch, opening_stretch, turn_stretch, within

TURNS = pl.DataFrame(
    {
        "turn_ix": [0, 1, 2, 3, 4],
        "start_s": [1.0, 3.0, 30.0, None, 40.0],
        "end_s": [2.5, None, None, None, 40.0],
    }
)


@pytest.mark.parametrize(
    ("turn_ix", "clock", "start_s", "end_s", "note"),
    [
        (0, "reported", 1.0, 2.5, None),
        (1, "reported", 3.0, 13.0, "no end"),
        (2, "reported", 30.0, 40.0, "no end"),
        (3, "reported", None, None, "no time"),
        (4, "reported", 40.0, 41.0, "no length"),
        (4, "quantised", 40.0, 41.0, "clock is quantised"),
        (0, "generated", None, None, "times of generation"),
        (9, "reported", None, None, "no such turn"),
    ],
)
def test_turns(turn_ix: int, clock: str, start_s: float | None, end_s: float | None, note: str | None) -> None:
    found = turn_stretch(TURNS, turn_ix, turn_clock=clock)
    assert (found.start_s, found.end_s) == (start_s, end_s)
    assert (found.note is None) if note is None else (note in (found.note or ""))


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ((2.0, 3.5), (2.0, 3.5)),
        ((2.0, None), (1.0, 5.0)),
        ((0.5, 0.5), (0.0, 3.5)),
        ((None, None), (None, None)),
    ],
)
def test_findings(row: tuple[float | None, float | None], expected: tuple[float | None, float | None]) -> None:
    found = finding_stretch({"start_s": row[0], "end_s": row[1]})
    assert (found.start_s, found.end_s) == expected


@pytest.mark.parametrize(
    ("sent", "expected"),
    [([2.0, 5.0], (2.0, 5.0)), ([5, 2], (2.0, 5.0)), ([-3.0, 999.0], (0.0, 30.0))],
)
def test_a_stretch_stays_within_the_call(sent: object, expected: tuple[float, float]) -> None:
    assert within(sent, end_s=30.0) == expected


@pytest.mark.parametrize("sent", [None, ["a", 2], 7, [1.0], [1.0, 2.0, 3.0], [math.nan, 2.0]])
def test_nonsense_from_a_browser_is_the_first_ten_seconds(sent: object) -> None:
    assert within(sent, end_s=30.0) == (0.0, 10.0)


def test_a_call_opens_on_its_gravest_finding() -> None:
    findings = pl.DataFrame(
        {
            "severity": ["medium", "high", "high", "high"],
            "start_s": [1.0, 9.03, 6.0, None],
            "end_s": [2.0, 10.0, 7.47, None],
        }
    )
    assert opening_stretch(findings, end_s=30.0, step_s=0.05) == [5.0, 8.45]
    assert opening_stretch(findings.head(1), end_s=2.5, step_s=0.05) == [0.0, 2.5]
    assert opening_stretch(findings.tail(1), end_s=30.0, step_s=0.05) == [0.0, 10.0]
    assert opening_stretch(findings.clear(), end_s=4.0, step_s=0.05) == [0.0, 4.0]
