"""Pass rate of each assertion with its interval and its counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import theme

if TYPE_CHECKING:
    import polars as pl

COLUMNS = (
    "assertion_id dimension deterministic call_count trial_count pass_count inconclusive_count "
    "not_scorable_count skipped_count error_count pass_rate pass_rate_low pass_rate_high"
)


def chart(rates: pl.DataFrame, *, title: str = "Share of calls that pass each check") -> Any:
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
    altair chart
        A sentence in place of axes when `rates` is empty.

    Raises
    ------
    UsageError
        When a column is missing.
    """
    import altair as alt
    import polars as pl

    theme.require(rates, COLUMNS, chart="rates")
    if rates.is_empty():
        return theme.nothing("no assertion run in this archive: workbench assert --pack caller-experience", title=title)
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
    y = alt.Y("assertion_id:N", sort=drawn["assertion_id"].to_list(), title="check")
    colours = alt.Scale(domain=list(theme.DIMENSIONS), range=list(theme.DIMENSIONS.values()))
    present = [name for name in theme.DIMENSIONS if name in set(drawn["dimension"])]
    colour = alt.Color("dimension:N", scale=colours, legend=alt.Legend(title="dimension", values=present))
    whole = alt.Scale(domain=[0, 1], nice=False)
    x = alt.X(
        "pass_rate:Q",
        scale=whole,
        axis=alt.Axis(format="%", tickCount=6),
        title="calls that pass (% of calls judged)",
    )
    tips = [alt.Tooltip(f"{n}:{t}") for n, t in (("assertion_id", "N"), ("judged", "N"), ("beside", "N"), ("how", "N"))]
    base = alt.Chart(drawn).encode(y=y)
    line = base.mark_rule(strokeWidth=3, opacity=0.55).encode(
        x=alt.X("pass_rate_low:Q", scale=whole), x2="pass_rate_high:Q", color=colour
    )
    dot = base.mark_point(size=90, opacity=1, strokeWidth=2).encode(
        x=x,
        color=colour,
        fill=alt.condition("datum.deterministic", colour, alt.value("#ffffff")),
        tooltip=tips,
    )
    height = alt.Step(24)
    left = alt.layer(line, dot).properties(width=400, height=height)
    counts = base.mark_text(align="left", x=0, color=theme.INK).encode(text="judged:N", y=y.axis(None))
    others = base.mark_text(align="left", x=165, color=theme.PALE).encode(text="beside:N", y=y.axis(None))
    right = alt.layer(counts, others).properties(width=330, height=height)
    open_count = int(rates["inconclusive_count"].sum()) + int(rates["not_scorable_count"].sum())
    calls = max(rates["call_count"].to_list())
    subtitle = (
        f"n: {theme.count(calls, 'call')}, each put to {theme.count(len(rates), 'check')}; "
        "line: 95 % Wilson interval, unit: the call; "
        f"left out of the rates: {open_count:,} inconclusive or not scorable"
    )
    return theme.dressed(alt.hconcat(left, right, spacing=12), title=title, subtitle=subtitle)
