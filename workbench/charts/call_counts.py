"""Counts of calls as stacked bars: by source, origin, tier or health."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import theme

if TYPE_CHECKING:
    import polars as pl


def chart(
    counts: pl.DataFrame,
    *,
    by: str,
    parts: str,
    title: str | None = None,
    width: int = theme.WIDTH - 200,
    missing: str = "not supplied",
) -> Any:
    """Draw one bar per value of a column, stacked by another.

    Parameters
    ----------
    counts : polars.DataFrame
        Columns `by`, `parts` and `call_count`; rows of equal values are added up.
    by, parts : str
        Column of the bars, and of the pieces they are stacked from.
    title : str, optional
        Title of the chart.
    width : int
        Width of the bars' area in pixels.
    missing : str
        Name of the piece of calls that have no value in `parts` or `by`.

    Returns
    -------
    altair chart
        A sentence in place of axes when `counts` is empty.

    Raises
    ------
    UsageError
        When a column is missing.
    """
    import altair as alt
    import polars as pl

    theme.require(counts, f"{by} {parts} call_count", chart="call_counts")
    said = {name: name.replace("_", " ") for name in (by, parts)}
    title = title or f"Calls by {said[by]} and {said[parts]}"
    if counts.is_empty():
        return theme.nothing("no call", title=title)
    drawn = (
        counts.with_columns(pl.col(by, parts).cast(pl.String).fill_null(missing))
        .group_by(by, parts)
        .agg(pl.col("call_count").sum())
        .sort(by, parts)
    )
    pieces = drawn[parts].unique().sort().to_list()
    colours = [theme.KNOWN_PARTS.get(name, theme.PARTS[ix % len(theme.PARTS)]) for ix, name in enumerate(pieces)]
    drawn = drawn.with_columns(
        piece_ix=pl.col(parts).replace_strict(pieces, list(range(len(pieces))), return_dtype=pl.Int64)
    )
    bars = (
        alt.Chart(drawn)
        .mark_bar(height=16)
        .encode(
            y=alt.Y(f"{by}:N", sort="-x", title=said[by]),
            x=alt.X("call_count:Q", title="calls (count)", axis=alt.Axis(tickMinStep=1, format=",d")),
            color=alt.Color(f"{parts}:N", title=said[parts], scale=alt.Scale(domain=pieces, range=colours)),
            order=alt.Order("piece_ix:Q"),
            tooltip=[f"{by}:N", f"{parts}:N", alt.Tooltip("call_count:Q", format=",d")],
        )
    )
    total = int(drawn["call_count"].sum())
    unknown = int(drawn.filter(pl.col(parts) == missing)["call_count"].sum())
    subtitle = f"n: {theme.count(total, 'call')}; nothing left out" + (f", {unknown:,} {missing}" if unknown else "")
    return theme.dressed(bars.properties(width=width, height=alt.Step(26)), title=title, subtitle=subtitle)
