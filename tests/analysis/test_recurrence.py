"""What comes back, from stored scans: counts worked out by hand, intervals by scipy's Wilson."""

from __future__ import annotations

from typing import Any

import pytest
from scipy.stats import binomtest

from workbench.analysis.recurrence import recurrence

POLICY = "0123456789ab"


def scan(
    at: str, having: int, of: int, *, policy: str = POLICY, kind: str = "barge_in", mono: int = 0
) -> dict[str, Any]:
    """A scan of `of` two-channel calls of its own, the first `having` of which have the kind, and mono calls."""
    calls = [{"name": f"{at}-{n}", "mode": "two_channel", "kinds": [kind] if n < having else []} for n in range(of)]
    calls += [{"name": f"{at}-mono-{n}", "mode": "mono", "kinds": []} for n in range(mono)]
    return {"recorded_at": at, "policy_hash": policy, "calls": calls}


def state(now: dict[str, Any], *earlier: dict[str, Any]) -> str | None:
    rows = recurrence(now, earlier)
    return rows[0]["state"] if rows else None


def test_nothing_is_said_without_a_stored_scan_that_has_it() -> None:
    assert recurrence(scan("now", 5, 30), []) == []
    assert state(scan("now", 5, 30), scan("one", 0, 30)) is None
    assert state(scan("now", 0, 30), scan("one", 9, 30)) is None
    assert state(scan("now", 5, 30), scan("one", 5, 30, kind="dead_air")) is None


@pytest.mark.parametrize(
    ("here", "before", "calls", "expected"),
    [
        (1, 1, 30, "observed"),
        (1, 2, 30, "RECURRING"),
        (2, 1, 30, "RECURRING"),
        (2, 1, 19, "RECURRING, LOW SAMPLE"),
        (2, 1, 20, "RECURRING"),
        (1, 1, 5, "observed"),
    ],
)
def test_states_by_calls_in_the_window_and_by_sample(here: int, before: int, calls: int, expected: str) -> None:
    (row,) = recurrence(scan("now", here, calls), [scan("one", before, 30)])
    assert row["state"] == expected
    assert (row["call_count"], row["analysed_count"], row["window_call_count"]) == (here, calls, here + before)
    assert (row["eligible_count"], row["seen_at"], row["elevated_over"]) == (calls, ["one"], None)


@pytest.mark.parametrize(("kind", "analysed"), [("barge_in", 30), ("dead_air", 34)])
def test_calls_that_cannot_show_a_kind_are_not_counted_among_its_calls(kind: str, analysed: int) -> None:
    """One channel tells of silence, not who speaks over whom."""
    (row,) = recurrence(scan("now", 5, 30, kind=kind, mono=4), [scan("one", 5, 30, kind=kind)])
    assert (row["call_count"], row["analysed_count"]) == (5, analysed)


def test_a_call_that_is_in_several_scans_counts_once() -> None:
    now, again = scan("one", 2, 30), scan("one", 2, 30)
    (row,) = recurrence(now, [again, {**again, "recorded_at": "two"}])
    assert (row["window_call_count"], row["state"], row["seen_at"]) == (2, "observed", ["one", "two"])


@pytest.mark.parametrize("having", range(8, 18))
def test_elevated_is_an_interval_wholly_above_the_last_one(having: int) -> None:
    here, there = (binomtest(k, 20).proportion_ci(method="wilson") for k in (having, 3))
    expected = "ELEVATED" if here.low > there.high else "RECURRING"
    assert state(scan("now", having, 20), scan("one", 3, 20)) == expected


def test_both_states_of_that_test_occur() -> None:
    assert state(scan("now", 9, 20), scan("one", 3, 20)) == "RECURRING"
    assert state(scan("now", 17, 20), scan("one", 3, 20)) == "ELEVATED"


def test_only_the_newest_scan_of_the_same_policy_and_lanes_is_compared_with() -> None:
    now = scan("now", 17, 20)
    assert state(now, scan("one", 3, 20, policy="another")) == "RECURRING"
    assert state(now, scan("one", 3, 19)) == "RECURRING"
    assert state(now, scan("one", 3, 20, mono=1)) == "RECURRING"
    assert state(scan("now", 17, 19), scan("one", 3, 20)) == "RECURRING, LOW SAMPLE"
    assert state(now, scan("one", 3, 20), scan("two", 16, 20)) == "RECURRING"
    (row,) = recurrence(now, [scan("one", 16, 20), scan("two", 3, 20), scan("three", 0, 5)])
    assert (row["state"], row["elevated_over"]) == ("ELEVATED", "two")
