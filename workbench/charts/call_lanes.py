"""One call on one time axis: level and speech of both sides, turns, tool calls, findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import speech_bars, theme
from workbench.charts.drawn import Drawn, nothing
from workbench.plural import plural

if TYPE_CHECKING:
    import polars as pl

FLOOR_DBFS = -90.0
HIGHEST_DBFS = 12.0
LANE, SILENT, ROW, APART = 95, 26, 22, 6
"""Heights in pixels: of a lane with levels and one without, of a row of events, of the white between them."""

_ROWS = ("turn", "tool call", "finding")
_TONES = {**theme.ROLES, **theme.SEVERITIES, "tool": "#5f3dc4", "tool error": "#b3261e"}


def chart(
    levels: pl.DataFrame,
    speech: pl.DataFrame,
    marks: pl.DataFrame,
    *,
    duration_s: float,
    stretch: tuple[float, float] | None = None,
    width: int = theme.WIDTH,
    title: str = "The call",
) -> Drawn:
    """Draw a lane of level and speech a side, and below them what happened when.

    Parameters
    ----------
    levels : polars.DataFrame
        Rows of the query `call_levels`: `role`, `start_s`, `end_s`, `level_dbfs`. Empty without audio.
    speech : polars.DataFrame
        Runs of speech: `role`, `start_s`, `end_s`, `faint`; faint ones are drawn pale.
    marks : polars.DataFrame
        `kind` (turn, tool call or finding), `start_s`, `end_s` (null for a moment), `tone` (role or
        severity), `label`. Marks without a start cannot be drawn and are counted in the subtitle.
    duration_s : float
        Length of the time axis in seconds, above 0.
    stretch : (float, float), optional
        A stretch to shade: what is being played.
    width : int
        Width of the whole chart in pixels, in a file; in a page it is that of its column.
    title : str
        Title of the chart.

    Returns
    -------
    Drawn
        Lanes are drawn for the roles that occur in `levels` or `speech`.

    Raises
    ------
    UsageError
        When a column is missing or a frame has more than 5,000 rows.
    """
    import polars as pl

    theme.require(levels, "role start_s end_s level_dbfs", chart="call_lanes")
    theme.require(speech, "role start_s end_s faint", chart="call_lanes")
    theme.require(marks, "kind start_s end_s tone label", chart="call_lanes")
    timed = marks.filter(pl.col("start_s").is_not_null())
    roles = [role for role in theme.ROLES if role in {*levels["role"], *speech["role"]}]
    if not roles and timed.is_empty():
        return nothing("nothing in this call has a time", title=title)
    last_s = max(duration_s, 0.1)
    data = {"stretch": pl.DataFrame({"from_s": [stretch[0]], "to_s": [stretch[1]]} if stretch else {})}
    scale = {"domain": [0, last_s], "nice": False}
    x, top = {"field": "start_s", "type": "quantitative", "scale": scale}, 0
    layers = [theme.through(x, {"title": "time from the start of the call (s)"}), _shade(x)]
    for role in roles:
        of_role = pl.col("role") == role
        own, runs = levels.filter(of_role), speech.filter(of_role)
        data |= {f"{role} level": _levels(own), f"{role} speech": _bars(runs, least_s=last_s / width)}
        layers.append(_silent_lane(role, x, top) if own.is_empty() else _lane(role, x, top))
        top += (SILENT if own.is_empty() else LANE) + APART
    if not timed.is_empty():
        data |= _split(timed)
        rows = [kind for kind in _ROWS if kind in set(timed["kind"])]
        layers.append(_marks(rows, set(timed["tone"]), x, top=top))
        top += ROW * len(rows) + APART
    counts = ", ".join(plural(int((timed["kind"] == kind).sum()), kind) for kind in _ROWS)
    left_out = len(marks) - len(timed)
    left = f"left out: {left_out} without a time" if left_out else "nothing left out"
    subtitle = f"n: {plural(len(speech), 'run')} of speech, {counts}; {left}\n{speech_bars.said(speech['faint'])}"
    spec = {"layer": layers, "resolve": {"scale": {"y": "independent"}}, "height": top - APART}
    spec |= theme.fills(width)
    return Drawn(spec, data, title=title, subtitle=subtitle)


def _levels(levels: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    return levels.sort("start_s").select(
        "start_s", pl.col("level_dbfs").clip(FLOOR_DBFS, 0.0), floor_dbfs=pl.lit(FLOOR_DBFS)
    )


def _bars(speech: pl.DataFrame, *, least_s: float) -> pl.DataFrame:
    """Runs of speech, none drawn shorter than `least_s`: about a pixel."""
    import polars as pl

    drawn_end_s = pl.max_horizontal(pl.col("end_s"), pl.col("start_s") + least_s)
    return speech.select("role", "start_s", "end_s", drawn_end_s=drawn_end_s, opacity=speech_bars.opacity())


def _split(marks: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Marks that last, and those of a moment."""
    import polars as pl

    lasts = (pl.col("end_s") > pl.col("start_s")).fill_null(value=False)
    return {"marks": marks.filter(lasts), "moments": marks.filter(~lasts)}


