"""The table `calls`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Calls(Table):
    """One row per conversation."""

    call_id = columns.key("identifier of the call, as its source gives it where it gives one")
    source_format = columns.text("importer that read the call")
    source_uri = columns.text("file or address it came from, without query strings")
    source_sha256 = columns.text("SHA-256 of the source bytes of this call: its file, folder or row")
    origin = columns.choice("how the call came about", "real", "role_played", "simulated", "forked", "probed", "synthetic", "unknown")
    evidence_tier = columns.integer("1 two separate channels, 2 mono or text with attributed turns, 3 raw mono, 4 refused", "tier", min=1, max=4)
    supplied = columns.names("kinds of evidence the source supplied, even where empty: turns, words, tool_calls, spans, stage_timings, state, labels, audio")
    turn_clock = columns.choice("where turn times come from: reported by the source, counted in ticks, quantised to whole seconds, time of generation, none", "reported", "ticks", "quantised", "generated", "none")
    started_at = columns.utc("start of the call", null="not supplied")
    duration_s = columns.seconds("length of the call", null="no clock", min=0.0)
    platform = columns.text("platform or stack that carried the call", null="not supplied")
    agent_id = columns.text("agent that answered", null="not supplied")
    agent_version = columns.text("version of the agent", null="not supplied")
    agent_config_sha256 = columns.text("SHA-256 of the agent's configuration", null="not supplied")
    scenario_id = columns.text("scenario the call was made for", null="no scenario")
    scenario_sha256 = columns.text("SHA-256 of that scenario's definition", null="no scenario")
    language = columns.text("BCP 47 language of the call", null="not supplied")
    ended_by = columns.text("who or what ended the call", null="not supplied")
    completed = columns.flag("whether the call came to its end", null="not supplied")
    outcome = columns.text("outcome the source states", null="not supplied")
    expected_outcome = columns.text("outcome that was wanted", null="not supplied")
    cost_usd = columns.number("cost of the call", "USD", null="not priced", min=0.0)
    policy = columns.json("limits this call must keep, as its source states them")
    tags = columns.tags("free labels of the call")
    experiment_id = columns.text("experiment the call belongs to", null="not part of one")
    parent_call_id = columns.text("call this one was forked from", null="not a fork")
    fork_turn = columns.index("turn of the parent at which the fork begins", null="not a fork")
    arm = columns.text("arm of the experiment", null="not part of one")
    trial = columns.integer("repeat within the arm", "trial", null="not a repeat", min=0)
    seed = columns.integer("seed the call was made with", "seed", null="not seeded")
    run_id = columns.text("run that imported the call")
