"""Errors against known speech, counted by hand on runs laid by hand."""

from __future__ import annotations

import polars as pl
import pytest

from workbench.audio.config import MeasureConfig
from workbench.timing.truth import Compared, TruthCall, compare
from workbench.timing.truth_errors import distribution

BARE = MeasureConfig(hop_ms=1.0, hangover_s=0.0)


def call(caller: list[tuple[float, float]], agent: list[tuple[float, float]], name: str = "c") -> TruthCall:
    return TruthCall(call_id=name, sample_rate_hz=8000, duration_s=20.0, stretches={"caller": caller, "agent": agent})


def against(
    known: TruthCall, caller: list[tuple[float, float]], agent: list[tuple[float, float]], config: MeasureConfig = BARE
) -> Compared:
    rows = [
        (known.call_id, role, start, end, end)
        for role, some in (("caller", caller), ("agent", agent))
        for start, end in some
    ]
    shape = ["call_id", "role", "start_s", "end_s", "voiced_end_s"]
    return compare([known], pl.DataFrame(rows, schema=shape, orient="row"), config=config)


def errors(found: Compared, signal: str) -> list[float]:
    return [row["error_ms"] for row in found.errors if row["signal"] == signal]


def test_the_truth_against_itself_has_no_error() -> None:
    known = call([(3.0, 4.0), (8.0, 9.0)], [(1.0, 3.5), (4.8, 6.0), (9.7, 11.0)])
    found = against(known, known.stretches["caller"], known.stretches["agent"])
    assert errors(found, "onset") == [0.0] * 5
    assert errors(found, "first_onset") == [0.0]
    assert errors(found, "yield") == [0.0]
    assert errors(found, "overlap") == [0.0]
    assert errors(found, "gap") == [0.0, 0.0]
    assert found.cells == {"correct_yield": 1, "missed_yield": 0, "false_yield": 0, "correct_hold": 0}
    assert found.false_starts == 0
    assert set(found.missed.values()) == {0}


def test_every_signal_is_measured_less_true() -> None:
    known = call([(3.0, 4.0)], [(1.0, 3.5), (4.8, 6.0)])
    found = against(known, [(3.05, 4.1)], [(0.98, 3.7), (4.9, 6.0)])
    assert sorted(errors(found, "onset")) == pytest.approx([-20.0, 50.0, 100.0])
    assert errors(found, "first_onset") == pytest.approx([50.0])
    assert errors(found, "yield") == pytest.approx([200.0])  # 0.7 s after the labelled onset, not 0.5
    assert errors(found, "overlap") == pytest.approx([150.0])  # 3.05 to 3.7, not 3.0 to 3.5
    assert errors(found, "gap") == pytest.approx([0.0])  # 0.8 s each
    (yielded,) = [row for row in found.errors if row["signal"] == "yield"]
    assert (yielded["at_s"], yielded["truth_s"], yielded["measured_s"]) == (3.0, 0.5, 0.7)


def test_a_run_that_bridges_two_stretches_is_no_second_start() -> None:
    found = against(call([(3.0, 4.0), (5.0, 6.0)], [(9.0, 10.0)]), [(3.0, 6.0)], [(9.0, 10.0)])
    assert errors(found, "onset") == [0.0, 0.0]
    assert found.missed["onset"] == 1


def test_what_is_not_heard_is_missed_and_has_no_error() -> None:
    found = against(call([(3.0, 4.0)], [(1.0, 3.5)]), [], [(1.0, 3.5)])
    assert errors(found, "onset") == [0.0]
    assert (found.missed["onset"], found.missed["first_onset"], found.missed["yield"]) == (1, 1, 1)
    assert found.cells["missed_yield"] == 1  # without a caller nearby no silence is a yield


def test_a_yield_that_people_did_not_hear_is_a_false_one() -> None:
    found = against(call([(3.0, 3.4)], [(1.0, 8.0)]), [(3.0, 3.4)], [(1.0, 3.2), (3.8, 8.0)])
    assert found.cells == {"correct_yield": 0, "missed_yield": 0, "false_yield": 1, "correct_hold": 0}
    held = against(call([(3.0, 3.4)], [(1.0, 8.0)]), [(3.0, 3.4)], [(1.0, 8.0)])
    assert held.cells["correct_hold"] == 1


def test_speech_going_on_at_the_start_and_after_a_short_pause_has_no_onset() -> None:
    found = against(call([(0.0, 1.0), (1.2, 2.0)], [(5.0, 6.0)]), [(0.0, 2.0)], [(5.0, 6.0)])
    assert [row["role"] for row in found.errors if row["signal"] == "onset"] == ["agent"]


def test_runs_where_nobody_speaks_are_counted() -> None:
    found = against(call([(3.0, 4.0)], [(6.0, 7.0)]), [(1.0, 1.2), (2.75, 2.9), (3.0, 4.0), (9.0, 9.1)], [(6.0, 7.0)])
    assert found.false_starts == 2  # 0.25 s before the stretch is near it
    assert errors(found, "first_onset") == [-2000.0]


def test_the_hangover_of_a_detector_is_no_error() -> None:
    known = call([(3.0, 4.0)], [(1.0, 3.5), (4.8, 6.0)])
    rows = [("c", "caller", 3.0, 4.15, 4.0), ("c", "agent", 1.0, 3.65, 3.5), ("c", "agent", 4.8, 6.15, 6.0)]
    shape = ["call_id", "role", "start_s", "end_s", "voiced_end_s"]
    found = compare([known], pl.DataFrame(rows, schema=shape, orient="row"), config=MeasureConfig())
    assert {row["error_ms"] for row in found.errors} == {0.0}


def test_a_distribution_is_told_and_not_summed_up() -> None:
    rows = [
        {"call_id": name, "error_ms": error} for name, error in zip("aabbcd", [-10, 20, 30, -40, 0, 100], strict=True)
    ]
    found = distribution(rows, missed=2)
    assert (found.n, found.calls, found.missed, found.reason) == (6, 4, 2, None)
    assert (found.signed.median, found.signed.mean, found.signed.min, found.signed.max) == (10.0, 16.667, -40.0, 100.0)
    assert (found.absolute.median, found.absolute.p90, found.absolute.max) == (
        25.0,
        70.0,
        100.0,
    )  # 40 and 100, half way
    low, high = found.absolute.median_interval or (0, 0)
    assert 0 <= low <= 25 <= high <= 100
    assert distribution(list(reversed(rows))) == distribution(rows)


def test_few_calls_have_no_interval_and_none_have_a_reason() -> None:
    few = distribution([{"call_id": "a", "error_ms": 1.0}, {"call_id": "b", "error_ms": 2.0}])
    assert few.absolute.median == 1.5
    assert few.absolute.median_interval is None
    assert few.reason == "no intervals: 2 calls, 3 at least are needed"
    none = distribution([])
    assert (none.n, none.signed.median, none.absolute.max) == (0, None, None)
    assert none.reason == "the truth holds no such moment"
    assert distribution([], missed=3).reason == "no value was measured"
