"""Runs a pack over rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from workbench.assertions.registry import kinds
from workbench.assertions.verdicts import RESULT
from workbench.schema.assertion_results import AssertionResults
from workbench.schema.assertions import Assertions

if TYPE_CHECKING:
    from workbench.assertions.pack import Pack
    from workbench.assertions.rows import Rows

_ORDER = ("turn_ix", "start_s", "end_s", "observed", "expected", "evidence", "message")


def run_pack(pack: Pack, rows: Rows, *, run_id: str) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Check every call against every assertion of a pack.

    Parameters
    ----------
    pack : Pack
        What to check.
    rows : Rows
        What to look at; the order of rows does not matter.
    run_id : str
        Run the results belong to.

    Returns
    -------
    definitions : polars.DataFrame
        Rows of `assertions`, one per assertion.
    results : polars.DataFrame
        Rows of `assertion_results`, sorted by key. Each pair of assertion and call has at least one; none
        for no calls. A call that a kind gave no row is ERROR, never left out.

    Raises
    ------
    SchemaFailed
        When a frame of `rows` lacks a column.
    UsageError
        When a parameter of the pack is wrong.
    """
    definitions = Assertions.frame(
        [
            {
                "run_id": run_id,
                "assertion_id": definition.id,
                "kind": definition.kind,
                "pack": pack.name,
                "dimension": definition.dimension,
                "severity": definition.severity,
                "deterministic": True,
                "parameters": definition.resolved(),
                "definition_sha256": definition.sha256(),
            }
            for definition in pack.assertions
        ]
    ).sort("assertion_id")
    calls = rows.table("calls").select("call_id")
    parts = [AssertionResults.frame([])]
    stretches = []
    for definition in pack.assertions:
        kind = kinds()[definition.kind]
        found = _complete(kind.evaluate(rows, definition), calls)
        parts.append(
            found.with_columns(
                run_id=pl.lit(run_id),
                assertion_id=pl.lit(definition.id),
                dimension=pl.lit(definition.dimension),
                deterministic=pl.lit(value=True),
                result_ix=pl.lit(0, pl.Int32),
            ).select(list(AssertionResults.polars()))
        )
        if kind.stretch:
            stretches.append(definition.id)
    results = _shared_stretches(pl.concat(parts), stretches)
    results = results.sort("assertion_id", "call_id", *_ORDER, nulls_last=False).with_columns(
        pl.int_range(pl.len(), dtype=pl.Int32).over("assertion_id", "call_id").alias("result_ix")
    )
    return definitions, results


def _complete(found: pl.DataFrame, calls: pl.DataFrame) -> pl.DataFrame:
    """Add an ERROR row for each call that a kind passed over in silence."""
    forgotten = calls.join(found, on="call_id", how="anti").with_columns(
        status=pl.lit("ERROR"),
        message=pl.lit("the check gave no verdict on this call; this is a bug of the check"),
    )
    return pl.concat([found, forgotten], how="diagonal").select(list(RESULT))


def _shared_stretches(results: pl.DataFrame, assertion_ids: list[str]) -> pl.DataFrame:
    """Note in the evidence of each finding which other findings speak of the same stretch of silence.

    A slow response and dead air are two questions, and one long gap answers both; a reader must be able to
    count the gap once.
    """
    key = ["call_id", "start_s", "end_s"]
    stretch = (
        (pl.col("status") == "FAIL") & pl.col("assertion_id").is_in(assertion_ids) & pl.col("start_s").is_not_null()
    )
    shared = (
        results.filter(stretch)
        .select(*key, pl.col("assertion_id").alias("other"))
        .unique()
        .join(results.filter(stretch).select(*key, "assertion_id").unique(), on=key)
        .filter(pl.col("other") != pl.col("assertion_id"))
        .group_by(*key, "assertion_id")
        .agg(pl.col("other").sort())
        .with_columns(also=pl.struct(shares_stretch_with="other").struct.json_encode())
        .drop("other")
    )
    merged = results.join(shared, on=[*key, "assertion_id"], how="left", nulls_equal=False)
    joined = pl.col("evidence").str.strip_suffix("}") + "," + pl.col("also").str.strip_prefix("{")
    return merged.with_columns(
        evidence=pl.when(stretch & pl.col("also").is_not_null()).then(joined).otherwise("evidence")
    ).drop("also")
