"""The table `scored_events`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class ScoredEvents(Table):
    """One row per labelled moment and config."""

    call_id = columns.key("call")
    label_id = columns.key("label")
    config_id = columns.key("scoring config")
    measure_config_id = columns.text("measuring config of what was scored", null="nothing was measured")
    recording_id = columns.text("recording measured", null="none")
    expect = columns.choice("what the label says the agent should do", "yield", "hold", null="the label does not say")
    onset_s = columns.seconds("moment that was scored: the nearest frame", null="no onset")
    onset_source = columns.choice("where the onset comes from", "label", "detected", null="no onset")
    agent_talking = columns.flag("whether the agent spoke at the onset or within the look-back before it", null="see reason")
    did_yield = columns.flag("whether the agent stopped", null="see reason")
    time_to_yield_s = columns.seconds("onset to yield", null="did not yield, or see reason")
    yield_observed_s = columns.seconds("onset to the yield; without one to where the agent stopped, else to the end of the search or of the recording", null="nothing to yield, or see reason")
    yield_censored = columns.flag("whether there was no yield until then: the agent was still speaking, or stopped with no caller near", null="nothing to yield, or see reason")
    agent_quiet_s = columns.seconds("onset to the agent's first pause that is long enough for a yield, whether or not a caller is near", null="none within the search, or see reason")
    caller_quiet_s = columns.seconds("how long the caller had been quiet when the agent stopped without a yield", null="yielded, did not stop, no caller before, or see reason")
    talk_over_s = columns.seconds("both within a run of speech up to its last loud frame, from the onset to the yield, else to the end of the search; pauses that the hangover bridges count", null="see reason")
    turn_end_s = columns.seconds("end of the caller's turn", null="still speaking at the end, or see reason")
    response_gap_s = columns.seconds("end of caller turn to agent", null="premature, no answer, or see reason")
    response_observed_s = columns.seconds("end of caller turn to the answer, or to the end of the recording", null="premature, no end of turn, or see reason")
    response_censored = columns.flag("whether the recording ended before an answer came", null="premature, no end of turn, or see reason")
    premature_start_s = columns.seconds("agent before the end of the caller's turn; 0 for an answer after it", null="no answer, no end of turn, or see reason")
    max_time_to_yield_s = columns.seconds("bound that applied", null="no bound")
    max_talk_over_s = columns.seconds("bound that applied", null="no bound")
    decision_margin_s = columns.seconds("slack to the tightest bound", null="no bound, or no verdict")
    boundary_sensitive = columns.flag("within one hop of a bound", null="no bound, or no verdict")
    resumed = columns.flag("agent began again within the resume window", null="did not yield")
    resume_gap_s = columns.seconds("yield to the agent's next run", null="did not resume")
    restart_suspected = columns.flag("whether what followed is long enough for an answer begun anew", null="did not yield")
    echo_suspected = columns.flag("whether the caller's channel seems to carry the agent's sound", null="not measured")
    status = columns.choice("status", "PASS", "FAIL", "INCONCLUSIVE", "NOT_SCORABLE", "SKIPPED", "ERROR")
    reason = columns.text("why it failed or could not be scored", null="passed")
    run_id = columns.text("run that scored it")