def _shade(x: dict[str, Any]) -> dict[str, Any]:
    return {
        "data": {"name": "stretch"},
        "mark": {"type": "rect", "color": "#f2c94c", "opacity": 0.35},
        "encoding": {
            "x": {**x, "field": "from_s"},
            "x2": {"field": "to_s"},
        },
    }


def _seconds(*names: str) -> list[dict[str, Any]]:
    return [{"field": name, "type": "quantitative", "format": ".2f"} for name in names]


def _lane(role: str, x: dict[str, Any], top: int) -> dict[str, Any]:
    """Level as an area from the floor up, speech as bars along the top; `top` is where the lane begins, in pixels."""
    colour = theme.ROLES[role]
    axis = {
        "title": f"{role} (dBFS)",
        "values": [-90, -60, -30, 0],
        "labelOverlap": False,
        "labelBound": False,
        "titleColor": colour,
        "orient": "left",
        "grid": True,
    }
    scale = {"domain": [FLOOR_DBFS, HIGHEST_DBFS], "nice": False, "range": [top + LANE, top]}
    y = {"type": "quantitative", "scale": scale, "axis": axis}
    area = {
        "data": {"name": f"{role} level"},
        "mark": {"type": "area", "color": colour, "opacity": 0.35, "interpolate": "step-after", "line": False},
        "encoding": {"x": x, "y": {"field": "level_dbfs", **y}, "y2": {"field": "floor_dbfs"}},
    }
    bars = _speech(role, x, {"type": "rect", "color": colour})
    bars["encoding"] |= {"y": {"datum": HIGHEST_DBFS - 9, **y}, "y2": {"datum": HIGHEST_DBFS - 2}}
    return {"layer": [area, bars]}


def _silent_lane(role: str, x: dict[str, Any], top: int) -> dict[str, Any]:
    """Speech alone, where no level is known."""
    colour = theme.ROLES[role]
    bars = _speech(role, x, {"type": "bar", "color": colour, "height": 14})
    axis = {"title": None, "labelColor": colour, "orient": "left"}
    bars["encoding"]["y"] = {"field": "role", "type": "nominal", "axis": axis, "scale": {"range": [top, top + SILENT]}}
    return bars


def _speech(role: str, x: dict[str, Any], mark: dict[str, Any]) -> dict[str, Any]:
    tips = [{"field": "role", "type": "nominal"}, *_seconds("start_s", "end_s")]
    shade = {"field": "opacity", "type": "quantitative", "scale": None, "legend": None}
    encoding: dict[str, Any] = {"x": x, "x2": {"field": "drawn_end_s"}, "opacity": shade, "tooltip": tips}
    return {"data": {"name": f"{role} speech"}, "mark": mark, "encoding": encoding}


def _marks(rows: list[str], tones: set[str], x: dict[str, Any], *, top: int) -> dict[str, Any]:
    """Turns as bars in their lane's colour, tool calls and findings as bars or diamonds."""
    legend = {
        "title": None,
        "values": [tone for tone in _TONES if tone in tones],
        "orient": "bottom",
        "symbolType": "square",
    }
    encoding = {
        "x": x,
        "y": {
            "field": "kind",
            "type": "nominal",
            "sort": rows,
            "title": "events",
            "axis": {"orient": "left"},
            "scale": {"domain": rows, "range": [top, top + ROW * len(rows)]},
        },
        "color": {
            "field": "tone",
            "type": "nominal",
            "scale": {"domain": list(_TONES), "range": list(_TONES.values())},
            "legend": legend,
        },
        "tooltip": [
            *({"field": name, "type": "nominal"} for name in ("kind", "tone", "label")),
            *_seconds("start_s", "end_s"),
        ],
    }
    bar = {"type": "bar", "height": 12, "opacity": 0.85, "stroke": "#ffffff", "strokeWidth": 0.5}
    diamond = {"type": "point", "shape": "diamond", "size": 80, "filled": True, "opacity": 1}
    bars = {"data": {"name": "marks"}, "mark": bar, "encoding": {**encoding, "x2": {"field": "end_s"}}}
    moments = {"data": {"name": "moments"}, "mark": diamond, "encoding": encoding}
    return {"layer": [bars, moments]}
