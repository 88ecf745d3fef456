"""How long things took: response gaps, times to yield and talk-over as histograms, the censored apart."""

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

_COLUMNS = "measure bin_start_s bin_end_s ended moment_count"
SEEN, CENSORED = "seen to its end", "longer than this (censored)"  # as workbench.analysis.timing_spread names them
MOST_GROUPS = 4
HEIGHT = 170
_MANY = {"response gap": "response gaps", "time to yield": "times to yield", "talk-over": "talk-overs"}
COLOURS = {SEEN: theme.ROLES["agent"], CENSORED: "#d9a58a"}


def chart(
    spread: pl.DataFrame, *, not_judged: Mapping[str, int] | None = None, title: str = "How long things took"
) -> Drawn:
    """Draw a histogram of each measure; what was not seen to its end is paler, at the time it was last seen.

    Parameters
    ----------
    spread : polars.DataFrame
        From :func:`workbench.analysis.timing_spread.spread`; a measure without a row is not drawn. Groups are drawn
        below one another, those with the most first, at most four.
    not_judged : mapping of str to int, optional
        Labelled moments that are not among them, by status; the subtitle says so.
    title : str
        Title of the chart.

    Returns
    -------
    Drawn
        A sentence in place of axes when nothing was measured.

    Raises
    ------
    UsageError
        When a column is missing.
    """
    import polars as pl

    theme.require(spread, _COLUMNS, chart="timing_spread")
    if spread.is_empty():
        return nothing("no gap and no scored moment", title=title)
    if "group" not in spread.columns:
        spread = spread.with_columns(group=pl.lit(""))
    sizes = (
        spread.group_by("group")
        .agg(pl.col("moment_count").sum())
        .sort("moment_count", "group", descending=[True, False])
    )
    groups = sizes["group"].to_list()
    measures = spread["measure"].unique(maintain_order=True).to_list()
    width = (theme.WIDTH - 75 * len(measures)) // len(measures)  # beside each an axis and the white between
    rows: list[dict[str, Any]] = []
    data: dict[str, pl.DataFrame] = {}
    for group in groups[:MOST_GROUPS]:
        panes = []
        for measure in measures:
            whole = spread.filter(pl.col("measure") == measure)
            own = whole.filter(pl.col("group") == group).drop("measure", "group")
            if own.is_empty():  # its room stays, so that each measure has a column of its own
                panes.append(_none(title=measure, width=width))
                continue
            name = measure if len(groups) == 1 else f"{measure}, {visible(group)}"
            data[name] = own
            panes.append(_pane(name, own, title=measure, last=max(whole["bin_end_s"].to_list()), width=width))
        row: dict[str, Any] = {"hconcat": panes, "spacing": 18}
        rows.append(row if len(groups) == 1 else row | {"title": {"text": visible(group), "fontSize": 12}})
    counted = []
    for measure in measures:
        own = spread.filter(pl.col("measure") == measure)
        censored = own.filter(pl.col("ended") == CENSORED)["moment_count"].sum()
        count = plural(int(own["moment_count"].sum()), measure, many=_MANY.get(measure))
        counted.append(f"{count} ({censored:,} censored)")
    subtitle = f"n: {', '.join(counted)}; left out: {by_status(not_judged)}"
    if len(groups) > MOST_GROUPS:
        subtitle += f", {plural(len(groups) - MOST_GROUPS, 'group')} with fewer"
    return Drawn(rows[0] if len(rows) == 1 else {"vconcat": rows, "spacing": 14}, data, title=title, subtitle=subtitle)


def _pane(name: str, own: pl.DataFrame, *, title: str, last: float, width: int) -> dict[str, Any]:
    highest = max(own.select("bin_start_s", "moment_count").group_by("bin_start_s").sum()["moment_count"].to_list())
    legend = {"title": None, "orient": "bottom", "direction": "vertical"}
    return {
        "data": {"name": name},
        "mark": {"type": "bar", "binSpacing": 1, "opacity": 0.85},
        "encoding": {
            "x": {
                "field": "bin_start_s",
                "type": "quantitative",
                "bin": "binned",
                "scale": {"domain": [0, last], "nice": False},
                "title": f"{title} (s)",
                "axis": {"tickCount": 6},
            },
            "x2": {"field": "bin_end_s"},
            "y": {
                "field": "moment_count",
                "type": "quantitative",
                "stack": "zero",
                "title": "moments (count)",
                "axis": {"tickMinStep": 1, "format": "d", "tickCount": min(5, highest)},
            },
            "color": {
                "field": "ended",
                "type": "nominal",
                "scale": {"domain": list(COLOURS), "range": list(COLOURS.values())},
                "legend": legend,
            },
            "order": {"field": "ended", "type": "nominal", "sort": "descending"},
            "tooltip": [
                {"field": "bin_start_s", "type": "quantitative", "format": ".2f"},
                {"field": "bin_end_s", "type": "quantitative", "format": ".2f"},
                {"field": "ended", "type": "nominal"},
                {"field": "moment_count", "type": "quantitative"},
            ],
        },
        "width": width,
        "height": HEIGHT,
    }


def _none(*, title: str, width: int) -> dict[str, Any]:
    return {
        "data": {"values": [{}]},
        "mark": {"type": "text", "text": f"no {title}", "color": theme.PALE, "fontSize": 12},
        "width": width,
        "height": HEIGHT,
    }
