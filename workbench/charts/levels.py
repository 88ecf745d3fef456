"""The level of a call over time as a strip of colour, one row a side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import theme
from workbench.charts.drawn import nothing
from workbench.plural import plural

if TYPE_CHECKING:
    import polars as pl


def chart(levels: pl.DataFrame, *, title: str = "Level over the call") -> Any:
    """Draw one strip a role, darker where it is louder.

    Parameters
    ----------
    levels : polars.DataFrame
        Rows of the query `call_levels`: `role`, `start_s`, `end_s`, `level_dbfs` (the loudest frame of each
        stretch).
    title : str
        Title of the chart.

    Returns
    -------
    altair chart
        A sentence in place of axes when nothing was measured.

    Raises
    ------
    UsageError
        When a column is missing or there are more than 5,000 rows.
    """
    import altair as alt

    theme.require(levels, "role start_s end_s level_dbfs", chart="levels")
    if levels.is_empty():
        return nothing("no level was measured: no audio, or workbench measure has not run", title=title)
    roles = [role for role in theme.ROLES if role in set(levels["role"])]
    strip = (
        alt.Chart(levels)
        .mark_rect()
        .encode(
            x=alt.X(
                "start_s:Q",
                title="time from the start of the call (s)",
                axis=alt.Axis(grid=False),
                scale=alt.Scale(nice=False),
            ),
            x2="end_s:Q",
            y=alt.Y("role:N", sort=roles, title="side"),
            color=alt.Color(
                "level_dbfs:Q",
                title="level (dBFS)",
                scale=alt.Scale(domain=[-70, -10], clamp=True, range=["#f4f6f8", "#0b6e99", "#07324a"]),
            ),
            tooltip=[
                "role:N",
                alt.Tooltip("start_s:Q", format=".2f"),
                alt.Tooltip("level_dbfs:Q", format=".1f"),
            ],
        )
    )
    wide = float((levels["end_s"] - levels["start_s"]).max() or 0.0)  # type: ignore[arg-type]
    subtitle = f"n: {plural(len(levels), 'piece')} of {wide:.2f} s, the loudest 20 ms of each; nothing left out"
    return theme.dressed(strip.properties(width=theme.WIDTH, height=alt.Step(18)), title=title, subtitle=subtitle)
