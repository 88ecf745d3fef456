-- timing_inputs
-- One row per call with measured audio of the caller and of the agent, and whether a verdict on timing can rest on it.
-- Key: call_id.
-- Reads: channels, input_health, recordings, standing_labels.
-- Units: *_db decibels, echo_coherence 0..1.
-- call_id: call.
-- caller_recording_id: recording that the caller's speech is read from.
-- agent_recording_id: recording that the agent's speech is read from, mostly the same.
-- config_id: measuring config.
-- scorable: whether timing can be read from them.
-- verdict_eligible: whether a verdict may rest on them; a suspected swap is settled by a person's channel map.
-- reason: what speaks against it; empty: nothing.
-- next_step: what would mend it; empty: nothing to mend, or measured_apart, which `workbench measure` mends.
-- echo_coherence: best cosine of the caller's envelope with the agent's earlier one; empty: one party a file.
-- separation_db: speech above the noise floor, of the channel where it is smallest.
-- Of several recordings one that verdicts may rest on is taken first, then one with both parties, then the
-- combined one. Two of which one could not be measured anew with other settings are measured_apart: what is speech in
-- one might be none in the other.
with
confirmed as (
    select distinct recordings.call_id, recordings.recording_id
    from recordings
    join standing_labels using (call_id)
    where
        standing_labels.kind = 'channel_map'
        and try_cast(standing_labels.value -> 'roles' as varchar[]) = recordings.channel_roles
),
judged as (
    select
        health.call_id, health.recording_id, health.config_id, health.scorable, health.echo_coherence,
        health.verdict_eligible
            or (health.scorable and health.reason = 'possible_swap' and confirmed.call_id is not null) as settled,
        health.reason, health.next_step,
        recordings.boundary
    from input_health as health
    join recordings using (call_id, recording_id)
    left join confirmed using (call_id, recording_id)
),
sides as (
    select
        channels.call_id, channels.recording_id, channels.role,
        min(channels.separation_db) as separation_db,
        any_value(judged) as health
    from channels
    join judged using (call_id, recording_id, config_id)
    where channels.role in ('caller', 'agent')
    group by channels.call_id, channels.recording_id, channels.role
),
ranked as (
    select
        sides.*,
        (
            not health.settled,
            not health.scorable,
            count(*) over (partition by call_id, recording_id) = 1,
            health.boundary is distinct from 'combined',
            recording_id
        ) as preference
    from sides
),
chosen as (
    select call_id, role, arg_min(ranked, preference) as side
    from ranked
    group by call_id, role
)
select
    call_id,
    any_value(side.recording_id) filter (where role = 'caller') as caller_recording_id,
    any_value(side.recording_id) filter (where role = 'agent') as agent_recording_id,
    min(side.health.config_id) as config_id,
    bool_and(side.health.scorable) and count(distinct side.health.config_id) = 1 as scorable,
    bool_and(side.health.settled) and count(distinct side.health.config_id) = 1 as verdict_eligible,
    case
        when count(distinct side.health.config_id) > 1 then 'measured_apart'
        else min_by(side.health.reason, (side.health.scorable, role)) filter (where not side.health.settled)
    end as reason,
    case
        when count(distinct side.health.config_id) = 1
            then min_by(side.health.next_step, (side.health.scorable, role)) filter (where not side.health.settled)
    end as next_step,
    case when count(distinct side.recording_id) = 1 then any_value(side.health.echo_coherence) end as echo_coherence,
    min(side.separation_db) as separation_db
from chosen
group by call_id
having count(*) = 2
