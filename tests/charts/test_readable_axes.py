"""What a reader of a chart trips over: numbers of an axis that touch, an interval that is missing without a word."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import polars as pl
import pytest

from workbench.charts import call_counts, mel, response_gaps, theme

COUNTS = pl.DataFrame({"source_format": ["native"], "health": ["no audio"], "call_count": [219]})


@pytest.mark.parametrize(
    "chart",
    [
        mel.chart(np.ones((4, 9)), start_s=10.1, end_s=14.2, band_edges_hz=np.linspace(0, 4000, 5), width=520),
        call_counts.chart(COUNTS, by="source_format", parts="health", width=330),
    ],
    ids=["seconds", "counts"],
)
def test_numbers_on_an_axis_stand_clear_of_each_other(chart: Any) -> None:
    """At 11 px a digit is at least 6 px wide and a point 3: five pixels and more are free between two of a row."""
    label = r'translate\(([\d.]+),(\d+)\)"[^>]*opacity="1">([\d.]+)</text>'
    found = [(int(y), float(x), text) for x, y, text in re.findall(label, theme.svg(chart))]
    rows = [sorted((x, text) for y, x, text in found if y == row) for row in {y for y, _, _ in found}]
    row = max(rows, key=len)
    assert len(row) > 3
    wide = [6 * len(text) - 3 * text.count(".") for _, text in row]
    free = [row[ix + 1][0] - row[ix][0] - (wide[ix] + wide[ix + 1]) / 2 for ix in range(len(row) - 1)]
    assert min(free) >= 5, row


def test_gaps_without_any_interval_say_why() -> None:
    key = {"agent_id": "a", "agent_version": "2", "clock": "audio"}
    why = "fewer than 3 calls with an answer: no interval"
    gaps = pl.DataFrame([{**key, "bin_start_s": 0.5, "bin_end_s": 0.6, "gap_count": 2}])
    ends = {f"gap_{p}_{end}_s": None for p in ("p50", "p95") for end in ("low", "high")}
    ends |= {"gap_p50_lin_s": 0.55, "gap_p95_lin_s": 0.85, "reason": why}
    few = pl.DataFrame([{**key, "call_count": 2, "response_count": 2, **ends}])
    assert f"p50 0.55 s, p95 0.85 s · n = 2 · {why}" in theme.svg(response_gaps.chart(gaps, few))
