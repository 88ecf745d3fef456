"""The share of calls without a critical incident, its block of mono calls, its kinds and its worst calls."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.analysis.folder_health import (
    aside,
    critical_free,
    formula,
    kinds,
    mono_block,
    not_seen,
    scan_id,
    without_caution,
    worst_calls,
)


def incident(kind: str, severity: str, magnitude_s: float, number: int = 1) -> dict[str, Any]:
    return {
        "incident": kind,
        "severity": severity,
        "magnitude_s": magnitude_s,
        "onset_s": 1.0,
        "number": number,
        "address": f"apx-1#{number}",
    }


def call(name: str, *incidents: dict[str, Any], mode: str = "two_channel", **more: Any) -> dict[str, Any]:
    row = {"file": f"{name}.wav", "name": f"apx-{name}", "mode": mode, "recommendation": "eligible for scan"}
    return {**row, "incidents": list(incidents), **more}


BAD, LATE = incident("barge_in", "critical", 1.2), incident("latency_spike", "warning", 2.5, 2)
CALLS = [
    call("a"),
    call("b", BAD, LATE),
    call("c", LATE, recommendation="scan with caution"),
    call("d", incident("dead_air", "critical", 6.0), mode="mono"),
    call("e", mode="mono"),
]


def test_only_calls_with_two_channels_are_in_the_share() -> None:
    """2 of 3; bounds as scipy.stats.binomtest(2, 3).proportion_ci(method="wilson") gives them."""
    share = critical_free(CALLS)
    assert (share["critical_free_count"], share["call_count"]) == (2, 3)
    assert share["critical_free_call_rate"] == pytest.approx(2 / 3)
    assert share["critical_free_call_rate_low"] == pytest.approx(0.20765960080204818)
    assert share["critical_free_call_rate_high"] == pytest.approx(0.9385080552796037)
    assert (share["small_sample"], share["caution_count"], share["reason"]) == (True, 1, None)
    assert share["caution_critical_free_count"] == 1
    assert str(without_caution(share)).endswith("1 of them without a critical incident; without them: 1 of 2 calls")
    assert without_caution(critical_free(CALLS[:2])) is None
    assert formula(share, "0123456789ab") == (
        "2 calls without a critical incident / 3 two-channel calls analysed = 0.67 (95 % Wilson 0.21 to 0.94), n = 3, "
        "policy 0123456789ab, SMALL SAMPLE"
    )


def test_what_stands_apart_is_counted_apart() -> None:
    faint = incident("barge_in", "critical", 1.2) | {"aside": "faint"}
    stop = incident("dead_air", "warning", 1.0, 2) | {"aside": "short_stop"}
    calls = [call("a", faint, stop), call("b", stop), call("c", BAD)]
    share = critical_free(calls)
    assert (share["critical_free_count"], share["critical_free_with_faint_count"]) == (2, 1)
    assert aside(calls) == [
        {"aside": "short_stop", "incident_count": 2, "call_count": 2},
        {"aside": "faint", "incident_count": 1, "call_count": 1},
    ]
    assert [(row["incident"], row["incident_count"]) for row in kinds(calls)] == [("barge_in", 1)]
    assert [row["file"] for row in worst_calls(calls)] == ["c.wav"]


def test_what_the_recording_ended_too_early_to_show_makes_no_call_critical_and_is_counted() -> None:
    """Of three calls one has a critical incident; it and another one have a barge-in that their end cut off."""
    cut = incident("barge_in", "critical", 0.3, 3) | {"aside": "recording_ended"}
    touch = incident("barge_in", "critical", 0.03, 4) | {"aside": "touch"}
    share = critical_free([call("a", cut), call("b", BAD, cut), call("c", LATE, touch)])
    assert (share["critical_free_count"], share["critical_free_with_faint_count"]) == (2, 2)
    assert share["recording_ended_count"] == 1
    assert not_seen(share) == (
        "1 of the 2 calls without a critical incident ends before showing whether the agent stops for a caller who had "
        "begun"
    )
    assert not_seen(critical_free(CALLS)) is None


@pytest.mark.parametrize(("count", "small"), [(19, True), (20, False)])
def test_twenty_calls_are_no_small_sample(count: int, *, small: bool) -> None:
    share = critical_free([call(str(n)) for n in range(count)])
    assert share["small_sample"] is small
    assert ("SMALL SAMPLE" in formula(share, "x")) is small


def test_without_two_channels_there_is_a_reason_and_no_number() -> None:
    for calls in ([], CALLS[3:]):
        share = critical_free(calls)
        assert (share["call_count"], share["critical_free_call_rate"], share["small_sample"]) == (0, None, False)
        assert formula(share, "x") == "no share: no call with two channels could be analysed (policy x)"


def test_mono_calls_stand_in_a_block_of_their_own() -> None:
    assert mono_block(CALLS) == {
        "call_count": 2,
        "critical_free_count": 1,
        "incident_counts": {"critical": 1, "warning": 0, "caveat": 0},
        "one_side_files": [],
    }
    assert mono_block(CALLS[:3]) is None


def test_kinds_are_counted_by_lane_with_the_longest_of_each() -> None:
    longer = [*CALLS, call("f", incident("latency_spike", "warning", 4.5))]
    found = {(row["lane"], row["incident"]): row for row in kinds(longer)}
    assert list(found) == [("two_channel", "barge_in"), ("two_channel", "latency_spike"), ("mono", "dead_air")]
    late = found["two_channel", "latency_spike"]
    assert (late["incident_count"], late["critical_count"], late["call_count"]) == (3, 0, 3)
    assert (late["worst_magnitude_s"], late["worst_file"]) == (4.5, "f.wav")
    assert kinds([]) == []


def test_worst_calls_are_ranked_by_critical_incidents_then_by_length() -> None:
    calls = [
        call("one", incident("barge_in", "critical", 9.0)),
        call("two", incident("barge_in", "critical", 1.0), incident("dead_air", "critical", 0.9, 2)),
        call("long", incident("barge_in", "critical", 9.5)),
        call("mono", incident("dead_air", "critical", 60.0), mode="mono"),
        call("none"),
    ]
    assert [row["file"] for row in worst_calls(calls)] == ["two.wav", "long.wav", "one.wav", "mono.wav"]
    assert [row["rank"] for row in worst_calls(calls, most=2)] == [1, 2]
    assert {row["caution"] for row in worst_calls(calls)} == {None}
    [row] = worst_calls([call("rough", BAD, recommendation="scan with caution", caution="crosstalk")])
    assert row["caution"] == "crosstalk"


def test_a_scan_is_named_by_its_files_and_flags_in_any_order() -> None:
    manifest = [("a.wav", "1" * 64), ("b.wav", "2" * 64)]
    name = scan_id(manifest, {"channels": None, "min_gap_s": 2.0})
    assert name.startswith("scn-")
    assert len(name) == 16
    assert scan_id(manifest[::-1], {"min_gap_s": 2.0, "channels": None}) == name
    assert scan_id(manifest, {"channels": None, "min_gap_s": 1.0}) != name
    assert scan_id([manifest[0], ("b.wav", "3" * 64)], {"channels": None, "min_gap_s": 2.0}) != name
