"""Reported latency beside the one that is heard, and their difference with the line fitted to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import theme
from workbench.charts.drawn import Drawn, nothing
from workbench.plural import plural

if TYPE_CHECKING:
    import polars as pl

REPORTED, HEARD, FAULT = "#3b5bdb", theme.ROLES["agent"], "#b3261e"
LONGEST_MS = 60_000.0
UPPER, LOWER, APART = 170, 120, 24
"""Heights of latencies, of differences and of the white between them, in pixels."""
_TIMES = ("answer_start_s", "reported_s", "gap_s", "difference_s")


def chart(
    turns: pl.DataFrame,
    *,
    offset_ms: float | None = None,
    drift_ms_per_min: float | None = None,
    title: str = "Two clocks",
    width: int = theme.WIDTH,
) -> Drawn:
    """Draw each answer's reported and heard latency, and below it how far they differ.

    Parameters
    ----------
    turns : polars.DataFrame
        A row a report: `turn_ix`, `answer_start_s`, `reported_ms`, `gap_ms`, `difference_ms`, `fault` (null: none).
    offset_ms, drift_ms_per_min : float, optional
        The fitted line; without them none is drawn.
    title : str
        Title of the chart.
    width : int
        Width of the whole chart in pixels, in a file; in a page it is that of its column.

    Returns
    -------
    Drawn
        Reports without a gap or over a minute have no place on the axes; the subtitle counts them by reason. One
        below 0 is drawn below 0. A sentence in place of axes where none has a place.

    Raises
    ------
    UsageError
        When a column is missing, or there are too many rows to draw.
    """
    import polars as pl

    theme.require(turns, "turn_ix answer_start_s reported_ms gap_ms difference_ms fault", chart="two_clocks")
    alone = pl.col("difference_ms").is_null()
    drawn = turns.filter(~alone & (pl.col("reported_ms") <= LONGEST_MS)).with_columns(
        reported_s=pl.col("reported_ms") / 1000,
        gap_s=pl.col("gap_ms") / 1000,
        difference_s=pl.col("difference_ms") / 1000,
        report=pl.when(pl.col("fault").is_null()).then(pl.lit("reported")).otherwise(pl.lit("impossible")),
    )
    if drawn.is_empty():
        return nothing("no report has an answer in the sound beside it", title=title)
    counts = {
        "without an answer in the sound beside it": turns.filter(alone).height,
        "over a minute": turns.filter(~alone).height - drawn.height,
    }
    left_out = ", ".join(f"{count:,} {why}" for why, count in counts.items() if count)
    subtitle = f"n: {plural(len(drawn), 'report')}; " + (f"left out: {left_out}" if left_out else "none left out")
    last = float(drawn["answer_start_s"].max()) * 1.03  # type: ignore[arg-type]
    data = {"reports": drawn.select("turn_ix", *_TIMES, "reported_ms", "gap_ms", "fault", "report")}
    lines = []
    if offset_ms is not None and drift_ms_per_min is not None:
        ends = [offset_ms / 1000, (offset_ms + drift_ms_per_min * last / 60) / 1000]
        data["line"] = pl.DataFrame({"answer_start_s": [0.0, last], "difference_s": ends})
        lines.append("line")
        subtitle += f"; line: {offset_ms:+,.0f} ms, {drift_ms_per_min:+,.0f} ms a minute"
    return Drawn(_spec(last, lines, width=width), data, title=title, subtitle=subtitle)


def _spec(last_s: float, lines: list[str], *, width: int) -> dict[str, Any]:
    """Return latencies above and differences below, on one axis; `lines` are the data a line is drawn through."""
    x = {
        "field": "answer_start_s",
        "type": "quantitative",
        "scale": {"domain": [0, max(last_s, 1.0)], "nice": False},
    }
    tones = {"reported": REPORTED, "impossible": FAULT, "heard": HEARD}
    tone = {
        "field": "report",
        "type": "nominal",
        "scale": {"domain": list(tones), "range": list(tones.values())},
        "legend": {"title": None, "orient": "top"},
    }
    tips = [
        {"field": "turn_ix", "type": "quantitative"},
        *({"field": name, "type": "quantitative", "format": ",.0f"} for name in ("reported_ms", "gap_ms")),
        {"field": "fault", "type": "nominal"},
    ]

    def dots(y: dict[str, Any], *, heard: bool = False) -> dict[str, Any]:
        mark = {"type": "point", "filled": True, "size": 60, "opacity": 1, **({"shape": "diamond"} if heard else {})}
        encoding = {"x": x, "y": y, "color": tone, "tooltip": tips}
        layer: dict[str, Any] = {"data": {"name": "reports"}, "mark": mark, "encoding": encoding}
        return {**layer, "transform": [{"calculate": "'heard'", "as": "report"}]} if heard else layer

    height = UPPER + APART + LOWER
    gap, reported = (_seconds(f"{name}_s", "latency (s)", top=0, bottom=UPPER) for name in ("gap", "reported"))
    difference = _seconds("difference_s", "reported - heard (s)", top=height - LOWER, bottom=height)
    between = {
        "data": {"name": "reports"},
        "mark": {"type": "rule", "color": theme.PALE, "opacity": 0.6},
        "encoding": {"x": x, "y": gap, "y2": {"field": "reported_s"}},
    }
    fitted = [
        {
            "data": {"name": name},
            "mark": {"type": "line", "color": theme.INK, "strokeWidth": 1.5},
            "encoding": {"x": x, "y": difference},
        }
        for name in lines
    ]
    latencies = {"layer": [between, dots(gap, heard=True), dots(reported)]}
    differences = {"layer": [dots(difference), *fitted]}
    layers = [theme.through(x, {"title": "time from the start of the call (s)"}), latencies, differences]
    return {"layer": layers, "resolve": {"scale": {"y": "independent"}}, "height": height, **theme.fills(width)}


def _seconds(field: str, title: str, *, top: int, bottom: int) -> dict[str, Any]:
    scale, axis = {"range": [bottom, top], "nice": True}, {"orient": "left", "grid": True, "tickCount": 5}
    return {"field": field, "type": "quantitative", "title": title, "scale": scale, "axis": axis}
