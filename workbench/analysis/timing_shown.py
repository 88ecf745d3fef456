"""What timing found, as a reader meets it: bounds in one column, lower bounds named as such, tests as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.analysis.timing_words import HEADINGS, in_words
from workbench.decimals import between, percent
from workbench.plural import plural

if TYPE_CHECKING:
    import polars as pl

    from workbench.stats.log_rank import LogRank

_COUNTS = ("call_count", "moment_count", "response_count", "censored_count")
_LAST = ("tau_s", "finished_mean_s", "unit", "reason")
MOMENTS = {"call": 165, "onset (s)": 85, "labelled": 80, "verdict": 130, "reason": 165, "what the agent did": 150}
MOMENTS |= {"talk-over (s)": 105, "response gap (s)": 130, "slack (s)": 80, "mark": 85}
MOMENTS |= {"parameter": 165, "side": 65, "kept at": 75, "flips at": 75, "verdict then": 130, "reason then": 170}
WIDTHS = {"group": 120, "agent": 110, "version": 105, "labelled": 80, "yielded": 80, "no yield": 80}
WIDTHS |= {"calls": 60, "moments": 80, "answers": 75, "censored": 80, "not judged": 95}
WIDTHS |= {"who": 200, "and who": 200, "the same": 90, "rate (%), 95 %": 120}
WIDTHS |= {f"{name} (s)": 85 for name in ("median", "p50", "p90", "p95", "tau")}
WIDTHS |= {f"{name}, 95 %": 105 for name in ("median", "p50", "p90", "p95", "mean")}
WIDTHS |= {"mean up to tau (s)": 130, "mean of finished (s)": 145, "reason": 230, "unit": 150}
"""Widths of columns in pixels, in tables of moments and in the others."""
_MARKUP = {ord(mark): " " for mark in "`*_<>[]()#\n"}


def ticks(times: pl.DataFrame) -> list[float]:
    """Return round times at which numbers at risk are given.

    Parameters
    ----------
    times : polars.DataFrame
        With `duration_s`.

    Returns
    -------
    list of float
        From 0 to the longest time, at most nine up to 80 s.
    """
    longest = max(times["duration_s"].to_list(), default=0.0)
    step = next((step for step in (0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0) if longest / step <= 8), 30.0)
    return [step * ix for ix in range(int(longest / step + 1e-9) + 1)]


def with_intervals(
    rows: pl.DataFrame, measures: Sequence[str] = ("median", "p90", "mean"), *, prefix: str = ""
) -> pl.DataFrame:
    """Return a summary with each measure's two bounds in one column.

    Parameters
    ----------
    rows : polars.DataFrame
        From :func:`workbench.analysis.timing_survival.summaries`, or the view `response_gap_by_agent`.
    measures : sequence of str
        Names of columns without their unit.
    prefix : str
        Before each name.

    Returns
    -------
    polars.DataFrame
        "above" and "up to" where the data reach one bound only; "none" where they reach neither.
    """
    import polars as pl

    names = [name for name in ("group", "agent_id", "agent_version", *_COUNTS) if name in rows.columns]
    found = [rows[name].alias(HEADINGS[name]) for name in names]
    for measure in measures:
        whole = f"{prefix}{measure}_s" if f"{prefix}{measure}_s" in rows.columns else f"{prefix}{measure}_lin_s"
        pairs = zip(rows[f"{prefix}{measure}_low_s"], rows[f"{prefix}{measure}_high_s"], strict=True)
        found.append(rows[whole].alias("mean up to tau (s)" if measure == "mean" else f"{measure} (s)"))
        found.append(pl.Series(f"{measure}, 95 %", [between(*pair) or "none" for pair in pairs], dtype=pl.String))
    return pl.DataFrame([*found, *(rows[name].alias(HEADINGS[name]) for name in _LAST if name in rows.columns)])


def as_moments(events: pl.DataFrame) -> pl.DataFrame:
    """Return events with the time to yield as text, and what marks them.

    Parameters
    ----------
    events : polars.DataFrame
        Rows of the view `timing_events`, with `flipped`.

    Returns
    -------
    polars.DataFrame
        With `ended`, which says where a time is only a lower bound, and `mark`; null where there is nothing to say.
    """
    import polars as pl

    near = pl.col("boundary_sensitive").fill_null(value=False)
    return events.with_columns(
        ended=pl.when(pl.col("yield_observed_s").is_null())
        .then(pl.lit(None, pl.String))
        .when(pl.col("yield_censored") & pl.col("agent_quiet_s").is_not_null())
        .then(pl.format("stopped {} s, no caller near", pl.col("yield_observed_s").round(2)))
        .when("yield_censored")
        .then(pl.format("spoke on > {} s", pl.col("yield_observed_s").round(2)))
        .otherwise(pl.format("yielded {} s", pl.col("yield_observed_s").round(2))),
        mark=pl.when(pl.col("flipped") | near).then(
            pl.concat_str(
                [pl.when("flipped").then(pl.lit("flipped")), pl.when(near).then(pl.lit("next to a bound"))],
                separator=", ",
                ignore_nulls=True,
            )
        ),
    )


def several_labels(events: pl.DataFrame) -> str:
    """Return how many moments have several labels, and how these count, in words.

    Parameters
    ----------
    events : polars.DataFrame
        Rows of the view `timing_events` of one config.

    Returns
    -------
    str
        Two sentences.
    """
    several = events.filter(events["label_count"] > 1)
    return (
        f"{plural(len(several), 'moment')} with several labels (within 0.25 s), each counted once; "
        f"{several['disagree'].sum():,} of them "
        "labelled both yield and hold, and not judged until one label is taken back."
    )


def as_cells(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the four cells with their pass rates as counts and interval.

    Parameters
    ----------
    rows : polars.DataFrame
        Of :mod:`workbench.analysis.timing_counts`: both tables, joined by `expect`.

    Returns
    -------
    polars.DataFrame
        Two rows; what the unit of the intervals is says :func:`workbench.analysis.timing_counts.unit_said`.
    """
    import polars as pl

    said = [f"{row['pass_count']} of {row['trial_count']}{interval(row)}" for row in rows.iter_rows(named=True)]
    counts = in_words(rows.select("expect", "yielded_count", "no_yield_count", "not_judged_count"))
    return counts.with_columns(pl.Series("judged moments that pass", said, dtype=pl.String))


