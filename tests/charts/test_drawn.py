"""A specification written as a mapping is one that altair accepts, and shows itself without a network."""

from __future__ import annotations

import json
from typing import Any

import altair as alt
import polars as pl
import pytest
from jsonschema import ValidationError

from workbench.charts import theme
from workbench.charts.drawn import MIME, SCHEMA, Drawn, nothing


def bars(**more: Any) -> Drawn:
    x = {"field": "n", "type": "quantitative", **more}
    spec = {"data": {"name": "a"}, "mark": {"type": "bar"}, "encoding": {"x": x}}
    return Drawn(spec, {"a": pl.DataFrame({"n": [1, 2]})}, title="Calls", subtitle="n: 2 calls; nothing left out")


def test_altair_takes_it_and_draws_the_same() -> None:
    chart = bars()
    assert theme.svg(chart.to_altair()) == theme.svg(chart)


def test_altair_refuses_what_is_no_chart() -> None:
    with pytest.raises(ValidationError, match="typo"):
        bars(typo=1).to_altair()


def test_it_is_written_for_the_vega_lite_of_altair() -> None:
    assert alt.SCHEMA_URL == SCHEMA
    assert f"application/vnd.vegalite.v{alt.VEGALITE_VERSION.lstrip('v')[0]}+json" == MIME


def test_a_page_shows_it_as_svg_and_without_a_menu() -> None:
    kind, text = nothing("no call", title="Calls")._mime_()
    shown: dict[str, Any] = json.loads(text)
    assert kind == MIME
    assert shown["usermeta"]["embedOptions"] == {"renderer": "svg", "actions": False}
    assert shown["datasets"] == {"reason": [{"reason": "no call"}]}
