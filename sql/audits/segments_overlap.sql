-- segments_overlap
-- One row per run of speech that begins before an earlier one of its channel, backend and config has ended.
select
    'segments' as table_name,
    recording_id || ' ' || role || ' segment ' || segment_ix as row_key,
    'starts at ' || start_s || ', speech so far ends at ' || max(end_s) over earlier as finding
from segments
window earlier as (
    partition by recording_id, call_id, channel_ix, backend, config_id, role order by start_s, end_s
    rows between unbounded preceding and 1 preceding
)
qualify start_s < max(end_s) over earlier
