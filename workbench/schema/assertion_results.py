"""The table `assertion_results`."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from workbench.schema import columns
from workbench.schema.table import Table


class AssertionResults(Table):
    """One row per finding of an assertion on a call in a run; exactly one row where there is nothing to find."""

    run_id = columns.key("run")
    assertion_id = columns.key("assertion")
    call_id = columns.key("call")
    result_ix = columns.key_ix("position among the findings of this assertion on this call")
    dimension = columns.choice("what it speaks of", "outcome", "policy", "conversation", "speech", "reliability")
    severity = columns.choice("severity of this finding", "high", "medium", "low", null="nothing failed")
    status = columns.choice("status", "PASS", "FAIL", "INCONCLUSIVE", "NOT_SCORABLE", "SKIPPED", "ERROR")
    failure_code = columns.text("stable name of the failure, without payload", null="nothing failed")
    turn_ix = columns.index("turn", null="the whole call")
    start_s = columns.seconds("when it begins on the call's clock", null="no clock")
    end_s = columns.seconds("when it ends on the call's clock", null="no clock, or a moment")
    observed = columns.json("what was found")
    expected = columns.json("what was wanted")
    evidence = columns.json("span, turn or tool ids, and the source of the clock")
    message = columns.text("one sentence for people")
    deterministic = columns.flag("whether the same rows always give the same status")

    @dy.rule()
    def failure_has_a_code(cls) -> pl.Expr:
        """A failure can be grouped by its code; anything else has none."""
        return (pl.col("status") == "FAIL") == pl.col("failure_code").is_not_null()
