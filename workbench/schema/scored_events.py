"""The table `scored_events`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class ScoredEvents(Table):
    """One row per labelled moment and config."""

    call_id = columns.key("call")
    label_id = columns.key("label")
    config_id = columns.key("scoring config")
    recording_id = columns.text("recording measured", null="none")
    did_yield = columns.flag("whether the agent stopped", null="see reason")
    time_to_yield_s = columns.seconds("onset to yield", null="did not yield, or see reason")
    yield_censored = columns.flag("whether the agent was still speaking when observation ended", null="see reason")
    talk_over_s = columns.seconds("both speaking", null="see reason")
    response_gap_s = columns.seconds("end of caller turn to agent", null="see reason")
    premature_start_s = columns.seconds("agent before the end of the caller's turn", null="see reason")
    decision_margin_s = columns.seconds("slack to the tightest bound", null="no bound")
    boundary_sensitive = columns.flag("within one hop of a bound", null="no bound")
    resumed = columns.flag("agent began again", null="did not yield")
    status = columns.choice("status", "PASS", "FAIL", "INCONCLUSIVE", "NOT_SCORABLE", "SKIPPED", "ERROR")
    reason = columns.text("why", null="scored")
    run_id = columns.text("run that scored it")
