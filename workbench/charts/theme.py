"""The look that every chart shares, and a chart as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.errors import MissingExtra, UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    import polars as pl

    from workbench.charts.drawn import Drawn


MOST_ROWS = 5000
"""A chart never draws more rows: gather them in SQL first."""

WIDTH = 760
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

TITLE: dict[str, Any] = {"anchor": "start", "frame": "group", "offset": 10}
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
    "legend": {"labelColor": INK, "titleColor": PALE, "titleFontWeight": "normal", "orient": "top", "titleLimit": 300},
    "view": {"continuousWidth": 300, "continuousHeight": 300, "stroke": None},
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
