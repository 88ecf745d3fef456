-- timing_frames
-- One row per frame of a measured recording: its time on the call's clock, its levels, and what they are held against.
-- Key: call_id, recording_id, config_id, frame_ix.
-- Reads: channels, frames, recordings, runs, segments.
-- Units: *_s seconds, *_dbfs dBFS.
-- call_id: call.
-- recording_id: recording.
-- config_id: measuring config; its values lie in runs.config of the measuring run, under measure.
-- frame_ix: hop, 0-based; hops are hop_ms of the measuring config apart (10 ms by default).
-- t_s: when its window begins, which is frame_ms of the measuring config long (20 ms by default), in seconds on the call's clock.
-- caller_dbfs: level of the caller; empty: no caller channel.
-- caller_active: whether it lies in a run of the caller's speech, the hangover (hangover_s of the measuring config) included; empty: no caller channel.
-- caller_voiced: the same up to the last loud frame of the run: pauses that the hangover bridges included, the hangover at its end not; empty: as before.
-- caller_noise_floor_dbfs: noise floor of the caller's channel; empty: no such channel, or several.
-- caller_threshold_dbfs: level at or above which a frame of it is loud; empty: no such channel, or several.
-- agent_dbfs: level of the agent; empty: no agent channel.
-- agent_active: whether it lies in a run of the agent's speech, the hangover included; empty: no agent channel.
-- agent_voiced: the same up to the last loud frame of the run; empty: as before.
-- agent_noise_floor_dbfs: noise floor of the agent's channel; empty: no such channel, or several.
-- agent_threshold_dbfs: level at or above which a frame of it is loud; empty: no such channel, or several.
-- mixed_dbfs: level of a mixed or unattributed channel; empty: no such channel.
-- mixed_active: whether it lies in a run of speech of that channel, the hangover included; empty: no such channel.
-- mixed_voiced: the same up to the last loud frame of the run; empty: as before.
-- mixed_noise_floor_dbfs: noise floor of that channel; empty: no such channel, or several.
-- mixed_threshold_dbfs: level at or above which a frame of it is loud; empty: no such channel, or several.
-- talk_over_s of scored_events is the number of frames from the onset on, and before the yield or else the end of the search, in
-- which caller_voiced and agent_voiced both hold, times the hop; of two files of a party each the frames of both joined by
-- t_s. Whether a frame is loud is its level against the threshold.
-- An export of `frames` alone needs three tables more to be read; this is for research files, and as large.
with
sides as (
    select
        call_id,
        recording_id,
        config_id,
        case when role = 'unknown' then 'mixed' else role end as side,
        any_value(run_id) as run_id,
        case when count(*) = 1 then any_value(noise_floor_dbfs) end as noise_floor_dbfs,
        case when count(*) = 1 then any_value(threshold_dbfs) end as threshold_dbfs
    from channels
    group by call_id, recording_id, config_id, side
),
measured as (
    select
        sides.call_id,
        sides.recording_id,
        sides.config_id,
        any_value(recordings.offset_s) as offset_s,
        any_value(recordings.sample_rate_hz) as sample_rate_hz,
        coalesce(any_value((runs.config -> '$.measure.hop_ms')::double), 10.0::double) as hop_ms,
        any_value(noise_floor_dbfs) filter (where side = 'caller') as caller_noise_floor_dbfs,
        any_value(threshold_dbfs) filter (where side = 'caller') as caller_threshold_dbfs,
        any_value(noise_floor_dbfs) filter (where side = 'agent') as agent_noise_floor_dbfs,
        any_value(threshold_dbfs) filter (where side = 'agent') as agent_threshold_dbfs,
        any_value(noise_floor_dbfs) filter (where side = 'mixed') as mixed_noise_floor_dbfs,
        any_value(threshold_dbfs) filter (where side = 'mixed') as mixed_threshold_dbfs
    from sides
    join recordings using (call_id, recording_id)
    left join runs on sides.run_id = runs.run_id
    group by sides.call_id, sides.recording_id, sides.config_id
),
timed as (
    select
        frames.*,
        measured.* exclude (recording_id, config_id),
        measured.offset_s
            + frames.frame_ix * greatest(1, round_even(measured.sample_rate_hz * measured.hop_ms / 1000, 0))
            / measured.sample_rate_hz as t_s
    from frames
    join measured using (recording_id, config_id)
),
spoken as (
    select
        recording_id, config_id, start_s, end_s, voiced_end_s,
        case when role = 'unknown' then 'mixed' else role end as side,
        coalesce(
            start_s > max(end_s) over (
                partition by recording_id, config_id, side order by start_s, end_s
                rows between unbounded preceding and 1 preceding
            ) + 5e-6::double,
            true
        ) as begins
    from segments
    where backend = 'energy'
),
numbered as (
    select
        *,
        sum(begins::integer) over (
            partition by recording_id, config_id, side order by start_s, end_s rows unbounded preceding
        ) as nth
    from spoken
),
joined as (
    select
        recording_id, config_id, side,
        min(start_s) - 5e-6::double as from_s,
        coalesce(max(voiced_end_s), max(end_s)) - 5e-6::double as to_s
    from numbered
    group by recording_id, config_id, side, nth
),
callers as (
    select * from joined where side = 'caller'
),
agents as (
    select * from joined where side = 'agent'
),
others as (
    select * from joined where side = 'mixed'
)
select
    timed.call_id,
    timed.recording_id,
    timed.config_id,
    timed.frame_ix,
    timed.t_s,
    timed.caller_dbfs,
    timed.caller_active,
    case when timed.caller_active is not null then coalesce(timed.t_s < callers.to_s, false) end as caller_voiced,
    timed.caller_noise_floor_dbfs,
    timed.caller_threshold_dbfs,
    timed.agent_dbfs,
    timed.agent_active,
    case when timed.agent_active is not null then coalesce(timed.t_s < agents.to_s, false) end as agent_voiced,
    timed.agent_noise_floor_dbfs,
    timed.agent_threshold_dbfs,
    timed.mixed_dbfs,
    timed.mixed_active,
    case when timed.mixed_active is not null then coalesce(timed.t_s < others.to_s, false) end as mixed_voiced,
    timed.mixed_noise_floor_dbfs,
    timed.mixed_threshold_dbfs
from timed
asof left join callers
    on timed.recording_id = callers.recording_id and timed.config_id = callers.config_id and timed.t_s >= callers.from_s
asof left join agents
    on timed.recording_id = agents.recording_id and timed.config_id = agents.config_id and timed.t_s >= agents.from_s
asof left join others
    on timed.recording_id = others.recording_id and timed.config_id = others.config_id and timed.t_s >= others.from_s
