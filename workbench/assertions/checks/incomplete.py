"""The call did not come to its end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from msgspec import Struct

from workbench.assertions.verdicts import as_json, conclude, findings, otherwise

if TYPE_CHECKING:
    from workbench.assertions.pack import Definition
    from workbench.assertions.rows import Rows

KIND = "incomplete"
ABOUT = "The call did not come to its end."


class Parameters(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """No parameters."""


def evaluate(rows: Rows, definition: Definition) -> pl.DataFrame:
    """Fail each call whose source says that it did not complete.

    Parameters
    ----------
    rows : Rows
        `calls`.
    definition : Definition
        No parameters.

    Returns
    -------
    polars.DataFrame
        INCONCLUSIVE where the source does not say.
    """
    calls = rows.table("calls").select("call_id", "completed", "ended_by")
    observed = as_json(completed=pl.col("completed"), ended_by=pl.col("ended_by"))
    evidence = as_json(column=pl.lit("calls.completed"))
    return conclude(
        findings(
            calls.filter(~pl.col("completed")),
            definition,
            message=pl.lit("The call did not complete."),
            observed=observed,
            expected=as_json(completed=pl.lit(value=True)),
            evidence=evidence,
        ),
        otherwise(
            calls,
            reasons=[(pl.col("completed").is_null(), "INCONCLUSIVE", "The source does not state completed.")],
            passed="The call completed.",
            observed=observed,
            evidence=evidence,
        ),
    )