def as_shares(rows: pl.DataFrame) -> pl.DataFrame:
    """Return shares of talk-over as percentages with both intervals.

    Parameters
    ----------
    rows : polars.DataFrame
        From :func:`workbench.analysis.timing_spread.talk_over_shares`.

    Returns
    -------
    polars.DataFrame
        An interval that the data cannot give is "none".
    """
    import polars as pl

    def bounds(row: Mapping[str, Any], low: str, high: str) -> str:
        return "none" if row[low] is None else f"{one_place(row[low])} to {one_place(row[high])}"

    def one_place(rate: float) -> str:
        return f"{percent(rate, places=1)}%"

    listed = list(rows.iter_rows(named=True))
    texts = {"share": ["none" if row["share"] is None else one_place(row["share"]) for row in listed]}
    texts["95 %, linearised"] = [bounds(row, "share_low", "share_high") for row in listed]
    texts["95 %, bootstrap of calls"] = [bounds(row, "boot_low", "boot_high") for row in listed]
    counts = in_words(rows.select("group", "call_count", "talk_over_s", "caller_s"))
    columns = [pl.Series(name, values, dtype=pl.String) for name, values in texts.items()]
    return counts.with_columns(*columns, rows["reason"])


def tested(found: LogRank | None, *, ruler_count: int) -> str:
    """Return what the log-rank test says, as a sentence in which no name is markup.

    Parameters
    ----------
    found : LogRank or None
    ruler_count : int
        How many measuring configs the moments were measured with: groups of two rulers are not tested.

    Returns
    -------
    str
        Empty where there is nothing to compare.
    """
    if found is None:
        return ""
    if ruler_count > 1:
        return (
            f"Measured with {ruler_count} configs, which are different rulers: no groups are tested against each "
            "other. `workbench measure` measures all calls with one config where their sound is there."
        )
    groups = ", ".join(
        f"{name}: {seen} seen, {expected:.1f} expected"
        for name, seen, expected in zip(found.groups, found.observed, found.expected, strict=True)
    )
    test = f"Log-rank test: chi-square {found.chi2:.2f}, df {found.df}, p = {found.p:.3g}"
    return f"{test} ({groups.translate(_MARKUP)}). It takes moments for independent."


def interval(row: Mapping[str, Any]) -> str:
    """Return the interval of a rate as text.

    Parameters
    ----------
    row : mapping
        `pass_rate`, `pass_rate_low`, `pass_rate_high`.

    Returns
    -------
    str
        Empty where there is none.
    """
    if row["pass_rate_low"] is None:
        return ""
    rate, low, high = (f"{percent(row[name])}%" for name in ("pass_rate", "pass_rate_low", "pass_rate_high"))
    return f" ({rate}, 95 % interval {low} to {high})"


def seconds(value: float | None) -> str:
    """Return seconds as text.

    Parameters
    ----------
    value : float or None

    Returns
    -------
    str
        None was not reached.
    """
    return "not reached" if value is None else f"{value:.2f} s"
