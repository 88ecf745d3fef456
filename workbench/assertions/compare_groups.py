"""Compares the calls that only a later run judged, as a group, with the calls of the earlier run."""

from __future__ import annotations

import polars as pl

from workbench.stats.rates import newcombe

SCHEMA = {
    "assertion_id": pl.String,
    "before_pass": pl.Int64,
    "before_trials": pl.Int64,
    "added_pass": pl.Int64,
    "added_trials": pl.Int64,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "confidence": pl.Float64,
}


def compare_groups(old: pl.DataFrame, new: pl.DataFrame) -> pl.DataFrame:
    """Compare pass rates of two groups of different calls.

    New calls have ids of their own, so that no pair can be made of them: the groups are independent.

    Parameters
    ----------
    old, new : polars.DataFrame
        One row per assertion and call: `assertion_id`, `call_id`, and the status in `before` or `after`.

    Returns
    -------
    polars.DataFrame
        One row per assertion that both groups could be judged by: passes and trials (PASS or FAIL) of the
        calls of the earlier run and of the calls only the later one has, the difference of pass rates, added
        minus before, and Newcombe's interval. The confidence is 1 - 0.05 / k for k assertions looked at
        (Bonferroni). No rows without added calls.
    """
    added = new.join(old.select("call_id").unique(), on="call_id", how="anti")
    counted = _counts(old, "before").join(
        _counts(added.rename({"after": "before"}), "before", prefix="added"), on="assertion_id"
    )
    rows = counted.filter((pl.col("before_trials") > 0) & (pl.col("added_trials") > 0)).sort("assertion_id").to_dicts()
    confidence = 1 - 0.05 / len(rows) if rows else 0.95
    for row in rows:
        found = newcombe(
            row["added_pass"],
            row["added_trials"],
            successes_2=row["before_pass"],
            trials_2=row["before_trials"],
            confidence=confidence,
        )
        assert found is not None  # both groups have trials
        row |= {"difference": found.difference, "low": found.low, "high": found.high, "confidence": confidence}
    return pl.DataFrame(rows, schema=SCHEMA)


def _counts(statuses: pl.DataFrame, column: str, *, prefix: str = "before") -> pl.DataFrame:
    return statuses.group_by("assertion_id").agg(
        (pl.col(column) == "PASS").sum().cast(pl.Int64).alias(f"{prefix}_pass"),
        pl.col(column).is_in(["PASS", "FAIL"]).sum().cast(pl.Int64).alias(f"{prefix}_trials"),
    )
