-- timing_inputs
-- One row per call with measured audio of the caller and of the agent, and whether a verdict on timing can rest on it.
-- Key: call_id.
-- Reads: channels, recordings, settled_health.
-- Units: *_db decibels, echo_coherence 0..1.
-- call_id: call.
-- caller_recording_id: recording that the caller's speech is read from.
-- agent_recording_id: recording that the agent's speech is read from, mostly the same.
-- config_id: measuring config.
-- scorable: whether timing can be read from them.
-- verdict_eligible: whether a verdict may rest on them; a suspected swap is settled by a person's channel map.
-- reason: what speaks against it; empty: nothing.
-- next_step: what would mend it; empty: nothing to mend, or measured_apart, which `workbench measure` mends.
-- echo_coherence: best cosine of the caller's envelope with the agent's earlier one; empty: not two channels of sound.
-- separation_db: speech above the noise floor, of the channel where it is smallest.
-- Of several recordings one that verdicts may rest on is taken first, then one with both parties, then the
-- combined one. Two files of a party each count together, as input_health judged them. They are measured_apart where one
-- could not be measured anew with other settings, so that what is speech in one might be none in the other, or where they
-- were not held against each other.
with
judged as (
    select health.*, recordings.boundary
    from settled_health as health
    join recordings using (call_id, recording_id)
),
sides as (
    select
        channels.call_id, channels.recording_id, channels.role,
        min(channels.separation_db) as separation_db,
        any_value(judged) as health,
        count(*) over (partition by channels.call_id, channels.recording_id) = 1
            and any_value(judged.other_recording_id) is null as alone
    from channels
    join judged using (call_id, recording_id, config_id)
    where channels.role in ('caller', 'agent')
    group by channels.call_id, channels.recording_id, channels.role
),
ranked as (
    select
        sides.*,
        (
            alone,
            not health.verdict_eligible,
            not health.scorable,
            health.other_recording_id is not null,
            health.boundary is distinct from 'combined',
            recording_id
        ) as preference
    from sides
),
chosen as (
    select call_id, role, arg_min(ranked, preference) as side
    from ranked
    group by call_id, role
),
paired as (
    select
        call_id,
        any_value(side) filter (where role = 'caller') as caller,
        any_value(side) filter (where role = 'agent') as agent,
        min_by(side.health, (side.health.scorable, role)) filter (where not side.health.verdict_eligible) as against
    from chosen
    group by call_id
    having count(*) = 2
),
weighed as (
    select
        *,
        caller.health.config_id <> agent.health.config_id
            or caller.recording_id <> agent.recording_id
                and caller.health.other_recording_id is distinct from agent.recording_id as apart
    from paired
)
select
    call_id,
    caller.recording_id as caller_recording_id,
    agent.recording_id as agent_recording_id,
    least(caller.health.config_id, agent.health.config_id) as config_id,
    caller.health.scorable and agent.health.scorable and not apart as scorable,
    caller.health.verdict_eligible and agent.health.verdict_eligible and not apart as verdict_eligible,
    if(apart, 'measured_apart', against.reason) as reason,
    if(apart, null, against.next_step) as next_step,
    caller.health.echo_coherence,
    least(caller.separation_db, agent.separation_db) as separation_db
from weighed
