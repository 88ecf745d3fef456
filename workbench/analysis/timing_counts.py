"""Counts of scored moments: what was expected against what the agent did, and rates with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from workbench.stats.bounded import wilson_over_calls
from workbench.stats.rates import wilson

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

JUDGED = ("PASS", "FAIL")
EXPECTED = ("yield", "hold")
DISAGREE, UNSAID = "labels disagree", "not said"
"""What stands for the expectation of a moment whose labels say both, or say neither."""


def four_cells(events: pl.DataFrame) -> pl.DataFrame:
    """Return how often the agent yielded where it should have, and where it should have held; and how often not.

    Parameters
    ----------
    events : polars.DataFrame
        Rows of the view `timing_events` of one config.

    Returns
    -------
    polars.DataFrame
        `expect`, `yielded_count`, `no_yield_count`, `not_judged_count`: two rows, whatever is there, and one more for
        moments whose labels disagree and for those whose labels do not say, where there are any: every moment is in
        one row. An agent that stopped with no caller near did not yield, which is not to say that it held. Never an
        accuracy: a yield too many and one too few are different faults.
    """
    import polars as pl

    names = ("expect", "yielded_count", "no_yield_count", "not_judged_count")
    rows = []
    for expect, own in _parts(events):
        done = own.filter("judged")
        yielded = int(done["did_yield"].sum())
        rows.append((expect, yielded, done.height - yielded, own.height - done.height))
    return pl.DataFrame(rows, schema=list(names), orient="row").cast(dict.fromkeys(names[1:], pl.Int64))


def _parts(events: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """The moments by what was expected; those of which that is not known behind the others, where there are any."""
    import polars as pl

    apart = pl.when(pl.col("disagree").fill_null(value=False)).then(pl.lit(DISAGREE)).otherwise(pl.lit(UNSAID))
    moments = events.select(
        pl.col("expect").fill_null(apart).alias("part"),
        pl.col("status").is_in(JUDGED).alias("judged"),
        (pl.col("status") == "PASS").alias("passed"),
        "did_yield",
        "call_id",
    )
    parts = {name: own for (name,), own in moments.partition_by("part", as_dict=True).items()}
    return [
        (name, parts.get(name, moments.clear()))
        for name in (*EXPECTED, DISAGREE, UNSAID)
        if name in parts or name in EXPECTED
    ]


def not_heard(events: pl.DataFrame, *awaits: str) -> dict[str, int]:
    """Return how many moments without a verdict are left out of times, by status.

    Parameters
    ----------
    events : polars.DataFrame
        Rows of the view `timing_events` of one config.
    *awaits : {'awaits_yield', 'awaits_response'}
        What the times are of; a moment without a verdict that awaits one of them is in there, as censored.

    Returns
    -------
    dict of str to int
        Empty where none is left out.
    """
    import polars as pl

    there = pl.any_horizontal(*(pl.col(name).fill_null(value=False) for name in awaits))
    left = events.filter(~pl.col("status").is_in(JUDGED) & ~there)
    return dict(left.group_by("status").len().iter_rows())


def rates(events: pl.DataFrame, *, confidence: float = 0.95) -> pl.DataFrame:
    """Return how many judged moments pass, by what was expected, with an interval that knows about calls.

    Parameters
    ----------
    events : polars.DataFrame
        Rows of the view `timing_events` of one config.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    polars.DataFrame
        Rows as :func:`four_cells` has them. `expect`, `pass_count`, `trial_count`, `call_count`, `pass_rate`,
        `pass_rate_low`, `pass_rate_high`, `unit`.
        With one moment a call the interval is Wilson's. Else calls are the unit: Wilson's at the effective number of
        moments, and over calls where all moments pass, or none; no interval below three calls.
    """
    import polars as pl

    kinds: dict[str, Any] = {"expect": pl.String}
    kinds |= dict.fromkeys(("pass_count", "trial_count", "call_count"), pl.Int64)
    kinds |= dict.fromkeys(("pass_rate", "pass_rate_low", "pass_rate_high"), pl.Float64) | {"unit": pl.String}
    rows = []
    for expect, part in _parts(events):
        judged = part.filter("judged")
        by_call = judged.group_by("call_id").agg(pl.col("passed").sum(), trials=pl.len()).sort("call_id")
        passed, trials, calls = int(by_call["passed"].sum()), judged.height, by_call.height
        row: dict[str, Any] = {"expect": expect, "pass_count": passed, "trial_count": trials, "call_count": calls}
        interval, unit = interval_over_calls(
            by_call["passed"].to_list(), by_call["trials"].to_list(), confidence=confidence
        )
        row |= {"pass_rate": passed / trials if trials else None, "unit": unit}
        rows.append(row | dict(zip(("pass_rate_low", "pass_rate_high"), interval, strict=True)))
    return pl.DataFrame(rows, schema=kinds)


def unit_said(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return what the unit of the intervals is, as a sentence that says each unit once.

    Parameters
    ----------
    rows : sequence of mapping
        Of :func:`rates`: `expect` and `unit`.

    Returns
    -------
    str
        Which labels a unit is of is said only where there are several.
    """
    of_unit: dict[str, list[str]] = {}
    for row in (row for row in rows if row["expect"] in EXPECTED):
        of_unit.setdefault(row["unit"], []).append(row["expect"])
    if len(of_unit) == 1:
        return f"Unit of the intervals: {next(iter(of_unit))}."
    said = (f"{unit} ({' and '.join(labels)})" for unit, labels in of_unit.items())
    return f"Unit of the intervals: {'; '.join(said)}."


def interval_over_calls(
    passed: list[int], trials: list[int], *, confidence: float = 0.95
) -> tuple[tuple[float | None, float | None], str]:
    """Return the interval of a rate whose trials lie in calls, and what its unit is.

    Parameters
    ----------
    passed, trials : list of int
        Successes and trials of each call.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    tuple of tuple and str
        Low and high, 0..1, both None where there is no interval; and the unit, or why there is none. With one trial
        a call it is Wilson's; else Wilson's at the effective number of trials, or over calls where all or none pass.
    """
    if not sum(trials):
        return (None, None), "no moment was judged"
    if max(trials) == 1:
        found = wilson(sum(passed), sum(trials), confidence=confidence)
        return (found or (None, None)), "moment, one a call"
    found = wilson_over_calls(passed, trials, confidence=confidence)
    if found is None:
        return (None, None), "fewer than 3 calls: no interval"
    return found, "call" if 0 < sum(passed) < sum(trials) else "call, as so many trials"
