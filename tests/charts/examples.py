"""One small example of every chart, made of rows written by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl

from workbench.analysis import timing_survival
from workbench.charts import charts

CHARTS = charts()


def rate_rows() -> pl.DataFrame:
    row = {"assertion_id": "slow", "dimension": "conversation", "deterministic": True, "call_count": 10}
    row |= {
        "trial_count": 9,
        "pass_count": 6,
        "inconclusive_count": 1,
        "not_scorable_count": 0,
        "skipped_count": 0,
    }
    row |= {"error_count": 0, "pass_rate": 6 / 9, "pass_rate_low": 0.354, "pass_rate_high": 0.879}
    silent = {**row, "assertion_id": "misheard", "dimension": "speech", "trial_count": 0, "pass_count": 0}
    silent |= {"inconclusive_count": 7, "not_scorable_count": 3, "pass_rate": None, "pass_rate_low": None}
    return pl.DataFrame([row, {**silent, "pass_rate_high": None}])


def gap_rows() -> tuple[pl.DataFrame, pl.DataFrame]:
    key = {"agent_id": "a", "agent_version": "2", "clock": "audio"}
    gaps = pl.DataFrame(
        [{**key, "bin_start_s": s / 10, "bin_end_s": (s + 1) / 10, "gap_count": s} for s in range(1, 9)]
    )
    ends = {"gap_p50_lin_s": 0.55, "gap_p50_low_s": 0.4, "gap_p50_high_s": 0.7}
    ends |= {"gap_p95_lin_s": 0.85, "gap_p95_low_s": 0.75, "gap_p95_high_s": None}
    return gaps, pl.DataFrame([{**key, "call_count": 4, "response_count": 36, **ends}])


def level_rows() -> pl.DataFrame:
    at = [ix / 10 for ix in range(100)]
    rows = [(role, t, t + 0.1, -40.0 + 10 * (ix % 3)) for role in ("caller", "agent") for ix, t in enumerate(at)]
    return pl.DataFrame(rows, schema=["role", "start_s", "end_s", "level_dbfs"], orient="row")


def speech_rows() -> pl.DataFrame:
    """A caller, and faint sound of the agent."""
    times = {"start_s": [0.5, 4.0], "end_s": [3.0, 8.0], "faint": [False, True]}
    return pl.DataFrame({"role": ["caller", "agent"], **times})


def mark_rows() -> pl.DataFrame:
    rows = [
        ("turn", 0.5, 3.0, "caller", "hello"),
        ("tool call", 3.5, None, "tool", "refund"),
        ("finding", 3.0, 4.0, "high", "slow_response: ..."),
        ("finding", None, None, "medium", "incomplete: ..."),
    ]
    return pl.DataFrame(rows, schema=["kind", "start_s", "end_s", "tone", "label"], orient="row")


def clock_rows() -> pl.DataFrame:
    rows = [(1, 10.0, 700.0, 800.0, None), (3, 30.0, 1815.0, 1900.0, None), (5, 60.0, 3400.0, 900.0, "wrong turn")]
    names = ["turn_ix", "answer_start_s", "reported_ms", "gap_ms", "fault"]
    rows.append((6, 50.0, -250.0, 900.0, "negative: the answer would have come before the question ended"))
    outside = [(7, 80.0, 75_000.0, 500.0, "over 60 s"), (9, None, 600.0, None, None), (10, None, -5.0, None, None)]
    frame = pl.DataFrame(rows + outside, schema=names, orient="row")
    return frame.with_columns(difference_ms=pl.col("reported_ms") - pl.col("gap_ms"))


def survival_rows() -> tuple[tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame], pl.DataFrame]:
    """Four moments: yields at 0.5 and 1 s, two that spoke on, for 2 and for 3 s."""
    times = pl.DataFrame(
        [(f"c{ix}", "x", "v1", time, time < 2) for ix, time in enumerate((0.5, 1.0, 2.0, 3.0))],
        schema=["call_id", "label_id", "group", "duration_s", "observed"],
        orient="row",
    )
    at_risk = timing_survival.at_risk(times, ticks_s=[0.0, 1.0, 2.0, 3.0])
    return (timing_survival.curves(times), timing_survival.summaries(times), at_risk), times


def moment_rows() -> pl.DataFrame:
    row = {"call_id": "c1", "label_id": "a", "expect": "yield", "onset_s": 2.0, "status": "FAIL"}
    row |= {"reason": "slow_to_yield", "yield_observed_s": 1.01, "yield_censored": False, "talk_over_s": 0.9}
    row |= {"decision_margin_s": -0.01, "boundary_sensitive": True, "flipped": True, "agent_quiet_s": 1.01}
    spoke_on = {**row, "call_id": "c2", "yield_observed_s": 3.0, "yield_censored": True, "reason": "did_not_yield"}
    spoke_on["agent_quiet_s"] = None
    unusable = {**row, "call_id": "c3", "status": "NOT_SCORABLE", "reason": "leakage", "yield_observed_s": None}
    unusable |= {"yield_censored": None, "agent_quiet_s": None}
    plain = {"boundary_sensitive": None, "flipped": False}
    return pl.DataFrame([row, spoke_on | plain, unusable | plain])


LEFT_OUT = {"NOT_SCORABLE": 1}
SPREAD = pl.DataFrame(
    [
        ("response gap", 0.0, 0.1, "seen to its end", 3),
        ("time to yield", 0.2, 0.4, "seen to its end", 2),
        ("time to yield", 2.8, 3.0, "longer than this (censored)", 1),
    ],
    schema=["measure", "bin_start_s", "bin_end_s", "ended", "moment_count"],
    orient="row",
)
ROBUSTNESS = pl.DataFrame(
    [
        ("noise", "dB below speech", 0, 40.0, 4, 4, 0, 0, 1.0, 0.51, 1.0),
        ("noise", "dB below speech", 1, 39.0, 4, 1, 2, 1, 0.25, None, None),
    ],
    schema=(
        "perturbation unit level_ix level moment_count holds_count withheld_count other_count "
        "holds_share holds_low holds_high"
    ).split(),
    orient="row",
)
COUNTS = pl.DataFrame({"source_format": ["a", "a", "b"], "health": ["no audio", None, "x"], "call_count": [3, 4, 2]})
EXAMPLES: dict[str, Callable[[], Any]] = {
    "call_counts": lambda: CHARTS["call_counts"](COUNTS, by="source_format", parts="health"),
    "call_lanes": lambda: CHARTS["call_lanes"](
        level_rows(), speech_rows(), mark_rows(), duration_s=10.0, stretch=(3.0, 4.0)
    ),
    "mel": lambda: CHARTS["mel"](
        np.linspace(-80.0, 0.0, 320).reshape(16, 20),
        start_s=1.0,
        end_s=2.0,
        band_edges_hz=np.linspace(0, 4000, 17),
    ),
    "moment_lanes": lambda: CHARTS["moment_lanes"](
        level_rows().filter(pl.col("start_s") < 6.0), speech_rows(), onset_s=2.0, start_s=0.0, end_s=6.0
    ),
    "rates": lambda: CHARTS["rates"](rate_rows()),
    "response_gaps": lambda: CHARTS["response_gaps"](*gap_rows()),
    "robustness": lambda: CHARTS["robustness"](ROBUSTNESS, left_out=1),
    "survival": lambda: CHARTS["survival"](*survival_rows()[0], times=survival_rows()[1], not_judged=LEFT_OUT),
    "timing_moments": lambda: CHARTS["timing_moments"](moment_rows()),
    "timing_spread": lambda: CHARTS["timing_spread"](SPREAD, not_judged=LEFT_OUT),
    "two_clocks": lambda: CHARTS["two_clocks"](clock_rows(), offset_ms=-100.0, drift_ms_per_min=30.0),
}
