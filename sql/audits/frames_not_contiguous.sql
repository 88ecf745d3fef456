-- frames_not_contiguous
-- One row per recording and config whose frames do not run from 0 without a hole.
select
    'frames' as table_name,
    recording_id || ' ' || config_id as row_key,
    count(*) || ' frames, from ' || min(frame_ix) || ' to ' || max(frame_ix) as finding
from frames
group by recording_id, config_id
having min(frame_ix) <> 0 or count(*) <> max(frame_ix) + 1
