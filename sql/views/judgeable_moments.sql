-- judgeable_moments
-- One row per moment that the scan found, and whether a label of yield or hold there gets a verdict.
-- Key: call_id, recording_id, moment_ix.
-- Reads: input_health, moments, recordings, runs, scanned_silences, segments, timing_inputs.
-- Units: *_s seconds from the start of the call, *_ix 0-based.
-- call_id: call.
-- recording_id: recording it was found in.
-- moment_ix: position among the moments of the recording.
-- onset_s: when it begins; a silence at the end of the last loud frame before it.
-- judgeable: whether a label there, yield or hold and without bounds, is scored PASS or FAIL by the published method.
-- reason: why it is not: of scored_events, or no two channels of audio; empty: it is.
-- A hold at which the agent stops with no caller near gives no verdict either, a yield there does: it counts as judgeable.
-- What is asked is what scoring asks, in hops of the measuring config from the start of the call's audio: the agent speaks
-- at the onset or up to 0.1 s before it; a caller is near (0.5 s) before it is quiet, which is for 0.2 s and the hangover;
-- and where it does not yield, the audio lasts for the whole search of 3 s. Moments and runs meet by parts of 4,096 hops,
-- so that a recording of a day takes no longer than as much sound in short ones.
with
grid as (
    select
        inputs.call_id, inputs.config_id, inputs.caller_recording_id, inputs.agent_recording_id,
        inputs.verdict_eligible, inputs.reason,
        least(callers.offset_s, agents.offset_s) as from_s,
        greatest(callers.offset_s + callers.duration_s, agents.offset_s + agents.duration_s) as to_s,
        least(callers.sample_rate_hz, agents.sample_rate_hz) as rate_hz,
        coalesce((runs.config ->> '$.measure.hop_ms')::double, 10.0::double) as hop_ms,
        coalesce((runs.config ->> '$.measure.hangover_s')::double, 0.15::double) as hangover_s
    from timing_inputs as inputs
    join recordings as callers
        on inputs.call_id = callers.call_id and inputs.caller_recording_id = callers.recording_id
    join recordings as agents
        on inputs.call_id = agents.call_id and inputs.agent_recording_id = agents.recording_id
    left join input_health as health
        on
            inputs.call_id = health.call_id and inputs.caller_recording_id = health.recording_id
            and inputs.config_id = health.config_id
    left join runs on health.run_id = runs.run_id
),
timed as (
    select *, greatest(1, round_even(rate_hz * hop_ms / 1000, 0)) / rate_hz as hop_s from grid
),
ruled as materialized (
    select
        *,
        greatest(1, ceil((to_s - from_s - 1e-6::double) / hop_s)) as after_ix,
        greatest(1, round_even(0.1::double / hop_s, 0)) as lookback,
        greatest(1, round_even(0.5::double / hop_s, 0)) as near,
        round_even(3.0::double / hop_s, 0) as search,
        greatest(1, round_even((0.2::double + round_even(hangover_s / hop_s, 0) * hop_s) / hop_s, 0)) as needed
    from timed
),
pieces as (
    select
        ruled.call_id, segments.role,
        round_even((segments.start_s - ruled.from_s) / ruled.hop_s, 0) as start_ix,
        ceil((segments.end_s - ruled.from_s - 1e-6::double) / ruled.hop_s) as end_ix,
        ceil((coalesce(segments.voiced_end_s, segments.end_s) - ruled.from_s - 1e-6::double) / ruled.hop_s) as loud_to_ix
    from segments
    join ruled
        on
            segments.call_id = ruled.call_id and segments.config_id = ruled.config_id
            and segments.recording_id
            = case segments.role when 'caller' then ruled.caller_recording_id else ruled.agent_recording_id end
    where segments.backend = 'energy' and segments.role in ('caller', 'agent')
),
numbered as (
    select
        *,
        count(*) filter (where begins) over (partition by call_id, role order by start_ix, end_ix rows unbounded preceding) as nth
    from (
        select
            *,
            coalesce(
                start_ix > max(end_ix) over (
                    partition by call_id, role order by start_ix, end_ix rows between unbounded preceding and 1 preceding
                ),
                true
            ) as begins
        from pieces
    )
),
spoken as materialized (
    select call_id, role, min(start_ix) as start_ix, max(end_ix) as end_ix, max(loud_to_ix) as loud_to_ix
    from numbered
    group by call_id, role, nth
),
placed as (
    select
        moments.call_id, moments.recording_id, moments.moment_ix,
        coalesce(scanned_silences.quiet_from_s, moments.onset_s) as onset_s,
        ruled.* exclude (call_id),
        round_even((coalesce(scanned_silences.quiet_from_s, moments.onset_s) - ruled.from_s) / ruled.hop_s, 0) as asked_ix
    from moments
    left join scanned_silences using (call_id, recording_id, moment_ix)
    left join ruled using (call_id)
),
asked as materialized (
    select
        *,
        onset_s >= from_s and asked_ix < after_ix as inside,
        greatest(0, least(asked_ix, after_ix - 1)) as onset_ix,
        least(after_ix, greatest(0, least(asked_ix, after_ix - 1)) + search) as search_end_ix
    from placed
),
asked_parts as (
    select
        *,
        unnest(range(
            floor((onset_ix - greatest(near, lookback)) / 4096)::bigint, floor(search_end_ix / 4096)::bigint + 1
        )) as part
    from asked
),
spoken_parts as materialized (
    select *, unnest(range(floor(start_ix / 4096)::bigint, floor(end_ix / 4096)::bigint + 1)) as part
    from spoken
),
there as (
    select
        asked.call_id, asked.recording_id, asked.moment_ix,
        bool_or(
            spoken.role = 'agent' and spoken.end_ix > greatest(0, asked.onset_ix - asked.lookback)
            and spoken.start_ix < asked.onset_ix + 1
        ) as agent_talks,
        bool_or(
            spoken.role = 'caller' and spoken.end_ix > greatest(0, asked.onset_ix - asked.near)
            and spoken.start_ix < asked.search_end_ix
        ) as caller_near
    from asked_parts as asked
    join spoken_parts as spoken
        on
            asked.call_id = spoken.call_id and asked.part = spoken.part and spoken.start_ix < asked.search_end_ix + 1
            and spoken.end_ix > asked.onset_ix - greatest(asked.near, asked.lookback)
    group by asked.call_id, asked.recording_id, asked.moment_ix
),
pauses as (
    select call_id, lag(loud_to_ix, 1, 0) over in_time as quiet_ix, start_ix as loud_ix
    from spoken
    where role = 'agent'
    window in_time as (partition by call_id order by start_ix)
    union all
    select spoken.call_id, max(spoken.loud_to_ix) as quiet_ix, any_value(ruled.after_ix) as loud_ix
    from spoken
    join ruled using (call_id)
    where spoken.role = 'agent'
    group by spoken.call_id
),
pause_parts as (
    select *, unnest(range(floor(quiet_ix / 4096)::bigint, floor(loud_ix / 4096)::bigint + 1)) as part
    from pauses
),
stops as (
    select
        asked.call_id, asked.recording_id, asked.moment_ix, asked.near, asked.after_ix,
        greatest(pauses.quiet_ix, asked.onset_ix) as place_ix,
        least(pauses.loud_ix, asked.search_end_ix) as until_ix
    from asked_parts as asked
    join pause_parts as pauses
        on
            asked.call_id = pauses.call_id and asked.part = pauses.part and pauses.quiet_ix < asked.search_end_ix
            and pauses.loud_ix > asked.onset_ix
            and least(pauses.loud_ix, asked.after_ix) - pauses.quiet_ix >= asked.needed
),
stop_parts as (
    select *, unnest(range(floor((place_ix - near) / 4096)::bigint, floor((until_ix + near) / 4096)::bigint + 1)) as part
    from stops
),
stopped as (
    select
        stops.call_id, stops.recording_id, stops.moment_ix,
        min(stops.place_ix) as quiet_ix,
        bool_or(spoken.start_ix is not null) as yields
    from stop_parts as stops
    left join spoken_parts as spoken
        on
            stops.call_id = spoken.call_id and stops.part = spoken.part and spoken.role = 'caller'
            and spoken.end_ix > greatest(0, stops.place_ix - stops.near)
            and spoken.start_ix < stops.after_ix
            and greatest(stops.place_ix, spoken.start_ix - stops.near + 1) < stops.until_ix
    group by stops.call_id, stops.recording_id, stops.moment_ix
),
judged as (
    select
        asked.call_id, asked.recording_id, asked.moment_ix, asked.onset_s,
        case
            when asked.config_id is null then 'no two channels of audio'
            when not asked.verdict_eligible then asked.reason
            when not asked.inside then 'outside_the_recording'
            when there.agent_talks is not true then 'agent_silent_at_onset'
            when stopped.yields then null
            when there.caller_near is not true or stopped.quiet_ix = asked.onset_ix then 'no_caller_at_onset'
            when (asked.onset_ix + asked.search - asked.search_end_ix) * asked.hop_s > 0.02::double + 1e-9::double
                then 'recording_ended'
        end as reason
    from asked
    left join there using (call_id, recording_id, moment_ix)
    left join stopped using (call_id, recording_id, moment_ix)
)
select call_id, recording_id, moment_ix, onset_s, reason is null as judgeable, reason
from judged
