"""What becomes of verdicts while a recording gets worse: the same, none any more, or another one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import theme
from workbench.charts.drawn import Drawn, nothing
from workbench.decimals import decimals
from workbench.plural import plural

if TYPE_CHECKING:
    import polars as pl

_COLUMNS = "perturbation unit level_ix level moment_count holds_count withheld_count other_count holds_share"
_COLUMNS += " holds_low holds_high"
PARTS = {"holds": "#2f7d5b", "withheld": "#c3cad2", "other verdict": "#b3261e"}
SHARE = "share of verdicts (%)"
_ABREAST, MOST_LABELS = 3, 7


def chart(shares: pl.DataFrame, *, left_out: int = 0, title: str = "Verdicts while the sound gets worse") -> Drawn:
    """Draw for each perturbation which share of the verdicts holds at each level, with its interval.

    Parameters
    ----------
    shares : polars.DataFrame
        From :func:`workbench.analysis.robustness_shares.shares`.
    left_out : int
        Calls that could not be tried; the subtitle says so.
    title : str
        Title of the chart.

    Returns
    -------
    Drawn
        A sentence in place of axes when no moment has a verdict.

    Raises
    ------
    UsageError
        When a column is missing.
    """
    import polars as pl

    theme.require(shares, _COLUMNS, chart="robustness")
    if shares.is_empty():
        return nothing("no labelled moment has a verdict to begin with", title=title)
    names = shares["perturbation"].unique(maintain_order=True).to_list()
    data: dict[str, pl.DataFrame] = {}
    panes = []
    for name in names:
        own = shares.filter(pl.col("perturbation") == name).sort("level_ix")
        own = own.with_columns(pl.Series("at", [decimals(level) for level in own["level"]], dtype=pl.String))
        data[name] = _parts(own)
        data[f"{name}, interval"] = own.select("at", "holds_share", "holds_low", "holds_high")
        panes.append(_pane(name, unit=own["unit"][0], levels=own["at"].to_list()))
    rows = [{"hconcat": panes[ix : ix + _ABREAST], "spacing": 20} for ix in range(0, len(panes), _ABREAST)]
    moments = plural(int(shares["moment_count"].max()), "moment")  # type: ignore[arg-type]
    subtitle = (
        f"n: {moments} with a verdict as they are; levels from harmless to harmful; stroke: 95 % interval of the share "
        f"that holds; left out: {plural(left_out, 'call')}"
    )
    return Drawn({"vconcat": rows, "spacing": 16}, data, title=title, subtitle=subtitle)


def _parts(own: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    columns = {"holds": "holds_count", "withheld": "withheld_count", "other verdict": "other_count"}
    parts = [
        own.select(
            "at",
            pl.lit(what).alias("what"),
            pl.lit(ix).alias("order"),
            pl.col(column).alias("moment_count"),
            (pl.col(column) / pl.col("moment_count")).alias("share"),
        )
        for ix, (what, column) in enumerate(columns.items())
    ]
    return pl.concat(parts)


def _pane(name: str, *, unit: str, levels: list[str]) -> dict[str, Any]:
    step = -(-len(levels) // MOST_LABELS)
    x = {
        "field": "at",
        "type": "ordinal",
        "sort": levels,
        "scale": {"domain": levels, "paddingInner": 0.08},
        "title": f"{name.replace('_', ' ')} ({unit})",
        "axis": {"labelAngle": 0, "values": levels[::step]},
    }
    share = {"type": "quantitative", "scale": {"domain": [0, 1]}}
    bars = {
        "data": {"name": name},
        "mark": {"type": "bar", "opacity": 0.9},
        "encoding": {
            "x": x,
            "y": {
                "field": "share",
                **share,
                "stack": "zero",
                "axis": {"format": "%", "tickCount": 5},
                "title": SHARE,
            },
            "color": {
                "field": "what",
                "type": "nominal",
                "scale": {"domain": list(PARTS), "range": list(PARTS.values())},
                "legend": {"title": None},
            },
            "order": {"field": "order", "type": "quantitative"},
            "tooltip": [
                {"field": "at", "type": "nominal", "title": f"level, {unit}"},
                {"field": "what", "type": "nominal"},
                {"field": "moment_count", "type": "quantitative"},
                {"field": "share", "type": "quantitative", "format": ".0%"},
            ],
        },
    }
    stroke = {
        "data": {"name": f"{name}, interval"},
        "mark": {"type": "rule", "color": theme.INK, "strokeWidth": 1.2, "opacity": 0.75},
        "encoding": {"x": x, "y": {"field": "holds_low", **share, "title": SHARE}, "y2": {"field": "holds_high"}},
        "transform": [{"filter": "isValid(datum.holds_low)"}],
    }
    return {"layer": [bars, stroke], "width": (theme.WIDTH - 75 * _ABREAST) // _ABREAST, "height": 130}
