"""Offset, drift and impossible reports of made calls, whose truth is known because it was put in."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from workbench.analysis.clocks import TwoClocks, relate

GAPS_S = [0.8, 2.4, 1.1, 3.9, 0.5, 1.7, 2.9, 0.9, 4.4, 1.3]
AT_S = [10.0, 25.0, 41.0, 66.0, 80.0, 101.0, 130.0, 155.0, 190.0, 220.0]
SCHEMA = {
    "timing_ix": pl.Int64,
    "turn_ix": pl.Int64,
    "reported_ms": pl.Float64,
    "clock": pl.String,
    "gap_ix": pl.Int64,
    "answer_start_s": pl.Float64,
    "gap_ms": pl.Float64,
    "difference_ms": pl.Float64,
    "reason": pl.String,
}


def related(reported_ms: dict[int, float], *, clock: str = "audio", unmatched: int = 0) -> TwoClocks:
    """Relate reports, by the answer each is attributed to, and some that no answer was found for."""
    rows: list[dict[str, Any]] = [
        {
            "timing_ix": ix,
            "turn_ix": 2 * ix + 1,
            "reported_ms": value,
            "clock": clock,
            "gap_ix": ix,
            "answer_start_s": AT_S[ix],
            "gap_ms": 1000 * GAPS_S[ix],
            "difference_ms": value - 1000 * GAPS_S[ix],
        }
        for ix, value in reported_ms.items()
    ]
    rows += [
        {"timing_ix": 90 + ix, "reported_ms": 500.0, "clock": clock, "reason": "no answer"} for ix in range(unmatched)
    ]
    gaps = pl.DataFrame({"gap_ix": range(len(AT_S)), "agent_start_s": AT_S, "gap_s": GAPS_S})
    return relate("c1", pl.DataFrame(rows, schema=SCHEMA), gaps)


def report(ix: int, *, offset_ms: float = -150.0, drift_ms_per_min: float = 30.0) -> float:
    return 1000 * GAPS_S[ix] + offset_ms + drift_ms_per_min * AT_S[ix] / 60


def test_offset_and_drift_are_found_exactly() -> None:
    found = related({ix: report(ix) for ix in range(10)})
    assert (found.status, found.reason, found.shift) == ("SCORED", None, None)
    assert found.offset_ms == pytest.approx(-150.0)
    assert found.drift_ms_per_min == pytest.approx(30.0)
    assert found.drift_low_ms_per_min == pytest.approx(30.0)
    assert found.residual_mad_ms == pytest.approx(0.0, abs=1e-9)
    assert (found.report_count, found.common_count, found.fitted_count) == (10, 10, 10)
    assert found.faults == []


def test_wrong_reports_do_not_move_the_line_and_are_named() -> None:
    reports = {ix: report(ix) for ix in range(10)}
    reports[1], reports[4] = -20.0, 75_000.0
    reports[7] = report(8)  # of the next answer: 3.5 s more
    found = related(reports)
    assert found.offset_ms == pytest.approx(-150.0)
    assert found.drift_ms_per_min == pytest.approx(30.0)
    assert found.fitted_count == 7
    assert {row["turn_ix"]: row["fault"] for row in found.faults} == {
        3: "negative: the answer would have come before the question ended",
        9: "over 60 s",
        15: "attributed to the wrong turn: it fits the answer at 190.00 s within 0 ms and is 3518 ms off its own",
    }
    assert found.turns[7]["residual_ms"] == pytest.approx(3517.5)  # 4.4 s - 0.9 s, and 35 s of drift


def test_a_report_that_is_far_off_and_fits_no_neighbour_is_no_attribution() -> None:
    reports = {ix: report(ix) for ix in range(10)}
    reports[5] += 9000.0
    found = related(reports)
    assert found.faults == []
    assert found.turns[5]["residual_ms"] == pytest.approx(9000.0)
    assert found.drift_ms_per_min == pytest.approx(30.0)


def test_reports_that_are_one_answer_late_as_a_whole_are_seen() -> None:
    found = related({ix: report(ix - 1) for ix in range(1, 10)})
    assert found.shift == -1
    assert found.offset_ms == pytest.approx(-150.0)
    assert found.drift_ms_per_min == pytest.approx(30.0)
    assert len(found.faults) == 9
    assert found.faults[0]["fault"] == (
        "attributed to the wrong turn: all reports of the call fit the answer before theirs"
    )


def test_small_errors_of_reports_are_residuals_and_no_faults() -> None:
    off = [40.0, -60.0, 10.0, 0.0, -30.0, 55.0, -15.0, 25.0, -45.0, 5.0]
    found = related({ix: report(ix) + off[ix] for ix in range(10)})
    assert found.faults == []
    assert found.offset_ms == pytest.approx(-150.0, abs=40.0)
    assert found.drift_low_ms_per_min is not None
    assert found.drift_high_ms_per_min is not None
    assert found.drift_low_ms_per_min < 30.0 < found.drift_high_ms_per_min


def test_what_cannot_be_related_is_refused_with_the_reason() -> None:
    few = related({0: report(0), 1: report(1), 2: -5.0}, unmatched=2)
    assert few.status == "INCONCLUSIVE"
    assert few.reason == "2 turns in common, at least 3 are needed (no answer)"
    assert few.offset_ms is None
    assert [row["turn_ix"] for row in few.faults] == [5]  # impossible, whatever the clocks are
    own = related({ix: report(ix) for ix in range(10)}, clock="transcript")
    assert (own.status, own.reason) == (
        "INCONCLUSIVE",
        "no audio clock: its times are the source's own (transcript)",
    )
    assert related({}).reason == "no response latency was reported"
