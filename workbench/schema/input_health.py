"""The table `input_health`."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from workbench.schema import columns
from workbench.schema.table import Table


class InputHealth(Table):
    """One row per recording and measuring config; the two files of a call that has one a party say the same."""

    recording_id = columns.key("recording")
    call_id = columns.key("call")
    config_id = columns.key("measuring config")
    scorable = columns.flag("whether timing can be read from it at all")
    recommendation = columns.choice("what to do with it", "eligible for scan", "scan with caution", "NOT SCORABLE")
    verdict_eligible = columns.flag("whether a verdict on timing may rest on it")
    reason = columns.text("why it is not scorable or only with caution", null="nothing against it")
    next_step = columns.text("what would mend it", null="nothing against it")
    warnings = columns.names("every warning by name")
    coherence = columns.number("best cosine between the two level envelopes over lags up to 0.5 s", "0..1", null="fewer than two channels", min=0.0, max=1.000001)
    coherence_lag_s = columns.seconds("lag of that best value", null="fewer than two channels")
    echo_coherence = columns.number("best cosine of the caller's envelope with the agent's up to 0.5 s earlier", "0..1", null="fewer than two channels", min=0.0, max=1.000001)
    echo_lag_s = columns.seconds("delay of that best value", null="fewer than two channels")
    leakage_db = columns.number("steady level of one channel's copy in the other, relative to its source", "dB", null="none found, or one party alone")
    leakage_direction = columns.text("agent->caller or caller->agent", null="none found, or one party alone")
    possible_swap = columns.flag("whether the channels look exchanged", null="no caller and agent named, neither speaks, or one party alone")
    other_recording_id = columns.text("file of the other party that it was judged with, as two channels of one file", null="it holds both parties, or one whose other is not there")
    run_id = columns.text("run that measured it")

    @dy.rule()
    def not_scorable_has_a_reason(cls) -> pl.Expr:
        """A recording that is not scorable says why."""
        return pl.col("scorable") | pl.col("reason").is_not_null()
