"""Labelled moments one under the other: how long the agent spoke on, the bound, the verdict, and what flipped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import theme
from workbench.charts.drawn import Drawn, nothing
from workbench.plural import plural
from workbench.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

MOST_MOMENTS = 40
ROW, UPPER, LOWER = 30, -6, 6
"""Height of a moment, and where its two lines of words stand above and below its middle, in pixels."""

STATUSES = {"PASS": "#2f7d5b", "FAIL": "#b3261e", "INCONCLUSIVE": "#8c97a3", "NOT_SCORABLE": "#c3cad2"}
_COLUMNS = (
    "call_id label_id expect onset_s status reason yield_observed_s yield_censored agent_quiet_s talk_over_s "
    "decision_margin_s boundary_sensitive flipped"
)


def chart(moments: pl.DataFrame, *, title: str = "Every labelled moment") -> Drawn:
    """Draw a bar from the onset to the yield per moment; open-ended where the agent never stopped.

    A bar ends without an arrow also where the agent stopped with no caller near; that is no yield, and said beside it.

    Parameters
    ----------
    moments : polars.DataFrame
        Rows of the view `timing_events` with a column `flipped`. At most forty are drawn: those that flipped, then
        those next to a bound, then those that failed.
    title : str
        Title of the chart.

    Returns
    -------
    Drawn
        A sentence in place of axes when nothing is labelled.

    Raises
    ------
    UsageError
        When a column is missing.
    """
    import polars as pl

    theme.require(moments.head(1), _COLUMNS, chart="timing_moments")
    if moments.is_empty():
        return nothing("no moment is labelled: workbench label CALL --at SECONDS --expect yield", title=title)
    near = pl.col("boundary_sensitive").fill_null(value=False)
    urgent = moments.sort(
        ~pl.col("flipped"), ~near, pl.col("status") != "FAIL", pl.col("status") != "PASS", "call_id", "label_id"
    )
    drawn = urgent.head(MOST_MOMENTS).with_columns(
        name=pl.struct("call_id", "onset_s", "expect").map_elements(_name, return_dtype=pl.String),
        beside=pl.concat_str(
            ["status", pl.col("reason").str.replace_all("_", " ")], separator=" · ", ignore_nulls=True
        ),
        mark=pl.when(pl.col("flipped") & near)
        .then(pl.lit("flipped · next to a bound"))
        .when("flipped")
        .then(pl.lit("flipped"))
        .when(near)
        .then(pl.lit("next to a bound")),
        end_s=pl.col("yield_observed_s"),
    )
    names = drawn["name"].to_list()
    counts = moments.group_by("status").len()
    said = {row["status"]: row["len"] for row in counts.to_dicts()}
    spoke_on = pl.col("yield_censored").fill_null(value=False) & pl.col("agent_quiet_s").is_null()
    judged = moments.filter(pl.col("status").is_in(["PASS", "FAIL"]))
    arrows, others = (judged.filter(pl.col("yield_censored") & only).height for only in (spoke_on, ~spoke_on))
    subtitle = (
        f"n: {plural(len(moments), 'moment')}: "
        + by_status(said)
        + f"\ncensored: {arrows:,} the agent spoke on (arrow), {others:,} it stopped with no caller near"
        + "; tick: talk-over; "
        + (_left_out(urgent[len(drawn) :]) or "nothing left out")
    )
    shown = drawn.with_columns(spoke_on=spoke_on).select(
        "name", "status", "end_s", "spoke_on", "talk_over_s", "beside", "mark", "expect"
    )
    seen = [value for name in ("end_s", "talk_over_s") for value in shown[name].drop_nulls()]
    return Drawn(
        _spec(names, present=[name for name in STATUSES if name in said], last=max(seen, default=1.0) or 1.0),
        {"moments": shown},
        title=title,
        subtitle=subtitle,
    )


def by_status(counts: Mapping[str, int] | None) -> str:
    """Return counts of moments by their status, in the order of severity; 'nothing' without any."""
    return ", ".join(f"{counts[name]:,} {name}" for name in STATUSES if counts.get(name)) if counts else "nothing"


def _left_out(rows: pl.DataFrame) -> str:
    """Say what is not drawn, each moment by the first thing that would have drawn it."""
    import polars as pl

    near = pl.col("boundary_sensitive").fill_null(value=False)
    first = pl.when("flipped").then(pl.lit("flipped")).when(near).then(pl.lit("next to a bound"))
    why = first.when(pl.col("status") == "FAIL").then(pl.lit("FAIL")).otherwise(pl.lit("others"))
    counts = dict(rows.group_by(why.alias("why")).len().iter_rows())
    said = [f"{counts[name]:,} {name}" for name in ("flipped", "next to a bound", "FAIL", "others") if name in counts]
    return f"left out: {len(rows):,} ({', '.join(said)})" if said else ""


def _name(row: dict[str, Any]) -> str:
    """Return a moment in two lines: its call, and when and what was labelled."""
    at = "" if row["onset_s"] is None else f"@ {row['onset_s']:.2f} s · "
    return f"{visible(row['call_id'])[:44]}\n{at}{row['expect'] or 'not said'}"


def _spec(names: list[str], *, present: list[str], last: float) -> dict[str, Any]:
    axis = {
        "labelLimit": 330,
        "labelExpr": "split(datum.label, '\\n')",
        "labelOffset": UPPER,
        "labelLineHeight": LOWER - UPPER,
    }
    y = {"field": "name", "type": "nominal", "sort": names, "title": None, "axis": axis}
    x = {"type": "quantitative", "scale": {"domain": [0, last], "nice": True}}  # also where no moment has an arrow
    colour = {
        "field": "status",
        "type": "nominal",
        "scale": {"domain": list(STATUSES), "range": list(STATUSES.values())},
        "legend": {"title": None, "values": present},
    }
    tips = [{"field": name, "type": "nominal"} for name in ("name", "beside")]
    tips += [{"field": name, "type": "quantitative", "format": ".2f"} for name in ("end_s", "talk_over_s")]
    bar = {
        "mark": {"type": "bar", "height": 11, "opacity": 0.75},
        "encoding": {
            "x": {"field": "end_s", **x, "title": "onset to the yield, or to the end of what was seen (s)"},
            "color": colour,
            "tooltip": tips,
        },
    }
    over = {
        "mark": {"type": "tick", "thickness": 2, "size": 15, "color": theme.INK},
        "encoding": {"x": {"field": "talk_over_s", **x}},
    }
    arrow = {
        "transform": [{"filter": "datum.spoke_on"}],
        "mark": {"type": "point", "shape": "triangle-right", "filled": True, "size": 70, "xOffset": 5, "opacity": 1},
        "encoding": {"x": {"field": "end_s", **x}, "color": colour},
    }
    ring = {
        "transform": [{"filter": "isValid(datum.mark)"}],
        "mark": {**_beside(6), "type": "point", "shape": "diamond", "filled": True, "size": 90, "opacity": 1},
        "encoding": {
            "color": {
                "condition": {"test": "indexof(datum.mark, 'flipped') == 0", "value": "#862e9c"},
                "value": "#d98c00",
            },
        },
    }
    words: list[dict[str, Any]] = [
        {
            "transform": [{"filter": f"isValid(datum.{name})"}],
            "mark": {**_beside(16), "type": "text", "align": "left", "color": theme.INK, "dy": dy},
            "encoding": {"text": {"field": name, "type": "nominal"}},
        }
        for name, dy in (("beside", UPPER), ("mark", LOWER))
    ]
    layers = [bar, arrow, over, ring, *words]
    spec = {"data": {"name": "moments"}, "encoding": {"y": y}, "layer": layers, "height": ROW * len(set(names))}
    return {**spec, **theme.fills()}


def _beside(pixels: int) -> dict[str, Any]:
    """Where a mark stands that is beside the plot, after the arrow of a bar that goes to its end."""
    return {"x": {"expr": f"width + {14 + pixels}"}}
