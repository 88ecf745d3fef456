"""The table `stage_timings`."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from workbench.schema import columns
from workbench.schema.table import Table


class StageTimings(Table):
    """One row per reported stage of a turn or call."""

    call_id = columns.key("call")
    timing_ix = columns.key_ix("position in the call")
    turn_ix = columns.index("turn", null="the whole call")
    stage = columns.text("stt, llm_ttft, tts_ttfa, e2e, ...")
    value_ms = columns.number("reported duration", "ms", null="see reason_missing")
    measured_at = columns.choice("where it was measured", "client", "server", "audio", null="not stated")
    reason_missing = columns.text("why there is no value", null="there is one")

    @dy.rule()
    def missing_has_a_reason(cls) -> pl.Expr:
        """A timing without a value says why."""
        return pl.col("value_ms").is_not_null() | pl.col("reason_missing").is_not_null()
