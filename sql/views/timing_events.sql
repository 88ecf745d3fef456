-- timing_events
-- One row per labelled moment, as a scoring config judges it, with what is known of its call; several labels of one moment give one row.
-- Key: call_id, label_id, config_id.
-- Reads: calls, call_slices, label_moments, scored_events.
-- Units: *_s seconds.
-- call_id: call.
-- label_id: label that the moment is counted by, as label_moments says.
-- config_id: scoring config.
-- source_format: importer that read the call.
-- agent_id: agent that answered; "not supplied" where the source does not say.
-- agent_version: its version; "not supplied" where the source does not say.
-- caller_noisy: whether the caller's speech is near the noise, see call_slices; empty: not described.
-- caller_narrow_band: whether the caller is heard as over a telephone; empty: not described.
-- agent_fast_talker: whether the agent talks fast; empty: not described.
-- author: who labelled, all of them; "not supplied" where nobody is named.
-- label_count: standing labels of the moment.
-- disagree: whether some of them say yield and some say hold.
-- expect: what the label says the agent should do, yield or hold; empty: it does not say, or the labels of the moment disagree.
-- onset_s: moment that was scored; where none was, the moment the label speaks of; empty: none.
-- status: PASS, FAIL, INCONCLUSIVE or NOT_SCORABLE.
-- reason: why it failed or could not be scored; empty: passed.
-- agent_talking: whether the agent spoke at the onset; empty: not scored.
-- did_yield: whether the agent stopped; empty: not scored.
-- awaits_yield: whether it belongs to the times to yield: labelled yield, the agent speaking, with a verdict or cut short by the recording's end.
-- yield_observed_s: onset to the yield, to where the agent stopped without one, or to the end of what was looked at; empty: nothing to yield, or not scored.
-- yield_censored: whether there was no yield until then; empty: as before.
-- agent_quiet_s: onset to the agent's first pause that is long enough for a yield, a caller near or not; empty: none was seen.
-- caller_quiet_s: how long the caller had been quiet then, where it is no yield; empty: it is one, or no caller was heard before.
-- talk_over_s: both within a run of speech up to its last loud frame, from the onset to the yield, else to the end of the search; empty: not scored.
-- awaits_response: whether it belongs to the times to respond: heard as far, and the caller's turn ended before an answer.
-- response_gap_s: end of the caller's turn to the answer; empty: premature, no answer, or not scored.
-- response_observed_s: the same, or to the end of the recording; empty: premature, no end of turn, or not scored.
-- response_censored: whether the recording ended before an answer came; empty: as before.
-- decision_margin_s: slack to the tightest bound, negative beyond it; empty: no bound, or none decides: no verdict, a hold, or no yield.
-- boundary_sensitive: whether that is a hop at most; empty: as before.
-- An agent that did not yield has a lower bound and no time to yield: it stays among those that are counted, also where
-- the recording ended too soon for a verdict. One that stopped with no caller near is censored where it stopped.
select
    events.call_id,
    events.label_id,
    events.config_id,
    calls.source_format,
    coalesce(calls.agent_id, 'not supplied') as agent_id,
    coalesce(calls.agent_version, 'not supplied') as agent_version,
    call_slices.caller_noisy,
    call_slices.caller_narrow_band,
    call_slices.agent_fast_talker,
    labels.authors as author,
    labels.label_count,
    labels.disagree,
    case when not labels.disagree then events.expect end as expect,
    coalesce(events.onset_s, labels.onset_s) as onset_s,
    case when labels.disagree and events.status in ('PASS', 'FAIL') then 'INCONCLUSIVE' else events.status end as status,
    case
        when labels.disagree and events.status in ('PASS', 'FAIL') then 'labels_disagree' else events.reason
    end as reason,
    events.agent_talking,
    events.did_yield,
    not labels.disagree and coalesce(events.status in ('PASS', 'FAIL') or events.reason in ('recording_ended', 'did_not_go_on'), false)
        and events.expect = 'yield' and events.agent_talking as awaits_yield,
    events.yield_observed_s,
    events.yield_censored,
    events.agent_quiet_s,
    events.caller_quiet_s,
    events.talk_over_s,
    not labels.disagree and coalesce(events.status in ('PASS', 'FAIL') or events.reason in ('recording_ended', 'did_not_go_on'), false)
        and events.response_observed_s is not null as awaits_response,
    events.response_gap_s,
    events.response_observed_s,
    events.response_censored,
    case when not labels.disagree and events.expect = 'yield' and events.did_yield then events.decision_margin_s end as decision_margin_s,
    case when not labels.disagree and events.expect = 'yield' and events.did_yield then events.boundary_sensitive end as boundary_sensitive
from scored_events as events
join calls using (call_id)
join call_slices using (call_id)
join label_moments as labels using (call_id, label_id)
where labels.counted
