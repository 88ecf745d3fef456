"""A chart is as wide as its column, or narrow enough for a small window; its words are broken into lines that fit."""

from __future__ import annotations

import json
import re

import pytest

from tests.charts.examples import CHARTS, EXAMPLES
from workbench.charts import theme

FILLING = {"call_lanes", "mel", "moment_lanes", "rates", "survival", "timing_moments", "two_clocks"}


@pytest.mark.parametrize("name", sorted(CHARTS))
def test_a_page_gives_a_chart_its_width_or_has_room_for_it(name: str) -> None:
    chart = EXAMPLES[name]()
    shown = json.loads(chart._mime_()[1])
    whole = float(re.search(r'width="([\d.]+)"', theme.svg(chart)).group(1))  # type: ignore[union-attr]
    if name in FILLING:
        assert (shown["width"], shown["autosize"]["type"]) == ("container", "fit-x")
        assert whole == chart.to_dict()["width"] == theme.WIDTH
    else:
        assert whole <= theme.WIDTH
        assert shown.get("width") == chart.to_dict().get("width")
    assert shown["datasets"] == chart.to_dict()["datasets"]


def test_a_line_ends_after_a_clause_where_it_can_and_no_word_is_lost() -> None:
    assert theme.lines("n: 4 calls; left out: nothing", length=40) == ["n: 4 calls; left out: nothing"]
    assert theme.lines("n: 4 calls; left out: nothing", length=20) == ["n: 4 calls;", "left out: nothing"]
    assert theme.lines("agent a · p50 0.55 s · n = 2", length=22) == ["agent a · p50 0.55 s ·", "n = 2"]
    assert theme.lines("one clause that is long; two", length=14) == ["one clause", "that is long;", "two"]
    assert theme.lines("one\ntwo; three") == ["one", "two; three"]


def test_a_legend_has_as_many_columns_as_there_is_room_for() -> None:
    """At 11 px a letter is 6.3 px wide on average in the widest of the fonts, a symbol with the white around it 28."""
    assert theme.columns(["holds", "withheld"], width=138) == 2  # 59.5 and 78.4
    assert theme.columns(["holds", "withheld"], width=137) == 1
    assert theme.columns(["a" * 40, "b", "c", "d"], width=340) == 2  # the first column has the long one: 280 and 34.3
    assert theme.columns([], width=400) == 1
