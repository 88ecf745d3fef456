"""One call on one time axis: level and speech of both sides, turns, tool calls, findings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import theme
from workbench.charts.drawn import nothing
from workbench.plural import plural

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

FLOOR_DBFS = -90.0
_ROWS = ("turn", "tool call", "finding")


def chart(
    levels: pl.DataFrame,
    speech: pl.DataFrame,
    marks: pl.DataFrame,
    *,
    duration_s: float,
    stretch: tuple[float, float] | None = None,
    width: int = theme.WIDTH,
    title: str = "The call",
) -> Any:
    """Draw a lane of level and speech a side, and below them what happened when.

    Parameters
    ----------
    levels : polars.DataFrame
        Rows of the query `call_levels`: `role`, `start_s`, `end_s`, `level_dbfs`. Empty without audio.
    speech : polars.DataFrame
        Runs of speech: `role`, `start_s`, `end_s`.
    marks : polars.DataFrame
        `kind` (turn, tool call or finding), `start_s`, `end_s` (null for a moment), `tone` (role or
        severity), `label`. Marks without a start cannot be drawn and are counted in the subtitle.
    duration_s : float
        Length of the time axis in seconds, above 0.
    stretch : (float, float), optional
        A stretch to shade: what is being played.
    width : int
        Width of the time axis in pixels.
    title : str
        Title of the chart.

    Returns
    -------
    altair chart
        Lanes are drawn for the roles that occur in `levels` or `speech`.

    Raises
    ------
    UsageError
        When a column is missing or a frame has more than 5,000 rows.
    """
    import altair as alt
    import polars as pl

    theme.require(levels, "role start_s end_s level_dbfs", chart="call_lanes")
    theme.require(speech, "role start_s end_s", chart="call_lanes")
    theme.require(marks, "kind start_s end_s tone label", chart="call_lanes")
    timed = marks.filter(pl.col("start_s").is_not_null())
    x_scale = alt.Scale(domain=[0, max(duration_s, 0.1)], nice=False)
    shade = pl.DataFrame({"from_s": [stretch[0]], "to_s": [stretch[1]]} if stretch else {"from_s": [], "to_s": []})
    roles = [role for role in theme.ROLES if role in {*levels["role"], *speech["role"]}]
    parts = [
        _lane(
            levels.filter(pl.col("role") == role),
            speech.filter(pl.col("role") == role),
            shade,
            role=role,
            width=width,
            scale=x_scale,
            last=ix == len(roles) - 1 and timed.is_empty(),
        )
        for ix, role in enumerate(roles)
    ]
    if not timed.is_empty():
        parts.append(_marks(timed, shade, x_scale, width=width))
    if not parts:
        return nothing("nothing in this call has a time", title=title)
    counts = ", ".join(plural(int((timed["kind"] == kind).sum()), kind) for kind in _ROWS)
    left_out = len(marks) - len(timed)
    subtitle = f"n: {plural(len(speech), 'run')} of speech, {counts}; " + (
        f"left out: {left_out} without a time" if left_out else "nothing left out"
    )
    return theme.dressed(alt.vconcat(*parts, spacing=4), title=title, subtitle=subtitle)


def _axis(*, last: bool) -> alt.Axis:
    import altair as alt

    if last:
        return alt.Axis(title="time from the start of the call (s)", grid=True)
    return alt.Axis(title=None, labels=False, ticks=False, grid=True)


def _shade(shade: pl.DataFrame, scale: alt.Scale) -> Any:
    import altair as alt

    return (
        alt.Chart(shade).mark_rect(color="#f2c94c", opacity=0.35).encode(x=alt.X("from_s:Q", scale=scale), x2="to_s:Q")
    )


def _lane(
    levels: pl.DataFrame,
    speech: pl.DataFrame,
    shade: pl.DataFrame,
    *,
    role: str,
    width: int,
    scale: alt.Scale,
    last: bool,
) -> Any:
    """Level as an area from the floor up, speech as bars along the top."""
    import altair as alt
    import polars as pl

    colour = theme.ROLES[role]
    x = alt.X("start_s:Q", scale=scale, axis=_axis(last=last))
    levelled = not levels.is_empty()
    parts = [_shade(shade, scale)]
    y_bar = alt.Y("role:N", axis=alt.Axis(title=None, labelColor=colour))
    if levelled:
        y_scale = alt.Scale(domain=[FLOOR_DBFS, 12], nice=False)
        y_axis = alt.Axis(
            title=f"{role} (dBFS)",
            values=[-90, -60, -30, 0],
            labelOverlap=False,
            labelBound=False,
            titleColor=colour,
        )
        y = alt.Y("level_dbfs:Q", scale=y_scale, axis=y_axis)
        y_bar = alt.Y("bottom:Q", scale=y_scale, axis=y_axis)
        drawn = levels.sort("start_s").with_columns(
            pl.col("level_dbfs").clip(FLOOR_DBFS, 0.0), floor_dbfs=pl.lit(FLOOR_DBFS)
        )
        parts.append(
            alt.Chart(drawn)
            .mark_area(color=colour, opacity=0.35, interpolate="step-after", line=False)
            .encode(x=x, y=y, y2="floor_dbfs:Q")
        )
    # a bar of speech is never drawn thinner than about a pixel
    least = float(scale.domain[1]) / width
    bars = speech.with_columns(
        drawn_end_s=pl.max_horizontal(pl.col("end_s"), pl.col("start_s") + least),
        top=pl.lit(10.0),
        bottom=pl.lit(3.0),
    )
    tips = [
        alt.Tooltip("role:N"),
        alt.Tooltip("start_s:Q", format=".2f"),
        alt.Tooltip("end_s:Q", format=".2f"),
    ]
    if levelled:
        bar = alt.Chart(bars).mark_rect(color=colour).encode(x=x, x2="drawn_end_s:Q", y=y_bar, y2="top:Q", tooltip=tips)
    else:
        bar = alt.Chart(bars).mark_bar(color=colour, height=14).encode(x=x, x2="drawn_end_s:Q", y=y_bar, tooltip=tips)
    parts.append(bar)
    return alt.layer(*parts).properties(width=width, height=95 if levelled else 26)


def _marks(marks: pl.DataFrame, shade: pl.DataFrame, scale: alt.Scale, *, width: int) -> Any:
    """Turns as bars in their lane's colour, tool calls and findings as bars or diamonds."""
    import altair as alt
    import polars as pl

    tones = {**theme.ROLES, **theme.SEVERITIES, "tool": "#5f3dc4", "tool error": "#b3261e"}
    present = [tone for tone in tones if tone in set(marks["tone"])]
    colour = alt.Color(
        "tone:N",
        scale=alt.Scale(domain=list(tones), range=list(tones.values())),
        legend=alt.Legend(title=None, values=present, orient="bottom", symbolType="square"),
    )
    rows = [kind for kind in _ROWS if kind in set(marks["kind"])]
    y = alt.Y("kind:N", sort=rows, title="events", scale=alt.Scale(domain=rows))
    x = alt.X("start_s:Q", scale=scale, axis=_axis(last=True))
    tips = [
        "kind:N",
        "tone:N",
        "label:N",
        alt.Tooltip("start_s:Q", format=".2f"),
        alt.Tooltip("end_s:Q", format=".2f"),
    ]
    long = marks.filter(pl.col("end_s") > pl.col("start_s"))
    short = marks.filter((pl.col("end_s") > pl.col("start_s")).not_() | pl.col("end_s").is_null())
    bars = (
        alt.Chart(long)
        .mark_bar(height=12, opacity=0.85, stroke="#ffffff", strokeWidth=0.5)
        .encode(x=x, x2="end_s:Q", y=y, color=colour, tooltip=tips)
    )
    moments = (
        alt.Chart(short)
        .mark_point(shape="diamond", size=80, filled=True, opacity=1)
        .encode(x=x, y=y, color=colour, tooltip=tips)
    )
    return alt.layer(_shade(shade, scale), bars, moments).properties(width=width, height=22 * len(rows))
