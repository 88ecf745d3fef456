"""Reported latency beside the one that is heard, and their difference with the line fitted to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import theme
from workbench.charts.drawn import nothing
from workbench.plural import plural

if TYPE_CHECKING:
    import polars as pl

REPORTED, HEARD, FAULT = "#3b5bdb", theme.ROLES["agent"], "#b3261e"
LONGEST_MS = 60_000.0


def chart(
    turns: pl.DataFrame,
    *,
    offset_ms: float | None = None,
    drift_ms_per_min: float | None = None,
    title: str = "Two clocks",
    width: int = theme.WIDTH,
) -> Any:
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
        Width in pixels.

    Returns
    -------
    altair chart
        Reports without a gap, below 0 or over a minute have no place on the axes; the subtitle counts them. A
        sentence in place of axes where none has one.

    Raises
    ------
    UsageError
        When a column is missing, or there are too many rows to draw.
    """
    import altair as alt
    import polars as pl

    theme.require(turns, "turn_ix answer_start_s reported_ms gap_ms difference_ms fault", chart="two_clocks")
    drawn = turns.filter(
        pl.col("difference_ms").is_not_null() & pl.col("reported_ms").is_between(0.0, LONGEST_MS)
    ).with_columns(
        reported_s=pl.col("reported_ms") / 1000,
        gap_s=pl.col("gap_ms") / 1000,
        difference_s=pl.col("difference_ms") / 1000,
        report=pl.when(pl.col("fault").is_null()).then(pl.lit("reported")).otherwise(pl.lit("impossible")),
    )
    if drawn.is_empty():
        return nothing("no report has an answer in the sound beside it", title=title)
    left_out = len(turns) - len(drawn)
    subtitle = f"n: {plural(len(drawn), 'report')}; " + (
        f"left out: {left_out} without an answer beside it, negative, or over a minute" if left_out else "none left out"
    )
    last = float(drawn["answer_start_s"].max()) * 1.03  # type: ignore[arg-type]
    x = alt.X(
        "answer_start_s:Q",
        scale=alt.Scale(domain=[0, max(last, 1.0)], nice=False),
        title="time from the start of the call (s)",
    )
    tips = ["turn_ix:Q", *(alt.Tooltip(f"{n}:Q", format=",.0f") for n in ("reported_ms", "gap_ms")), "fault:N"]
    base = alt.Chart(drawn)
    tone = alt.Color(
        "report:N",
        scale=alt.Scale(domain=["reported", "impossible", "heard"], range=[REPORTED, FAULT, HEARD]),
        legend=alt.Legend(title=None, orient="top"),
    )
    latencies = alt.layer(
        base.mark_rule(color=theme.PALE, opacity=0.6).encode(
            x=x, y=alt.Y("gap_s:Q", title="latency (s)"), y2="reported_s:Q"
        ),
        base.transform_calculate(report="'heard'")
        .mark_point(filled=True, size=60, shape="diamond", opacity=1)
        .encode(x=x, y=alt.Y("gap_s:Q", title="latency (s)"), color=tone, tooltip=tips),
        base.mark_point(filled=True, size=60, opacity=1).encode(
            x=x, y=alt.Y("reported_s:Q", title="latency (s)"), color=tone, tooltip=tips
        ),
    ).properties(width=width, height=170)
    below = [
        base.mark_point(filled=True, size=60, opacity=1).encode(
            x=x, y=alt.Y("difference_s:Q", title="reported - heard (s)"), color=tone, tooltip=tips
        )
    ]
    if offset_ms is not None and drift_ms_per_min is not None:
        ends = pl.DataFrame(
            {
                "answer_start_s": [0.0, last],
                "difference_s": [offset_ms / 1000, (offset_ms + drift_ms_per_min * last / 60) / 1000],
            }
        )
        below.append(alt.Chart(ends).mark_line(color=theme.INK, strokeWidth=1.5).encode(x=x, y="difference_s:Q"))
        subtitle += f"; line: {offset_ms:+,.0f} ms, {drift_ms_per_min:+,.0f} ms a minute"
    differences = alt.layer(*below).properties(width=width, height=120)
    return theme.dressed(alt.vconcat(latencies, differences, spacing=14), title=title, subtitle=subtitle)
