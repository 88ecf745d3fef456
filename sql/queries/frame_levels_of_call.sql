-- frame_levels_of_call
-- The level of each lane of a call over time: the loudest frame of each stretch, ready to draw.
-- $call_id: the call
-- $step_s = 0.1: length of a stretch, in seconds
-- $hop_s = 0.01: hop the frames were measured with, in seconds
select
    frames.recording_id,
    recordings.offset_s + floor(frames.frame_ix * $hop_s::double / $step_s::double) * $step_s::double as time_s,
    max(frames.caller_dbfs) as caller_dbfs,
    max(frames.agent_dbfs) as agent_dbfs,
    max(frames.mixed_dbfs) as mixed_dbfs,
    bool_or(frames.caller_active) as caller_active,
    bool_or(frames.agent_active) as agent_active,
    bool_or(frames.mixed_active) as mixed_active
from frames
join recordings using (recording_id)
where recordings.call_id = $call_id
group by frames.recording_id, time_s
order by frames.recording_id, time_s
