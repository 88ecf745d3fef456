"""Counts of calls as stacked bars: by source, origin, tier or health."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.charts import theme
from workbench.charts.drawn import Drawn, nothing
from workbench.plural import plural

if TYPE_CHECKING:
    import polars as pl


def chart(
    counts: pl.DataFrame,
    *,
    by: str,
    parts: str,
    title: str | None = None,
    width: int = theme.WIDTH - 300,
    missing: str = "not supplied",
) -> Drawn:
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
    Drawn
        A sentence in place of axes when `counts` is empty.

    Raises
    ------
    UsageError
        When a column is missing.
    """
    import polars as pl

    theme.require(counts, f"{by} {parts} call_count", chart="call_counts")
    said = {name: name.replace("_", " ") for name in (by, parts)}
    title = title or f"Calls by {said[by]} and {said[parts]}"
    if counts.is_empty():
        return nothing("no call", title=title)
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
    spec = {
        "data": {"name": "calls"},
        "mark": {"type": "bar", "height": 16},
        "encoding": {
            "y": {"field": by, "type": "nominal", "sort": "-x", "title": said[by]},
            "x": {
                "field": "call_count",
                "type": "quantitative",
                "title": "calls (count)",
                "axis": {"tickMinStep": 1, "format": ",d"},
            },
            "color": {
                "field": parts,
                "type": "nominal",
                "title": said[parts],
                "scale": {"domain": pieces, "range": colours},
                "legend": {"columns": theme.columns(pieces, width=theme.WIDTH - 180)},
            },
            "order": {"field": "piece_ix", "type": "quantitative"},
            "tooltip": [
                {"field": by, "type": "nominal"},
                {"field": parts, "type": "nominal"},
                {"field": "call_count", "type": "quantitative", "format": ",d"},
            ],
        },
        "width": width,
        "height": {"step": 26},
    }
    total = int(drawn["call_count"].sum())
    unknown = int(drawn.filter(pl.col(parts) == missing)["call_count"].sum())
    subtitle = f"n: {plural(total, 'call')}; nothing left out" + (f", {unknown:,} {missing}" if unknown else "")
    return Drawn(spec, {"calls": drawn}, title=title, subtitle=subtitle)
