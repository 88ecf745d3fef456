-- call_levels
-- How loud was each side over a call: the loudest frame of each stretch of it.
-- $call: the call.
-- $buckets = 600: stretches the call is cut into; none is shorter than a frame.
-- Gives role, start_s and end_s on the call's clock, level_dbfs; a call without measured audio gives no row. Read
--   from the recordings that timing is read from, else for each role from the first that was measured.
with sides as (
    select
        channels.role,
        coalesce(
            any_value(case channels.role
                when 'caller' then call_clocks.caller_recording_id
                when 'agent' then call_clocks.agent_recording_id
            end),
            arg_min(recordings.recording_id, (recordings.boundary <> 'combined')::integer || recordings.recording_id)
        ) as recording_id
    from channels
    join recordings using (call_id, recording_id)
    join call_clocks using (call_id)
    where call_id = $call and channels.role <> 'unknown'
    group by channels.role
),
hops as (
    select
        channels.recording_id,
        coalesce(any_value((runs.config -> '$.measure.hop_ms')::double), 10.0::double) as hop_ms
    from channels
    left join runs using (run_id)
    where channels.call_id = $call
    group by channels.recording_id
),
placed as (
    select
        sides.role,
        recordings.offset_s,
        recordings.recording_id,
        greatest(1, round_even(recordings.sample_rate_hz * hops.hop_ms / 1000, 0)) / recordings.sample_rate_hz as hop_s,
        recordings.duration_s
    from sides
    join recordings on recordings.recording_id = sides.recording_id and recordings.call_id = $call
    join hops on hops.recording_id = sides.recording_id
),
grid as (
    select min(offset_s) as from_s,
        greatest((max(offset_s + duration_s) - min(offset_s)) / $buckets, max(hop_s)) as width_s
    from placed
),
levelled as (
    select
        placed.role,
        floor((placed.offset_s + frames.frame_ix * placed.hop_s - grid.from_s) / grid.width_s + 1e-9::double)
            ::integer as bucket_ix,
        case placed.role
            when 'caller' then frames.caller_dbfs when 'agent' then frames.agent_dbfs else frames.mixed_dbfs
        end as frame_dbfs
    from frames
    join placed using (recording_id)
    cross join grid
    where frames.recording_id in (select recording_id from sides)
)
select
    role,
    grid.from_s + bucket_ix * grid.width_s as start_s,
    grid.from_s + (bucket_ix + 1) * grid.width_s as end_s,
    max(frame_dbfs) as level_dbfs
from levelled
cross join grid
where frame_dbfs is not null
group by role, bucket_ix, grid.from_s, grid.width_s
order by role, bucket_ix
