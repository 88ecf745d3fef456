"""A moment of a call: level and speech of each side around it, and the moment marked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import speech_bars, theme
from workbench.charts.drawn import Drawn, nothing
from workbench.plural import plural

if TYPE_CHECKING:
    import polars as pl

FLOOR_DBFS = -80.0
MARK = "#b3261e"
LANE, APART = 100, 8
"""Height of a lane, and of the white below it, in pixels."""


def chart(
    levels: pl.DataFrame,
    speech: pl.DataFrame,
    *,
    onset_s: float,
    start_s: float,
    end_s: float,
    title: str = "The moment",
    width: int = theme.WIDTH,
) -> Drawn:
    """Draw one lane a side, from `start_s` to `end_s`, with a line at the moment.

    Parameters
    ----------
    levels : polars.DataFrame
        `role`, `start_s`, `end_s`, `level_dbfs`, of the stretch.
    speech : polars.DataFrame
        Runs of speech: `role`, `start_s`, `end_s`, `faint`, cut to the stretch. Faint ones are drawn pale: they are
        stored, and not read as speech.
    onset_s : float
        The moment, in seconds from the start of the call.
    start_s, end_s : float
        The stretch.
    title : str
        Title of the chart.
    width : int
        Width of the whole chart in pixels, in a file; in a page it is that of its column.

    Returns
    -------
    Drawn
        A sentence in place of axes where nothing was measured.

    Raises
    ------
    UsageError
        When a column is missing or there are too many rows to draw.
    """
    import polars as pl

    theme.require(levels, "role start_s end_s level_dbfs", chart="moment_lanes")
    theme.require(speech, "role start_s end_s faint", chart="moment_lanes")
    roles = [role for role in theme.ROLES if role in {*levels["role"], *speech["role"]}]
    if not roles:
        return nothing("nothing is measured of this moment: run workbench measure", title=title)
    data: dict[str, pl.DataFrame] = {"moment": pl.DataFrame({"onset_s": [onset_s]})}
    for role in roles:
        own = pl.col("role") == role
        data[f"{role} level"] = levels.filter(own).select(
            "start_s", "end_s", pl.col("level_dbfs").clip(FLOOR_DBFS, 0.0)
        )
        data[f"{role} speech"] = speech.filter(own).select("start_s", "end_s", speech_bars.opacity())
    axis = {"title": "time from the start of the call (s)", "tickCount": 8}
    scale = {"domain": [start_s, end_s], "nice": False}
    x = {"field": "start_s", "type": "quantitative", "scale": scale}
    moment = {
        "data": {"name": "moment"},
        "mark": {"type": "rule", "color": MARK, "strokeWidth": 2},
        "encoding": {"x": {**x, "field": "onset_s"}},
    }
    lanes = [_lane(role, x, top=ix * (LANE + APART)) for ix, role in enumerate(roles)]
    spec = {
        "layer": [theme.through(x, axis), *lanes, moment],
        "resolve": {"scale": {"y": "independent"}},
        "height": len(roles) * (LANE + APART) - APART,
        **theme.fills(width),
    }
    pieces, runs = plural(len(levels), "piece"), plural(len(speech), "run")
    wide = "" if levels.is_empty() else f" of {1000 * float((levels['end_s'] - levels['start_s']).max()):.0f} ms"  # type: ignore[arg-type]
    subtitle = (
        f"n: {pieces}{wide}, {runs} of speech; red: the moment at {onset_s:.2f} s; nothing left out\n"
        f"{speech_bars.said(speech['faint'])}"
    )
    return Drawn(spec, data, title=title, subtitle=subtitle)


def _lane(role: str, x: dict[str, Any], *, top: int) -> dict[str, Any]:
    """Level as an area, speech as bars along the top; `top` is where the lane begins, in pixels."""
    colour = theme.ROLES[role]
    scale = {"domain": [FLOOR_DBFS, 12], "nice": False, "range": [top + LANE, top]}
    axis = {"title": f"{role} (dBFS)", "values": [-80, -60, -40, -20, 0], "titleColor": colour}
    y = {"type": "quantitative", "scale": scale, "axis": {**axis, "orient": "left", "grid": True}}
    tips = [
        {"field": name, "type": "quantitative", "format": form}
        for name, form in (("start_s", ".2f"), ("level_dbfs", ".1f"))
    ]
    level = {
        "data": {"name": f"{role} level"},
        "mark": {"type": "bar", "color": colour, "opacity": 0.35, "clip": True, "stroke": None},
        "encoding": {
            "x": x,
            "x2": {"field": "end_s"},
            "y": {"field": "level_dbfs", **y},
            "y2": {"datum": FLOOR_DBFS},
            "tooltip": tips,
        },
    }
    shade = {"field": "opacity", "type": "quantitative", "scale": None, "legend": None}
    bars = {
        "data": {"name": f"{role} speech"},
        "mark": {"type": "rect", "color": colour, "clip": True},
        "encoding": {"x": x, "x2": {"field": "end_s"}, "y": {"datum": 4, **y}, "y2": {"datum": 10}, "opacity": shade},
    }
    return {"layer": [level, bars]}
