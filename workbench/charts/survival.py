"""Survival curves with their bands, and how many were still awaited at each time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import theme
from workbench.charts.drawn import Drawn, nothing
from workbench.charts.timing_moments import by_status
from workbench.plural import plural
from workbench.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

MOST_GROUPS = 6
CURVES, APART, ROW = 230, 44, 18
"""Heights in pixels: of the curves, of their axis of time below them, of a row of numbers at risk."""

MOST_STEPS = 400
"""Steps of a curve that are drawn: finer ones than a 400th of the whole cannot be seen."""

_CURVES = "group time_s survival low high"
_SUMMARIES = "group call_count moment_count censored_count"
_RISK = "group time_s at_risk"
_TIMES = "group duration_s observed"


def chart(
    curves: pl.DataFrame,
    summaries: pl.DataFrame,
    at_risk: pl.DataFrame,
    *,
    times: pl.DataFrame,
    title: str = "Time to yield",
    awaited: str = "no yield yet",
    since: str = "the onset",
    not_judged: Mapping[str, int] | None = None,
) -> Drawn:
    """Draw a step curve with its 95 % band per group, and the numbers at risk below.

    A dot stands where an end was seen, a stroke where observation ended before it.

    Parameters
    ----------
    curves, summaries, at_risk, times : polars.DataFrame
        From :mod:`workbench.analysis.timing_survival`. The groups with the most moments are drawn, at most six.
    title : str
        Title of the chart.
    awaited : str
        What has not happened yet, for the axis.
    since : str
        What times count from, for the axis.
    not_judged : mapping of str to int, optional
        Labelled moments that are not among them, by status; the subtitle says so.

    Returns
    -------
    Drawn
        A sentence in place of axes when no moment awaits it.

    Raises
    ------
    UsageError
        When a column is missing.
    """
    import polars as pl

    if set(_CURVES.split()) <= set(curves.columns):
        curves = _thinned(curves)
    for frame, columns in ((curves, _CURVES), (summaries, _SUMMARIES), (at_risk, _RISK), (times, _TIMES)):
        theme.require(frame, columns, chart="survival")
    if summaries.is_empty():
        return nothing("no scored moment awaits it", title=title)
    order = summaries.sort("moment_count", "group", descending=[True, False])
    shown = sorted(order.head(MOST_GROUPS)["group"].to_list())
    kept = pl.col("group").is_in(shown)
    left_out = len(order) - len(shown)
    names = pl.col("group").map_elements(visible, return_dtype=pl.String)
    last = max(float(time) for time in [*curves["time_s"], *at_risk["time_s"]])
    data = {
        "curves": curves.filter(kept).select(names, "time_s", "survival", "low", "high", "seen"),
        "risk": at_risk.filter(kept).select(names, "time_s", "at_risk"),
        "ended": _ended(times.filter(kept), curves, last=last).select(names, "time_s", "survival", "moment_count"),
    }
    ticks = at_risk["time_s"].unique().sort().to_list()
    spec = _spec([visible(name) for name in shown], ticks=ticks, last=last, awaited=awaited, since=since)
    whole = order.sum()
    censored = int(whole["censored_count"].item())
    subtitle = (
        f"n: {plural(int(whole['moment_count'].item()), 'moment')}, {censored:,} of them censored (stroke); "
        f"band: 95 % at each time; left out: {by_status(not_judged)}"
        + (f", {plural(left_out, 'group')} with fewer moments" if left_out else "")
    )
    return Drawn(spec, data, title=title, subtitle=subtitle)


def _thinned(curves: pl.DataFrame) -> pl.DataFrame:
    """Leave out steps too small to be seen, but first and last of each group; `seen` says an end was seen there."""
    import polars as pl

    level = (pl.col("survival") * MOST_STEPS).ceil()
    before = pl.col("survival").shift(1).over("group").fill_null(1.0)
    ordered = curves.sort("group", "time_s").with_columns(seen=pl.col("survival") < before)
    new = level.ne_missing(level.shift(1).over("group")) | pl.col("time_s").eq(pl.col("time_s").max().over("group"))
    return ordered.filter(new)


def _ended(times: pl.DataFrame, curves: pl.DataFrame, *, last: float) -> pl.DataFrame:
    """Where observation ended before the event, and how high the curve lies there; one row for what falls together."""
    import polars as pl

    step = max(last, 1e-9) / MOST_STEPS
    own = times.filter(~pl.col("observed")).with_columns(place=(pl.col("duration_s") / step).round())
    counted = own.group_by("group", "place").agg(time_s=pl.col("duration_s").max(), moment_count=pl.len())
    levels = curves.select("group", "time_s", "survival").sort("time_s")
    return (
        counted.sort("time_s")
        .join_asof(levels, on="time_s", by="group", check_sortedness=False)
        .sort("group", "time_s")
    )


def _spec(groups: list[str], *, ticks: list[float], last: float, awaited: str, since: str) -> dict[str, Any]:
    colour = {
        "field": "group",
        "type": "nominal",
        "scale": {"domain": groups, "range": theme.PARTS[: len(groups)]},
        "legend": {"title": None, "columns": theme.columns(groups, width=400)} if len(groups) > 1 else None,
    }
    across = {"type": "quantitative", "scale": {"domain": [0, last], "nice": False, "padding": 6}}
    up = {"type": "quantitative", "scale": {"domain": [0, 1], "range": [CURVES, 0]}}
    below = APART + ROW * len(groups)
    axis = {"grid": False, "offset": -below, "values": ticks}
    x = {"field": "time_s", **across, "title": f"time from {since} (s)", "axis": axis}
    grid = {
        "data": {"name": "risk"},
        "mark": {"type": "rule", "color": theme.GRID},
        "encoding": {"y": {"datum": 0, **up, "title": None}, "y2": {"datum": 1}},
    }
    band = {
        "mark": {"type": "area", "interpolate": "step-after", "opacity": 0.16},
        "encoding": {"y": {"field": "low", **up, "title": None}, "y2": {"field": "high"}, "color": colour},
    }
    line = {
        "mark": {"type": "line", "interpolate": "step-after", "strokeWidth": 2},
        "encoding": {
            "y": {
                "field": "survival",
                **up,
                "axis": {"format": "%", "tickCount": 5, "grid": True},
                "title": f"{awaited} (% of moments)",
            },
            "color": colour,
        },
    }
    dots = {
        "transform": [{"filter": "datum.seen"}],
        "mark": {"type": "point", "filled": True, "size": 26, "opacity": 1},
        "encoding": {
            "y": {"field": "survival", **up},
            "color": colour,
            "tooltip": [
                {"field": "group", "type": "nominal"},
                {"field": "time_s", "type": "quantitative", "format": ".2f"},
                *({"field": name, "type": "quantitative", "format": ".0%"} for name in ("survival", "low", "high")),
            ],
        },
    }
    strokes = {
        "data": {"name": "ended"},
        "mark": {"type": "point", "shape": "stroke", "angle": 90, "size": 110, "strokeWidth": 1.5, "opacity": 1},
        "encoding": {
            "y": {"field": "survival", **up},
            "color": colour,
            "tooltip": [
                {"field": "group", "type": "nominal"},
                {"field": "time_s", "type": "quantitative", "format": ".2f"},
                {"field": "moment_count", "type": "quantitative", "title": "observation ended, moments"},
            ],
        },
    }
    risk = {
        "data": {"name": "risk"},
        "mark": {"type": "text", "fontSize": 11},
        "encoding": {
            "y": {
                "field": "group",
                "type": "nominal",
                "sort": groups,
                "title": "at risk",
                "scale": {"range": [CURVES + APART, CURVES + below]},
                "axis": {"orient": "left", "ticks": False, "domain": False, "labelPadding": 14},
            },
            "text": {"field": "at_risk", "type": "quantitative", "format": ",d"},
            "color": colour,
        },
    }
    curves = {"data": {"name": "curves"}, "layer": [grid, band, line, dots, strokes]}
    spec = {"encoding": {"x": x}, "layer": [curves, risk], "resolve": {"scale": {"y": "independent"}}}
    return {**spec, "height": CURVES + below, **theme.fills()}
