-- timing_frames
-- One row per frame (10 ms) of a measured recording: its time on the call's clock, its levels, and what they are held against.
-- Key: call_id, recording_id, config_id, frame_ix.
-- Reads: channels, frames, recordings, runs.
-- Units: *_s seconds, *_dbfs dBFS.
-- call_id: call.
-- recording_id: recording.
-- config_id: measuring config.
-- frame_ix: hop, 0-based.
-- t_s: when the window of 20 ms begins, in seconds on the call's clock.
-- caller_dbfs: level of the caller; empty: no caller channel.
-- caller_active: whether the caller speaks, the hangover of 0.15 s included; empty: no caller channel.
-- caller_noise_floor_dbfs: noise floor of the caller's channel; empty: no such channel, or several.
-- caller_threshold_dbfs: level at or above which a frame of it is loud; empty: no such channel, or several.
-- agent_dbfs: level of the agent; empty: no agent channel.
-- agent_active: whether the agent speaks, the hangover included; empty: no agent channel.
-- agent_noise_floor_dbfs: noise floor of the agent's channel; empty: no such channel, or several.
-- agent_threshold_dbfs: level at or above which a frame of it is loud; empty: no such channel, or several.
-- mixed_dbfs: level of a mixed or unattributed channel; empty: no such channel.
-- mixed_active: whether somebody speaks there, the hangover included; empty: no such channel.
-- mixed_noise_floor_dbfs: noise floor of that channel; empty: no such channel, or several.
-- mixed_threshold_dbfs: level at or above which a frame of it is loud; empty: no such channel, or several.
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
)
select
    measured.call_id,
    frames.recording_id,
    frames.config_id,
    frames.frame_ix,
    measured.offset_s
        + frames.frame_ix * greatest(1, round_even(measured.sample_rate_hz * measured.hop_ms / 1000, 0))
        / measured.sample_rate_hz as t_s,
    frames.caller_dbfs,
    frames.caller_active,
    measured.caller_noise_floor_dbfs,
    measured.caller_threshold_dbfs,
    frames.agent_dbfs,
    frames.agent_active,
    measured.agent_noise_floor_dbfs,
    measured.agent_threshold_dbfs,
    frames.mixed_dbfs,
    frames.mixed_active,
    measured.mixed_noise_floor_dbfs,
    measured.mixed_threshold_dbfs
from frames
join measured using (recording_id, config_id)
