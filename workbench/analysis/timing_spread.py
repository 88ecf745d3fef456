"""Histograms of what timing measures, with what was not seen to its end apart; and how much of it was talk-over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.analysis.timing_slices import group_of
from workbench.stats import ratios, resampling

if TYPE_CHECKING:
    import polars as pl

GAP, YIELD, OVER = "response gap", "time to yield", "talk-over"
SEEN, CENSORED = "seen to its end", "longer than this (censored)"
_GAPS = "select call_id, gap_s, agent_version, source_format, caller_noisy, caller_narrow_band, agent_fast_talker"
_OF_CALLS = "from turn_gaps join calls using (call_id) join call_slices using (call_id)"
GAPS = f"{_GAPS} {_OF_CALLS} where clock = 'audio' order by call_id, gap_ix"
"""Every response gap that was heard, with what parts its call from others."""


def gap_bins(gaps: pl.DataFrame, *, by: str | None = None, most_bins: int = 40) -> pl.DataFrame:
    """Return how many response gaps fall into each bin; no label is needed for them.

    Parameters
    ----------
    gaps : polars.DataFrame
        `gap_s`, from the view `turn_gaps`.
    by : str, optional
        Column that parts them; gaps that lack it, as what a label says, stay together.
    most_bins : int, default 40
        As :func:`spread` takes them.

    Returns
    -------
    polars.DataFrame
        Columns and rows as :func:`spread` has them; empty for no gaps.
    """
    import polars as pl

    own = by if by is None or by in gaps.columns else None
    values = gaps.select(group_of(own), pl.col("gap_s").alias("s"), pl.lit(value=False).alias("censored"))
    return _binned(GAP, values, most_bins)


def spread(
    events: pl.DataFrame, gaps_binned: pl.DataFrame, *, by: str | None = None, most_bins: int = 40
) -> pl.DataFrame:
    """Return how many of each measure fall into each bin.

    Parameters
    ----------
    events : polars.DataFrame
        Rows of the view `timing_events` of one config.
    gaps_binned : polars.DataFrame
        From :func:`gap_bins`, parted by the same column: they stay the same however moments are scored.
    by : str, optional
        Column that parts them.
    most_bins : int, default 40
        Bins at most; each is the narrowest of 0.05, 0.1, 0.2, 0.25, 0.5 and 1 s that reaches the longest time,
        and longer times are counted in the last.

    Returns
    -------
    polars.DataFrame
        `measure`, `group`, `bin_start_s`, `bin_end_s`, `ended`, `moment_count`; bins of a measure are those of all
        groups. Talk-over of an agent that spoke on to the
        end of what was looked at is censored with it: it would have gone on.
    """
    import polars as pl

    awaited = events.filter(pl.col("awaits_yield"))
    censored = pl.col("yield_censored").alias("censored")
    spoke_on = (pl.col("yield_censored") & pl.col("agent_quiet_s").is_null()).alias("censored")
    yields = awaited.select(group_of(by), pl.col("yield_observed_s").alias("s"), censored)
    over = awaited.select(group_of(by), pl.col("talk_over_s").alias("s"), spoke_on)
    return pl.concat([gaps_binned, _binned(YIELD, yields, most_bins), _binned(OVER, over, most_bins)])


def _binned(measure: str, values: pl.DataFrame, most_bins: int) -> pl.DataFrame:
    """Bins of one measure: `values` has `group`, `s` and `censored`."""
    import polars as pl

    width = bin_width(max(values["s"].to_list(), default=0.0), most_bins)
    place = (pl.col("s") / width + 1e-9).floor().clip(0, most_bins - 1)
    return (
        values.group_by("group", place.alias("ix"), "censored")
        .agg(pl.len().cast(pl.Int64).alias("moment_count"))
        .sort("group", "ix", "censored")
        .select(
            pl.lit(measure).alias("measure"),
            "group",
            (pl.col("ix") * width).alias("bin_start_s"),
            ((pl.col("ix") + 1) * width).alias("bin_end_s"),
            pl.when("censored").then(pl.lit(CENSORED)).otherwise(pl.lit(SEEN)).alias("ended"),
            "moment_count",
        )
    )


def bin_width(longest_s: float, most_bins: int) -> float:
    """Return the narrowest width of bins that reach a length, at most 1 s.

    Parameters
    ----------
    longest_s : float
        In seconds.
    most_bins : int
        Bins at most.

    Returns
    -------
    float
        In seconds.
    """
    return next((width for width in (0.05, 0.1, 0.2, 0.25, 0.5) if width * most_bins > longest_s), 1.0)


def talk_over_shares(calls: pl.DataFrame, *, by: str | None = None, confidence: float = 0.95) -> pl.DataFrame:
    """Return for how much of the callers' speech the agent spoke as well, as a ratio of sums.

    Parameters
    ----------
    calls : polars.DataFrame
        Rows of the query `talk_over_share`: one a call and clock.
    by : str, optional
        Column that parts them, beside the clock.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    polars.DataFrame
        `group`, `clock`, `call_count`, `talk_over_s`, `caller_s`, `share`, `share_low` and `share_high` (linearised,
        t), `boot_low` and `boot_high` (studentised bootstrap of calls), cut to 0..1, `reason` (what speaks against
        the limits). No limits below three calls.
    """
    import polars as pl

    kinds: dict[str, Any] = {"group": pl.String, "clock": pl.String, "call_count": pl.Int64}
    numbers = ("talk_over_s", "caller_s", "share", "share_low", "share_high", "boot_low", "boot_high")
    kinds |= dict.fromkeys(numbers, pl.Float64) | {"reason": pl.String}
    rows = []
    parts = calls.with_columns(group_of(by)).sort("call_id").partition_by("group", "clock", as_dict=True)
    for (name, clock), own in sorted(parts.items(), key=lambda part: (str(part[0][0]), str(part[0][1]))):
        both, spoken = own["talk_over_s"].to_list(), own["caller_s"].to_list()
        found = ratios.ratio_of_sums(both, spoken, confidence=confidence)
        row = {"group": name, "clock": clock, "call_count": len(own), "talk_over_s": sum(both), "caller_s": sum(spoken)}
        if found is None:
            rows.append(row | {"reason": "no caller spoke"})
            continue
        counts = resampling.draws(own["call_id"].to_list())
        boot = ratios.bootstrap_t(both, spoken, counts=counts, confidence=confidence)
        row |= {"share": found.ratio, "share_low": _cut(found.low), "share_high": _cut(found.high)}
        row |= {"boot_low": boot and _cut(boot.low), "boot_high": boot and _cut(boot.high)}
        rows.append(row | {"reason": _against(len(own), spread=found.low is not None)})
    return pl.DataFrame(rows, schema=kinds)


def _against(call_count: int, *, spread: bool) -> str | None:
    """What speaks against the intervals of a ratio, as the view `response_gap_by_agent` says it of gaps."""
    if call_count < resampling.FEWEST_CLUSTERS:
        return "fewer than 3 calls: no interval"
    if not spread:
        return "no spread: no interval"
    return resampling.narrow(call_count)


def _cut(limit: float | None) -> float | None:
    return None if limit is None else min(1.0, max(0.0, limit))
