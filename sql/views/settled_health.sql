-- settled_health
-- One row per measured recording: its health, with what a person has said since of whose channel is which.
-- Key: call_id, recording_id.
-- Reads: input_health, recordings, standing_labels.
-- Units: *_s seconds, leakage_db decibels, coherence and echo_coherence 0..1.
-- recording_id: recording.
-- call_id: call.
-- config_id: measuring config.
-- scorable: whether timing can be read from it at all.
-- recommendation: what to do with it.
-- verdict_eligible: whether a verdict on timing may rest on it; a suspected swap is settled by a channel map that confirms it.
-- reason: why it is not scorable or only with caution; empty: nothing against it.
-- next_step: what would mend it; empty: nothing to mend.
-- warnings: every warning by name.
-- coherence: best cosine between the two level envelopes over lags up to 0.5 s; empty: fewer than two channels.
-- coherence_lag_s: lag of that best value; empty: as before.
-- echo_coherence: best cosine of the caller's envelope with the agent's up to 0.5 s earlier; empty: as before.
-- echo_lag_s: delay of that best value; empty: as before.
-- leakage_db: steady level of one channel's copy in the other, relative to its source; empty: none found, or one party alone.
-- leakage_direction: agent->caller or caller->agent; empty: as before.
-- possible_swap: whether the channels look exchanged; empty: no caller and agent named, neither speaks, or one party alone.
-- other_recording_id: file of the other party that it was judged with; empty: it holds both, or one whose other is not there.
-- run_id: run that measured it.
-- confirmed: whether a person has confirmed whose channel is which.
-- A map settles the recordings that it was said of: those it names, or of older labels all of the call with these roles; of
-- two files of a party each it is caller and agent.
with confirmed as (
    select distinct health.call_id, health.recording_id
    from input_health as health
    join recordings using (call_id, recording_id)
    join standing_labels as labels using (call_id)
    where
        labels.kind = 'channel_map'
        and try_cast(labels.value -> 'roles' as varchar[])
        = if(health.other_recording_id is null, recordings.channel_roles, ['caller', 'agent'])
        and list_contains(
            coalesce(try_cast(labels.value -> 'recording_ids' as varchar[]), [health.recording_id]),
            health.recording_id
        )
)
select
    health.* replace (
        health.verdict_eligible
            or (health.scorable and health.reason = 'possible_swap' and confirmed.call_id is not null)
            as verdict_eligible
    ),
    confirmed.call_id is not null as confirmed
from input_health as health
left join confirmed using (call_id, recording_id)
