"""A curve of many moments is drawn in the steps that can be seen."""

from __future__ import annotations

import numpy as np
import polars as pl

from workbench.charts.survival import MOST_STEPS, chart


def test_a_curve_with_thousands_of_times_is_drawn_whole() -> None:
    count = 20_000
    survival = np.linspace(1.0, 0.25, count)
    curves = pl.DataFrame(
        {
            "group": ["all"] * count,
            "time_s": np.arange(count) / 1000,
            "survival": survival,
            "low": survival - 0.01,
            "high": survival + 0.01,
        }
    )
    summaries = pl.DataFrame({"group": ["all"], "call_count": [9], "moment_count": [count], "censored_count": [0]})
    risk = pl.DataFrame({"group": ["all"], "time_s": [0.0], "at_risk": [count]})
    times = pl.DataFrame({"group": ["all"], "duration_s": [1.0], "observed": [True]})
    drawn = chart(curves, summaries, risk, times=times).to_dict()["datasets"]["curves"]
    assert len(drawn) <= MOST_STEPS + 2
    assert (drawn[0]["time_s"], drawn[-1]["time_s"]) == (0.0, 19.999)
    steps = np.diff([row["survival"] for row in drawn])
    assert np.abs(steps).max() <= 1.01 / MOST_STEPS
