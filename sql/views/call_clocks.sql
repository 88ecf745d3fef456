-- call_clocks
-- One row per call: which clock its turn-taking is read from, or why there is none.
-- Key: call_id.
-- Reads: calls, recordings, channels, settled_health, timing_inputs, turns.
-- Units: none.
-- call_id: call.
-- status: SCORED (two lanes and a clock), NOT_SCORABLE (audio that cannot carry it), INCONCLUSIVE (evidence missing).
-- clock: audio, transcript (times the source reported), ticks or quantised (whole seconds); empty: see reason.
-- lanes: caller and agent, or mixed (one channel for both: only silence can be read from it).
-- caller_recording_id: recording the caller's speech is read from; empty: not read from two lanes of audio.
-- agent_recording_id: recording the agent's speech is read from; empty: not read from two lanes of audio.
-- mixed_recording_id: recording with one channel for both; empty: not read from it.
-- reason: why turn-taking is not scored; empty: it is.
-- has_audio: whether the call has a recording.
-- health: worst recommendation of input_health among the call's recordings that timing is read from, else among all;
--   empty: no recording, or none measured.
-- health_reason: what input_health says against it; empty: nothing, or not measured.
-- Audio comes first: the recordings that timing_inputs names, where a verdict may rest on them. Without it, the times of the turns serve where the source gave a start to every one of them and an end to some; a turn
-- without an end takes no part in what needs it (see speech_runs). Times of
-- generation are not times of speech and never serve.
with health as materialized (
    select call_id, recording_id, config_id, recommendation, reason
    from settled_health
),
inputs as materialized (
    select call_id, caller_recording_id, agent_recording_id, verdict_eligible, reason
    from timing_inputs
),
two_lanes as (
    select call_id, caller_recording_id, agent_recording_id
    from inputs
    where verdict_eligible
),
one_lane as (
    select channels.call_id, min(channels.recording_id) as mixed_recording_id
    from channels
    join health using (call_id, recording_id, config_id)
    where channels.role = 'mixed'
    group by channels.call_id
),
turn_times as (
    select
        call_id,
        count(*) as turn_count,
        count(*) filter (where start_s is null) as untimed_count,
        count(end_s) as ended_count
    from turns
    group by call_id
),
recorded as (
    select call_id, count(*) as recording_count
    from recordings
    group by call_id
),
chosen as (
    select
        calls.call_id,
        calls.turn_clock,
        coalesce(turn_times.turn_count, 0) as turn_count,
        coalesce(turn_times.untimed_count, 0) as untimed_count,
        recorded.recording_count is not null as has_audio,
        two_lanes.caller_recording_id,
        two_lanes.agent_recording_id,
        case
            when two_lanes.call_id is not null then 'audio'
            when turn_times.untimed_count = 0 and turn_times.ended_count > 0 then
                case calls.turn_clock
                    when 'reported' then 'transcript'
                    when 'ticks' then 'ticks'
                    when 'quantised' then 'quantised'
                end
        end as lanes_clock,
        one_lane.mixed_recording_id
    from calls
    left join two_lanes using (call_id)
    left join one_lane using (call_id)
    left join turn_times using (call_id)
    left join recorded using (call_id)
),
judged as (
    select
        chosen.call_id,
        arg_max(
            {'recommendation': health.recommendation, 'reason': health.reason},
            (
                coalesce(health.recording_id in (chosen.caller_recording_id, chosen.agent_recording_id), false),
                case health.recommendation
                    when 'NOT SCORABLE' then 3 when 'scan with caution' then 2 else 1
                end,
                health.recording_id
            )
        ) as worst
    from chosen
    join health using (call_id)
    group by chosen.call_id
)
select
    chosen.call_id,
    case
        when chosen.lanes_clock is not null then 'SCORED'
        when judged.worst is not null then 'NOT_SCORABLE'
        else 'INCONCLUSIVE'
    end as status,
    coalesce(chosen.lanes_clock, case when chosen.mixed_recording_id is not null then 'audio' end) as clock,
    case
        when chosen.lanes_clock is not null then 'caller and agent'
        when chosen.mixed_recording_id is not null then 'mixed'
    end as lanes,
    chosen.caller_recording_id,
    chosen.agent_recording_id,
    case when chosen.lanes_clock is null then chosen.mixed_recording_id end as mixed_recording_id,
    case
        when chosen.lanes_clock is not null then null
        when judged.worst is not null
            then coalesce(inputs.reason, judged.worst.reason, 'no two lanes of audio eligible for a verdict')
        when chosen.has_audio then 'the audio is not measured'
        when chosen.turn_count = 0 then 'no audio and no turns'
        when chosen.turn_clock = 'generated' then 'no audio; turn times are times of generation'
        when chosen.turn_clock in ('reported', 'ticks', 'quantised')
            then 'no audio; turns without a start or an end'
        else 'no audio and no clock'
    end as reason,
    chosen.has_audio,
    judged.worst.recommendation as health,
    judged.worst.reason as health_reason
from chosen
left join judged using (call_id)
left join inputs using (call_id)
