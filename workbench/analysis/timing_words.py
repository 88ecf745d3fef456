"""Names of columns as a reader of the timing notebook meets them: words with their unit, one for each name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.decimals import percent

if TYPE_CHECKING:
    import polars as pl

HEADINGS = {
    "call_id": "call",
    "onset_s": "onset (s)",
    "expect": "labelled",
    "status": "verdict",
    "reason": "reason",
    "ended": "what the agent did",
    "talk_over_s": "talk-over (s)",
    "caller_s": "callers speak (s)",
    "response_gap_s": "response gap (s)",
    "decision_margin_s": "slack (s)",
    "mark": "mark",
    "parameter": "parameter",
    "side": "side",
    "kept_at": "kept at",
    "flips_at": "flips at",
    "status_then": "verdict then",
    "reason_then": "reason then",
    "group": "group",
    "agent_id": "agent",
    "agent_version": "version",
    "call_count": "calls",
    "moment_count": "moments",
    "response_count": "answers",
    "censored_count": "censored",
    "yielded_count": "yielded",
    "no_yield_count": "no yield",
    "not_judged_count": "not judged",
    "first_call": "first call",
    "tau_s": "tau (s)",
    "finished_mean_s": "mean of finished (s)",
    "unit": "unit",
}


def in_words(rows: pl.DataFrame) -> pl.DataFrame:
    """Return rows whose columns are named in words.

    Parameters
    ----------
    rows : polars.DataFrame
        Columns that are not in :data:`HEADINGS` keep their names.

    Returns
    -------
    polars.DataFrame
        The same rows.
    """
    return rows.rename({name: HEADINGS[name] for name in rows.columns if name in HEADINGS})


def as_agreement(rows: pl.DataFrame) -> pl.DataFrame:
    """Return how often two authors say the same, in words.

    Parameters
    ----------
    rows : polars.DataFrame
        Of the view `label_agreement`.

    Returns
    -------
    polars.DataFrame
        "none" where there is no interval.
    """
    import polars as pl

    names = ("agreement_rate", "agreement_rate_low", "agreement_rate_high")
    texts = {
        "the same": [f"{same} of {all_}" for same, all_ in rows.select("agreement_count", "trial_count").iter_rows()],
        "rate (%), 95 %": [
            "none" if low is None else f"{percent(rate)}, {percent(low)} to {percent(high)}"
            for rate, low, high in rows.select(names).iter_rows()
        ],
    }
    counts = {
        "both_yield_count": "both yield",
        "both_hold_count": "both hold",
        "yield_hold_count": "yield, hold",
        "hold_yield_count": "hold, yield",
        "unclear_count": "unclear",
    }
    return rows.select(
        pl.col("author").alias("who"),
        pl.col("other_author").alias("and who"),
        pl.col("call_count").alias("calls"),
        *(pl.Series(name, values, dtype=pl.String) for name, values in texts.items()),
        *(pl.col(name).alias(said) for name, said in counts.items()),
    )
