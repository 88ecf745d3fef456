"""Pass rate of each assertion with its interval and its counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import theme
from workbench.charts.drawn import Drawn, nothing
from workbench.plural import plural

if TYPE_CHECKING:
    import polars as pl

COLUMNS = (
    "assertion_id dimension deterministic call_count trial_count pass_count inconclusive_count "
    "not_scorable_count skipped_count error_count pass_rate pass_rate_low pass_rate_high"
)

DRAWN = ["assertion_id", "dimension", "deterministic", "pass_rate", "pass_rate_low", "pass_rate_high"]
DRAWN += ["judged", "beside", "how"]


def chart(rates: pl.DataFrame, *, title: str = "Share of calls that pass each check") -> Drawn:
    """Draw a dot and its 95 % Wilson interval per assertion, its counts beside it.

    Parameters
    ----------
    rates : polars.DataFrame
        Rows of the view `assertion_pass_rate` of one run. An assertion without a rate keeps its line and says
        so: it is not green. Judged by a model is drawn as a hollow dot, counts are never added up over both.
    title : str
        Title of the chart.

    Returns
    -------
    Drawn
        A sentence in place of axes when `rates` is empty.

    Raises
    ------
    UsageError
        When a column is missing.
    """
    import polars as pl

    theme.require(rates, COLUMNS, chart="rates")
    if rates.is_empty():
        return nothing("no assertion run in this archive: workbench assert --pack caller-experience", title=title)
    drawn = rates.sort("dimension", "assertion_id").with_columns(
        judged=pl.when(pl.col("trial_count") > 0)
        .then(pl.format("{} of {}", "pass_count", "trial_count"))
        .otherwise(pl.lit("no call could be judged")),
        beside=pl.concat_str(
            [
                pl.when(pl.col(column) > 0).then(pl.format("{} " + word, column))
                for column, word in (
                    ("inconclusive_count", "inconclusive"),
                    ("not_scorable_count", "not scorable"),
                    ("error_count", "errors"),
                    ("skipped_count", "not applicable"),
                )
            ],
            separator=" · ",
            ignore_nulls=True,
        ),
        how=pl.when("deterministic").then(pl.lit("rule")).otherwise(pl.lit("judged by a model")),
    )
    y = {"field": "assertion_id", "type": "nominal", "sort": drawn["assertion_id"].to_list(), "title": "check"}
    present = [name for name in theme.DIMENSIONS if name in set(drawn["dimension"])]
    layers = [*_interval(present), _words("judged", dy=-6, color=theme.INK)]
    layers.append(_words("beside", dy=6, color=theme.PALE))
    spec = {"data": {"name": "checks"}, "encoding": {"y": y}, "layer": layers, **theme.fills()}
    spec["height"] = 32 * drawn["assertion_id"].n_unique()
    open_count = int(rates["inconclusive_count"].sum()) + int(rates["not_scorable_count"].sum())
    calls = max(rates["call_count"].to_list())
    subtitle = (
        f"n: {plural(calls, 'call')}, each put to {plural(len(rates), 'check')}; "
        "line: 95 % Wilson interval, unit: the call; "
        f"left out of the rates: {open_count:,} inconclusive or not scorable"
    )
    return Drawn(spec, {"checks": drawn.select(DRAWN)}, title=title, subtitle=subtitle)


def _interval(dimensions: list[str]) -> list[dict[str, Any]]:
    """Return the line of the interval and the dot on it; hollow where a model judged."""
    colour = {
        "field": "dimension",
        "type": "nominal",
        "scale": {"domain": list(theme.DIMENSIONS), "range": list(theme.DIMENSIONS.values())},
        "legend": {"title": "dimension", "values": dimensions},
    }
    whole = {"type": "quantitative", "scale": {"domain": [0, 1], "nice": False}}
    line = {
        "mark": {"type": "rule", "strokeWidth": 3, "opacity": 0.55},
        "encoding": {
            "x": {"field": "pass_rate_low", **whole},
            "x2": {"field": "pass_rate_high"},
            "color": colour,
        },
    }
    dot = {
        "mark": {"type": "point", "size": 90, "opacity": 1, "strokeWidth": 2},
        "encoding": {
            "x": {
                "field": "pass_rate",
                **whole,
                "axis": {"format": "%", "tickCount": 6},
                "title": "calls that pass (% of calls judged)",
            },
            "color": colour,
            "fill": {"condition": {"test": "datum.deterministic", **colour}, "value": "#ffffff"},
            "tooltip": [{"field": name, "type": "nominal"} for name in ("assertion_id", "judged", "beside", "how")],
        },
    }
    return [line, dot]


def _words(field: str, *, dy: int, color: str) -> dict[str, Any]:
    """Return words beside the plot, one of two lines: above or below the middle of their check."""
    return {
        "mark": {"type": "text", "align": "left", "x": {"expr": "width + 14"}, "dy": dy, "color": color},
        "encoding": {"text": {"field": field, "type": "nominal"}},
    }
