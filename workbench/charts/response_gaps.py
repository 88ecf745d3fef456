"""Response gaps of each agent: their distribution, and its percentiles with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import theme
from workbench.text.visible import visible

if TYPE_CHECKING:
    import altair as alt
    import polars as pl

MOST_AGENTS = 6
_KEY = ("agent_id", "agent_version", "clock")
_GAPS = "agent_id agent_version clock bin_start_s bin_end_s gap_count"
_PERCENTILES = (
    "agent_id agent_version clock call_count response_count gap_p50_lin_s gap_p50_low_s gap_p50_high_s "
    "gap_p95_lin_s gap_p95_low_s gap_p95_high_s"
)


def chart(gaps: pl.DataFrame, percentiles: pl.DataFrame, *, title: str = "Response gap") -> Any:
    """Draw a histogram of gaps per agent, version and clock, with median and 95th percentile.

    Parameters
    ----------
    gaps : polars.DataFrame
        Binned gaps: `agent_id`, `agent_version`, `clock`, `bin_start_s`, `bin_end_s`, `gap_count`.
    percentiles : polars.DataFrame
        Rows of the view `response_gap_by_agent`. The agents with the most answers are drawn, at most six;
        the subtitle says how many are left out. A percentile without an interval is drawn without a band.
    title : str
        Title of the chart.

    Returns
    -------
    altair chart
        A sentence in place of axes when there is no answer to time.

    Raises
    ------
    UsageError
        When a column is missing.
    """
    import altair as alt
    import polars as pl

    theme.require(gaps, _GAPS, chart="response_gaps")
    theme.require(percentiles, _PERCENTILES, chart="response_gaps")
    if percentiles.is_empty():
        return theme.nothing("no answer of an agent to time: see the denominators", title=title)
    order = percentiles.sort("response_count", *_KEY, descending=[True, False, False, False])
    shown = order.head(MOST_AGENTS)
    last = float(gaps.join(shown, on=_KEY, how="semi")["bin_end_s"].max() or 1.0)  # type: ignore[arg-type]
    scale = alt.Scale(domain=[0, last], nice=False)
    rows = []
    for ix, row in enumerate(shown.iter_rows(named=True)):
        own = gaps.filter(pl.all_horizontal(pl.col(name) == row[name] for name in _KEY))
        rows.append(_row(own, row, scale, last=ix == len(shown) - 1))
    left_out = len(order) - len(shown)
    subtitle = (
        f"n: {theme.count(int(shown['response_count'].sum()), 'answer')} "
        f"in {theme.count(int(shown['call_count'].sum()), 'call')}; "
        "solid line: median, dashed: 95th percentile, band: 95 % bootstrap interval, unit: the call; "
        + (f"left out: {left_out} agents with fewer answers" if left_out else "no agent left out")
    )
    return theme.dressed(alt.vconcat(*rows, spacing=14), title=title, subtitle=subtitle)


def _row(gaps: pl.DataFrame, row: dict[str, Any], scale: alt.Scale, *, last: bool) -> Any:
    import altair as alt
    import polars as pl

    axis = alt.Axis(title="response gap (s)" if last else None, tickMinStep=0.1)
    bars = (
        alt.Chart(gaps)
        .mark_bar(color=theme.ROLES["agent"], opacity=0.45, binSpacing=1)
        .encode(
            x=alt.X("bin_start_s:Q", scale=scale, axis=axis, bin="binned"),
            x2="bin_end_s:Q",
            y=alt.Y("gap_count:Q", title="answers (count)", axis=alt.Axis(tickCount=3, tickMinStep=1, format="d")),
            tooltip=[
                alt.Tooltip("bin_start_s:Q", format=".2f"),
                alt.Tooltip("bin_end_s:Q", format=".2f"),
                "gap_count:Q",
            ],
        )
    )
    marks = pl.DataFrame(
        [
            {
                "name": name,
                "at_s": row[f"gap_{p}_lin_s"],
                "low_s": row[f"gap_{p}_low_s"],
                "high_s": row[f"gap_{p}_high_s"],
            }
            for name, p in (("median", "p50"), ("95th percentile", "p95"))
        ],
        schema={"name": pl.String, "at_s": pl.Float64, "low_s": pl.Float64, "high_s": pl.Float64},
    )
    base = alt.Chart(marks)
    band = (
        base.transform_filter("isValid(datum.low_s) && isValid(datum.high_s)")
        .mark_rect(color=theme.INK, opacity=0.13)
        .encode(x=alt.X("low_s:Q", scale=scale), x2="high_s:Q")
    )
    dash = alt.StrokeDash(
        "name:N", scale=alt.Scale(domain=["median", "95th percentile"], range=[[1, 0], [5, 4]]), legend=None
    )
    rule = base.mark_rule(color=theme.INK, strokeWidth=1.5, clip=True).encode(
        x="at_s:Q", strokeDash=dash, tooltip=["name:N", alt.Tooltip("at_s:Q", format=".2f")]
    )
    agent = visible(str(row["agent_id"]))
    if row["agent_version"] != "not supplied":
        agent += " " + visible(str(row["agent_version"]))
    percentiles = f"{_percentile(row, 'p50')}, {_percentile(row, 'p95')} · n = {row['response_count']:,}"
    text = f"agent {agent} · clock: {row['clock']} · {percentiles}"
    return alt.layer(band, bars, rule).properties(
        width=theme.WIDTH,
        height=70,
        title=alt.TitleParams(text, anchor="start", fontSize=11.5, fontWeight="normal", color=theme.INK, offset=2),
    )


def _percentile(row: dict[str, Any], which: str) -> str:
    value, low, high = (row[f"gap_{which}_{end}_s"] for end in ("lin", "low", "high"))
    if value is None:
        return f"{which} not known"
    ends = [f"{end:.2f}" if end is not None else "open" for end in (low, high)]
    return f"{which} {value:.2f} s [{ends[0]}, {ends[1]}]"
