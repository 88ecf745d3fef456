"""The table `moments`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Moments(Table):
    """One row per candidate found without a label."""

    call_id = columns.key("call")
    recording_id = columns.key("recording")
    config_id = columns.key("scanning config")
    moment_ix = columns.key_ix("position in the call")
    kind = columns.choice("kind of candidate", "overlap_while_agent_talking", "agent_start_during_caller", "long_response_gap", "agent_stop_no_caller", "echo_correlated_activity", "silence")
    onset_s = columns.seconds("when it begins; a silence as the published scan has it, at the end of the hangover (see scanned_silences)")
    magnitude_s = columns.seconds("how long both speak, nobody answers from the onset on, or the activity lasts")
    yield_after_s = columns.seconds("onset to the agent going quiet, its hangover counted as speech, as the published scan does", null="it did not within the search, or the kind is no overlap of a caller")
    agent_quiet_s = columns.seconds("the same without the hangover, as scores have it: onset to the end of its last loud frame", null="it did not within the search, or the kind is no overlap of a caller")
    coherence = columns.number("cosine with the agent's envelope", "0..1", null="no echo-correlated activity", min=0.0, max=1.000001)
    confidence = columns.number("how far the silence of a single mixed channel lies under the threshold, 1 at 20 dB", "0..1", null="two channels, where nothing is guessed", min=0.0, max=1.0)
    salience = columns.number("what it is ranked by: seconds, coherence for echo", "score")
    incident = columns.choice("incident it maps to", "barge_in", "talk_over", "dead_air", "latency_spike", "echo_suspected")
    severity = columns.choice("severity of the incident", "critical", "warning", "caveat")
    faint = columns.flag("whether it rests on faint sound alone (see segments), which views of turn-taking and checks leave out")
    run_id = columns.text("run that found it")
