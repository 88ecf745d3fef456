"""Histograms parted by how a call sounded."""

from __future__ import annotations

import polars as pl

from tests.charts.examples import CHARTS, SPREAD
from workbench.charts import theme


def test_histograms_of_slices_stand_below_one_another_on_one_axis() -> None:
    groups = ("noisy caller", "caller not noisy", "not described", "a", "b")
    parted = pl.concat(SPREAD.with_columns(group=pl.lit(name)) for name in groups)
    spec = CHARTS["timing_spread"](parted).to_dict()
    assert len(spec["vconcat"]) == 4
    assert "1 group with fewer" in spec["title"]["subtitle"]
    assert "15 response gaps (0 censored)" in spec["title"]["subtitle"]
    domains = [row["hconcat"][1]["encoding"]["x"]["scale"]["domain"] for row in spec["vconcat"]]
    assert domains == [[0, 3.0]] * 4
    assert theme.svg(CHARTS["timing_spread"](parted)).count("noisy caller") >= 2


def test_a_group_without_a_measure_leaves_its_column_empty() -> None:
    some = SPREAD.with_columns(group=pl.lit("all"))
    fewer = some.filter(pl.col("measure") == "time to yield").with_columns(group=pl.lit("few"))
    rows = CHARTS["timing_spread"](pl.concat([some, fewer])).to_dict()["vconcat"]
    assert [pane["mark"]["type"] for pane in rows[1]["hconcat"]] == ["text", "bar"]
    assert rows[1]["hconcat"][0]["mark"]["text"] == "no response gap"
    titles = [row["hconcat"][1]["encoding"]["x"]["title"] for row in rows]
    assert titles == ["time to yield (s)"] * 2


def test_measures_are_counted_in_the_plural() -> None:
    """Two gaps and one time to yield."""
    names = ["measure", "bin_start_s", "bin_end_s", "ended", "moment_count"]
    rows = [("response gap", 0.0, 0.1, "seen to its end", 2), ("time to yield", 0.2, 0.4, "seen to its end", 1)]
    subtitle = CHARTS["timing_spread"](pl.DataFrame(rows, schema=names, orient="row")).to_dict()["title"]["subtitle"]
    assert subtitle.startswith("n: 2 response gaps (0 censored), 1 time to yield (0 censored)")
