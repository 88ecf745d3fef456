"""Verdicts while the sound gets worse, as they are drawn."""

from __future__ import annotations

import polars as pl

from workbench.analysis.robustness_shares import shares
from workbench.charts import charts, theme

CHART = charts()["robustness"]
COUNTED = [("gain", 0, -3.0, 3, 1, 0), ("gain", 1, -6.0, 0, 4, 0), ("clipping", 0, 3.0, 2, 1, 1)]


def rows() -> pl.DataFrame:
    names = ["perturbation", "level_ix", "level", "holds_count", "withheld_count", "other_count"]
    counted = pl.DataFrame(COUNTED, schema=names, orient="row").with_columns(
        unit=pl.lit("dB"),
        moment_count=pl.lit(4),
        call_count=pl.lit(4),
        holds_share=pl.col("holds_count") / 4,
        holds_low=pl.when(pl.col("holds_count") > 0).then(0.1),
        holds_high=pl.when(pl.col("holds_count") > 0).then(0.9),
        interval_unit=pl.lit("call"),
    )
    return counted.select(shares([]).columns)


def test_each_level_is_a_whole_and_levels_go_from_harmless_to_harmful() -> None:
    spec = CHART(rows(), left_out=2).to_dict()
    assert [len(row["hconcat"]) for row in spec["vconcat"]] == [2]
    gain = spec["vconcat"][0]["hconcat"][0]["layer"][0]["encoding"]["x"]
    assert (gain["title"], gain["scale"]["domain"]) == ("gain (dB)", ["-3", "-6"])
    bars = {(bar["at"], bar["what"]): bar for bar in spec["datasets"]["gain"]}
    assert {at: sum(bar["share"] for (where, _), bar in bars.items() if where == at) for at in ("-3", "-6")} == {
        "-3": 1.0,
        "-6": 1.0,
    }
    assert (bars["-6", "withheld"]["moment_count"], bars["-3", "other verdict"]["moment_count"]) == (4, 0)
    assert "n: 4 moments with a verdict" in spec["title"]["subtitle"][0]
    assert "left out: 2 calls" in spec["title"]["subtitle"][1]
    drawn = theme.svg(CHART(rows()))
    assert drawn.count("share of verdicts (%)") >= 2
    assert drawn.count('aria-roledescription="rule mark"') == 2  # the level without an interval has no stroke


def test_without_a_moment_it_says_so() -> None:
    assert CHART(shares([])).to_dict()["title"]["subtitle"] == "n = 0"
