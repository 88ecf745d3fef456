"""Compares two assertion runs on the calls both judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import polars as pl

from workbench.assertions.compare_groups import compare_groups
from workbench.errors import UsageError
from workbench.stats.paired import mcnemar, tango

Verdict = Literal["REGRESSION", "IMPROVED", "NO CHANGE"]
CHANGES = (
    "broke",
    "fixed",
    "still_failing",
    "newly_seen_failing",
    "became_inconclusive",
    "no_longer_failing",
    "unchanged",
)
STATUSES = ("PASS", "FAIL", "INCONCLUSIVE", "NOT_SCORABLE", "SKIPPED", "ERROR")
_PAIR = ["assertion_id", "call_id"]
_WORST_FIRST = ["FAIL", "ERROR", "NOT_SCORABLE", "INCONCLUSIVE", "PASS", "SKIPPED"]


@dataclass(frozen=True)
class Diff:
    """What changed from one run to another.

    ``changes``: one row per assertion and call judged in both, with ``before``, ``after`` and ``change``:
    broke (PASS or SKIPPED, now FAIL), fixed (FAIL, now PASS), still_failing, newly_seen_failing (unknown
    before, now FAIL), became_inconclusive (no verdict any more), no_longer_failing (FAIL, now SKIPPED),
    unchanged.

    ``by_assertion``: one row per shared assertion: calls_shared, each status before and after, a count for
    each change, pairs (PASS or FAIL on both sides), b (PASS before only), c (PASS after only), p_exact
    (McNemar), and the difference of pass rates after minus before with Tango's interval (null without pairs).

    ``added_failures``: failures on calls or assertions that only the later run has; one by one they are no
    regression.

    ``groups``: the added calls as a group against the calls of the earlier run, see
    :func:`~workbench.assertions.compare_groups.compare_groups`.
    """

    verdict: Verdict
    changes: pl.DataFrame
    by_assertion: pl.DataFrame
    added_calls: list[str]
    removed_calls: list[str]
    added_assertions: list[str]
    removed_assertions: list[str]
    added_failures: pl.DataFrame
    groups: pl.DataFrame

    def count(self, change: str) -> int:
        """Return how many pairs of assertion and call changed in this way.

        Raises
        ------
        UsageError
            For a name that is not in `CHANGES`.
        """
        if change not in CHANGES:
            raise UsageError(f"no change {change!r}", hint=f"one of {', '.join(CHANGES)}")
        return self.changes.filter(pl.col("change") == change).height


def compare_runs(before: pl.DataFrame, after: pl.DataFrame) -> Diff:
    """Compare two runs, paired by assertion and call.

    Parameters
    ----------
    before, after : polars.DataFrame
        Rows of `assertion_results`, each of one run.

    Returns
    -------
    Diff
        REGRESSION where anything broke on a shared call, or where the added calls as a group pass less often
        and the interval of the difference excludes 0; IMPROVED where something was fixed, or the group passes
        more often in the same sense, and nothing is a regression; else NO CHANGE.
        Verdicts that could not be given are never taken for passes or failures.

    Raises
    ------
    UsageError
        When a frame holds several runs, or the two share no assertion: nothing can be said then.

    Notes
    -----
    Pairs of a call repeated under one id do not occur; where several calls are repeats of one scenario they
    are not independent, and p and interval are too narrow.
    """
    old, new = _statuses(before, "before"), _statuses(after, "after")
    paired = old.join(new, on=_PAIR).sort(_PAIR).with_columns(change=_change())
    groups = compare_groups(old, new)
    if paired.is_empty() and groups.is_empty():
        raise UsageError(
            "the two runs have no assertion and call in common, and no groups that could be judged",
            hint="compare runs of one pack over the same calls, or over calls that can be judged",
        )
    broke = (paired["change"] == "broke").any() or (groups["high"] < 0).any()
    fixed = (paired["change"] == "fixed").any() or (groups["low"] > 0).any()
    return Diff(
        verdict="REGRESSION" if broke else "IMPROVED" if fixed else "NO CHANGE",
        changes=paired,
        by_assertion=_by_assertion(paired),
        added_calls=_only(new, old, "call_id"),
        removed_calls=_only(old, new, "call_id"),
        added_assertions=_only(new, old, "assertion_id"),
        removed_assertions=_only(old, new, "assertion_id"),
        added_failures=new.join(old, on=_PAIR, how="anti").filter(pl.col("after") == "FAIL").select(_PAIR).sort(_PAIR),
        groups=groups,
    )


def _statuses(results: pl.DataFrame, name: str) -> pl.DataFrame:
    """Return one status per assertion and call: FAIL where any row is."""
    if results["run_id"].n_unique() > 1:
        raise UsageError(f"the frame {name} holds several runs", hint="filter by run_id")
    return (
        results.with_columns(pl.col("status").cast(pl.Enum(_WORST_FIRST)))
        .group_by(_PAIR)
        .agg(pl.col("status").min().cast(pl.String).alias(name))
    )


def _change() -> pl.Expr:
    failed, fails = pl.col("before") == "FAIL", pl.col("after") == "FAIL"
    judged = ["PASS", "FAIL", "SKIPPED"]
    was_known, is_known = pl.col("before").is_in(judged), pl.col("after").is_in(judged)
    return (
        pl.when(failed & fails)
        .then(pl.lit("still_failing"))
        .when(fails & was_known)
        .then(pl.lit("broke"))
        .when(fails)
        .then(pl.lit("newly_seen_failing"))
        .when(was_known & ~is_known)
        .then(pl.lit("became_inconclusive"))
        .when(failed & (pl.col("after") == "PASS"))
        .then(pl.lit("fixed"))
        .when(failed)
        .then(pl.lit("no_longer_failing"))
        .otherwise(pl.lit("unchanged"))
    )


def _by_assertion(paired: pl.DataFrame) -> pl.DataFrame:
    statuses = [
        (pl.col(side) == status).sum().cast(pl.Int64).alias(f"{side}_{status.lower()}")
        for side in ("before", "after")
        for status in STATUSES
    ]
    changes = [(pl.col("change") == change).sum().cast(pl.Int64).alias(change) for change in CHANGES]
    cells = {
        "both": ("PASS", "PASS"),
        "b": ("PASS", "FAIL"),
        "c": ("FAIL", "PASS"),
        "neither": ("FAIL", "FAIL"),
    }
    counted = [
        ((pl.col("before") == left) & (pl.col("after") == right)).sum().cast(pl.Int64).alias(cell)
        for cell, (left, right) in cells.items()
    ]
    table = (
        paired.group_by("assertion_id")
        .agg(pl.len().cast(pl.Int64).alias("calls_shared"), *statuses, *changes, *counted)
        .sort("assertion_id")
    )
    tests = []
    for row in table.select(*cells).iter_rows(named=True):
        pairs = sum(row.values())
        moved = tango(both=row["both"], first_only=row["c"], second_only=row["b"], neither=row["neither"])
        tests.append(
            {
                "pairs": pairs,
                "p_exact": mcnemar(row["b"], row["c"]).p_exact if pairs else None,
                "difference": moved and moved.difference,
                "difference_low": moved and moved.low,
                "difference_high": moved and moved.high,
            }
        )
    schema = {"pairs": pl.Int64, "p_exact": pl.Float64, "difference": pl.Float64}
    schema |= {"difference_low": pl.Float64, "difference_high": pl.Float64}
    return table.drop("both", "neither").hstack(pl.DataFrame(tests, schema=schema))


def _only(these: pl.DataFrame, those: pl.DataFrame, column: str) -> list[str]:
    return sorted(set(these[column]) - set(those[column]))
