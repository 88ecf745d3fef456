"""A finished Vega-Lite specification that shows itself, written as a mapping and not put together by altair.

Altair checks every object and the whole against its schema, for tenths of a second a chart. A specification that
is the same but for its data needs that once, in the tests.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.charts import theme

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.4.1.json"
"""Which Vega-Lite the specifications are written for: that of altair 6; nothing is fetched from there."""

MIME = "application/vnd.vegalite.v6+json"


class Drawn:
    """A chart as notebooks, altair and files take it.

    Parameters
    ----------
    spec : mapping
        Vega-Lite: what is drawn, without title, look and data.
    data : mapping of str to polars.DataFrame
        Frames by the name under which `spec` reads them; numbers, texts and booleans only.
    title, subtitle : str
        What it shows; number of observations and what was left out, broken into lines where it is long.

    A specification with :func:`workbench.charts.theme.fills` is as wide as its column in marimo.
    """

    def __init__(self, spec: Mapping[str, Any], data: Mapping[str, pl.DataFrame], *, title: str, subtitle: str) -> None:
        told = theme.lines(subtitle)
        self._spec = {
            "$schema": SCHEMA,
            "config": theme.CONFIG,
            **spec,
            "datasets": {name: frame.to_dicts() for name, frame in data.items()},
            "title": {**theme.TITLE, "text": title, "subtitle": told if len(told) > 1 else told[0]},
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the whole specification, data included."""
        return self._spec

    def to_altair(self) -> alt.TopLevelMixin:
        """Return an altair chart, checked against altair's schema, to change or to save."""
        import altair as alt

        chart: alt.TopLevelMixin = alt.Chart.from_dict(self._spec)
        return chart

    def _mime_(self) -> tuple[str, str]:
        """Show the chart in marimo, as SVG and without the menu that would open an editor on the network."""
        shown = {**self._spec, "usermeta": {"embedOptions": theme.EMBED}}
        if "autosize" in shown:
            shown["width"] = "container"
        return MIME, json.dumps(shown, separators=(",", ":"))

    def _repr_mimebundle_(self, **_options: Any) -> dict[str, Any]:
        """Show the chart in Jupyter."""
        return {MIME: self._spec}


def nothing(reason: str, *, title: str) -> Drawn:
    """Return a chart that says why there is nothing to draw, in place of empty axes."""
    import polars as pl

    spec = {
        "data": {"name": "reason"},
        "mark": {"type": "text", "color": theme.PALE, "fontSize": 13, "align": "left", "x": 0},
        "encoding": {"text": {"field": "reason", "type": "nominal"}},
        "width": theme.WIDTH,
        "height": 30,
    }
    return Drawn(spec, {"reason": pl.DataFrame({"reason": [reason]})}, title=title, subtitle="n = 0")
