"""The look that every chart shares, and a chart as SVG."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

from workbench.errors import MissingExtra, UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from workbench.charts.drawn import Drawn


MOST_ROWS = 5000
"""A chart never draws more rows: gather them in SQL first."""

WIDTH = 680
"""Width of a whole chart, its axes included, in pixels: a notebook's column in a window of 900 pixels is hardly wider.

A chart that can be as wide as its column is (see :func:`fills`) has it where there is no column, as in a file.
"""

LINE = 112
"""Characters of a subtitle that stand in one line of that width, in the widest of the fonts."""

INK, PALE, GRID = "#1f2933", "#6b7785", "#e6e9ed"
ROLES = {"caller": "#0b6e99", "agent": "#c2571a", "mixed": "#6b7785", "unknown": "#a3acb6"}
SEVERITIES = {"high": "#b3261e", "medium": "#d98c00", "low": "#7a8b99"}
DIMENSIONS = {
    "outcome": "#3b5bdb",
    "policy": "#862e9c",
    "conversation": "#c2571a",
    "speech": "#0b6e99",
    "reliability": "#5c677d",
}
KNOWN_PARTS = {
    "eligible for scan": "#2f7d5b",
    "scan with caution": "#d98c00",
    "NOT SCORABLE": "#b3261e",
    "not measured": "#c3cad2",
    "no audio": "#8c97a3",
    "none": "#c3cad2",
    "not supplied": "#c3cad2",
}
"""Values that have a meaning keep their colour whatever else is drawn."""

PARTS = ["#0b6e99", "#c2571a", "#7b9e3b", "#8a5a9e", "#d98c00", "#4d5a66", "#39a0a6", "#b3261e", "#9aa5b1"]

TITLE: dict[str, Any] = {"anchor": "start", "frame": "bounds", "offset": 10}
CONFIG: dict[str, Any] = {
    "font": "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', Arial, sans-serif",
    "background": "#ffffff",
    "title": {"fontSize": 14, "color": INK, "subtitleColor": PALE, "subtitleFontSize": 11.5, "subtitlePadding": 4},
    "axis": {
        "labelColor": INK,
        "titleColor": PALE,
        "titleFontWeight": "normal",
        "gridColor": GRID,
        "domainColor": "#c3cad2",
        "tickColor": "#c3cad2",
        "labelFontSize": 11,
        "titleFontSize": 11,
        "labelLimit": 260,
        "labelSeparation": 8,
    },
    "legend": {
        "labelColor": INK,
        "labelFontSize": 11,
        "labelLimit": 260,
        "titleColor": PALE,
        "titleFontSize": 11,
        "titleFontWeight": "normal",
        "orient": "top",
        "titleLimit": 300,
    },
    "view": {"continuousWidth": WIDTH, "continuousHeight": 300, "stroke": None},
}
"""The look of every chart, as Vega-Lite writes it."""

EMBED: dict[str, Any] = {"renderer": "svg", "actions": False}
"""How a page shows a chart: as SVG, without the menu that would open an editor on the network."""


def require(frame: pl.DataFrame, columns: str, *, chart: str) -> None:
    """Refuse a frame that lacks a column, or is too long to draw.

    Parameters
    ----------
    frame : polars.DataFrame
        What is to be drawn.
    columns : str
        Names with spaces between them.
    chart : str
        Name of the chart, for the message.

    Raises
    ------
    UsageError
        With the missing columns, or the number of rows.
    """
    missing = [name for name in columns.split() if name not in frame.columns]
    if missing:
        raise UsageError(f"the frame has no column {', '.join(missing)}", where=f"charts.{chart}")
    if len(frame) > MOST_ROWS:
        raise UsageError(
            f"{plural(len(frame), 'row')} are too many to draw, {MOST_ROWS:,} is the most",
            where=f"charts.{chart}",
            hint="gather them in SQL first",
        )


def fills(width: int = WIDTH) -> dict[str, Any]:
    """Return what a chart of one view takes to be as wide as its column, with its print at its size.

    Axes and words beside the plot keep their room, and the plot has the rest. `width` is that of the whole chart where
    there is no column.
    """
    return {"width": width, "autosize": {"type": "fit-x", "contains": "padding"}}


def through(x: dict[str, Any], axis: dict[str, Any]) -> dict[str, Any]:
    """Return a layer in which nothing is seen, first among lanes: its axis, with a grid, goes through all.

    Lanes are layers with a scale and a stretch of the height of their own, and a grid is as high as the first scale.
    """
    y = {"datum": 0, "type": "quantitative", "scale": {"domain": [0, 1]}, "axis": None}
    start = {"datum": x["scale"]["domain"][0], "axis": {**axis, "grid": True}}
    across = {**{key: value for key, value in x.items() if key != "field"}, **start}
    rule = {"type": "rule", "opacity": 0}
    return {"data": {"values": [{}]}, "mark": rule, "encoding": {"x": across, "y": y, "y2": {"datum": 1}}}


def lines(text: str, *, length: int = LINE) -> list[str]:
    """Return a text as lines of at most so many characters, broken after a semicolon or a dot where there is one."""
    found = []
    for part in text.split("\n"):
        line = ""
        for clause in re.split(r"(?<=[;·]) ", part):
            if line and len(line) + 1 + len(clause) > length:
                found.append(line)
                line = ""
            *whole, line = textwrap.wrap(f"{line} {clause}".strip(), length) or [""]
            found += whole
        found.append(line)
    return found


def columns(names: Sequence[str], *, width: int) -> int:
    """Return how many names of a legend stand beside each other in a width: at 11 px, each after its symbol."""
    rooms = [6.3 * len(name) + 28 for name in names]
    fitting = (n for n in range(len(rooms), 1, -1) if sum(max(rooms[ix::n]) for ix in range(n)) <= width)
    return next(fitting, 1)


def svg(chart: Drawn) -> str:
    """Return a chart as SVG text, made without a browser or a network.

    Raises
    ------
    MissingExtra
        When vl-convert is not installed.
    """
    try:
        import vl_convert
    except ImportError as error:
        raise MissingExtra("vl-convert-python", "charts") from error
    text: str = vl_convert.vegalite_to_svg(chart.to_dict())
    return text
