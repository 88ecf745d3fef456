"""Response gaps of each agent: their distribution, and its percentiles with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.charts import theme
from workbench.charts.drawn import Drawn, nothing
from workbench.plural import plural
from workbench.text.visible import visible

if TYPE_CHECKING:
    import polars as pl

MOST_AGENTS = 6
_KEY = ("agent_id", "agent_version", "clock")
_ENDS = {"at": "lin", "low": "low", "high": "high"}
_GAPS = "agent_id agent_version clock bin_start_s bin_end_s gap_count"
_PERCENTILES = (
    "agent_id agent_version clock call_count response_count gap_p50_lin_s gap_p50_low_s gap_p50_high_s "
    "gap_p95_lin_s gap_p95_low_s gap_p95_high_s"
)


def chart(gaps: pl.DataFrame, percentiles: pl.DataFrame, *, title: str = "Response gap") -> Drawn:
    """Draw a histogram of gaps per agent, version and clock, with median and 95th percentile.

    Parameters
    ----------
    gaps : polars.DataFrame
        Binned gaps: `agent_id`, `agent_version`, `clock`, `bin_start_s`, `bin_end_s`, `gap_count`.
    percentiles : polars.DataFrame
        Rows of the view `response_gap_by_agent`. The agents with the most answers are drawn, at most six;
        the subtitle says how many are left out. A percentile without an interval is drawn without a band, and
        where none has one the column `reason` says why in the heading.
    title : str
        Title of the chart.

    Returns
    -------
    Drawn
        A sentence in place of axes when there is no answer to time.

    Raises
    ------
    UsageError
        When a column is missing.
    """
    import polars as pl

    theme.require(gaps, _GAPS, chart="response_gaps")
    theme.require(percentiles, _PERCENTILES, chart="response_gaps")
    if percentiles.is_empty():
        return nothing("no answer of an agent to time: see the denominators", title=title)
    order = percentiles.sort("response_count", *_KEY, descending=[True, False, False, False])
    shown = order.head(MOST_AGENTS)
    last = float(gaps.join(shown, on=_KEY, how="semi")["bin_end_s"].max() or 1.0)  # type: ignore[arg-type]
    data, rows = {}, []
    for ix, row in enumerate(shown.iter_rows(named=True)):
        own = gaps.filter(pl.all_horizontal(pl.col(name) == row[name] for name in _KEY))
        data[f"gaps {ix}"] = own.select("bin_start_s", "bin_end_s", "gap_count")
        data[f"marks {ix}"] = _marks(row)
        rows.append(_row(ix, row, domain=[0, last], last=ix == len(shown) - 1))
    left_out = len(order) - len(shown)
    subtitle = (
        f"n: {plural(int(shown['response_count'].sum()), 'answer')} "
        f"in {plural(int(shown['call_count'].sum()), 'call')}; "
        "solid line: median, dashed: 95th percentile, band: 95 % bootstrap interval, unit: the call; "
        + (f"left out: {plural(left_out, 'agent')} with fewer answers" if left_out else "no agent left out")
    )
    return Drawn({"vconcat": rows, "spacing": 14}, data, title=title, subtitle=subtitle)


def _marks(row: dict[str, Any]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame(
        [
            {"name": name} | {f"{end}_s": row[f"gap_{p}_{column}_s"] for end, column in _ENDS.items()}
            for name, p in (("median", "p50"), ("95th percentile", "p95"))
        ],
        schema={"name": pl.String, "at_s": pl.Float64, "low_s": pl.Float64, "high_s": pl.Float64},
    )


def _row(ix: int, row: dict[str, Any], *, domain: list[float], last: bool) -> dict[str, Any]:
    """Return band, bars and lines of one agent, which read `gaps IX` and `marks IX`."""
    scale = {"type": "quantitative", "scale": {"domain": domain, "nice": False}}
    marks = {"name": f"marks {ix}"}
    band = {
        "data": marks,
        "transform": [{"filter": "isValid(datum.low_s) && isValid(datum.high_s)"}],
        "mark": {"type": "rect", "color": theme.INK, "opacity": 0.13},
        "encoding": {"x": {"field": "low_s", **scale}, "x2": {"field": "high_s"}},
    }
    axis = {"title": "response gap (s)" if last else None, "tickMinStep": 0.1}
    bars = {
        "data": {"name": f"gaps {ix}"},
        "mark": {"type": "bar", "color": theme.ROLES["agent"], "opacity": 0.45, "binSpacing": 1},
        "encoding": {
            "x": {"field": "bin_start_s", **scale, "bin": "binned", "axis": axis},
            "x2": {"field": "bin_end_s"},
            "y": {
                "field": "gap_count",
                "type": "quantitative",
                "title": "answers (count)",
                "axis": {"tickCount": 3, "tickMinStep": 1, "format": "d"},
            },
            "tooltip": [
                {"field": "bin_start_s", "type": "quantitative", "format": ".2f"},
                {"field": "bin_end_s", "type": "quantitative", "format": ".2f"},
                {"field": "gap_count", "type": "quantitative"},
            ],
        },
    }
    dashes = {"domain": ["median", "95th percentile"], "range": [[1, 0], [5, 4]]}
    rule = {
        "data": marks,
        "mark": {"type": "rule", "color": theme.INK, "strokeWidth": 1.5, "clip": True},
        "encoding": {
            "x": {"field": "at_s", "type": "quantitative"},
            "strokeDash": {"field": "name", "type": "nominal", "scale": dashes, "legend": None},
            "tooltip": [
                {"field": "name", "type": "nominal"},
                {"field": "at_s", "type": "quantitative", "format": ".2f"},
            ],
        },
    }
    look = {"anchor": "start", "fontSize": 11.5, "fontWeight": "normal", "color": theme.INK, "offset": 2}
    title = {**look, "text": theme.lines(_heading(row))}
    return {"layer": [band, bars, rule], "width": theme.WIDTH - 70, "height": 80, "title": title}


def _heading(row: dict[str, Any]) -> str:
    agent = visible(str(row["agent_id"]))
    if row["agent_version"] != "not supplied":
        agent += " " + visible(str(row["agent_version"]))
    percentiles = f"{_percentile(row, 'p50')}, {_percentile(row, 'p95')} · n = {row['response_count']:,}"
    bounds = [row[f"gap_{which}_{end}_s"] for which in ("p50", "p95") for end in ("low", "high")]
    why = f" · {row['reason']}" if row.get("reason") and bounds == [None] * 4 else ""
    return f"agent {agent} · clock: {row['clock']} · {percentiles}{why}"


def _percentile(row: dict[str, Any], which: str) -> str:
    value, low, high = (row[f"gap_{which}_{end}_s"] for end in ("lin", "low", "high"))
    if value is None:
        return f"{which} not known"
    if low is None and high is None:
        return f"{which} {value:.2f} s"
    ends = [f"{end:.2f}" if end is not None else "open" for end in (low, high)]
    return f"{which} {value:.2f} s [{ends[0]}, {ends[1]}]"
