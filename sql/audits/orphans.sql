-- orphans
-- One row per row that names a call, recording, turn, assertion or run that is not there.
select 'recordings' as table_name, recording_id as row_key, 'no call ' || call_id as finding
from recordings anti join calls using (call_id)
union all
select 'turns', call_id || ' turn ' || turn_ix, 'no call ' || call_id
from turns anti join calls using (call_id)
union all
select 'words', call_id || ' turn ' || turn_ix || ' word ' || word_ix, 'no turn ' || turn_ix
from words anti join turns using (call_id, turn_ix)
union all
select 'tool_calls', call_id || ' tool call ' || call_ix, 'no call ' || call_id
from tool_calls anti join calls using (call_id)
union all
select 'spans', call_id || ' span ' || span_id, 'no call ' || call_id
from spans anti join calls using (call_id)
union all
select 'stage_timings', call_id || ' timing ' || timing_ix, 'no call ' || call_id
from stage_timings anti join calls using (call_id)
union all
select 'channels', recording_id || ' channel ' || channel_ix, 'no recording ' || recording_id
from channels anti join recordings using (call_id, recording_id)
union all
select 'input_health', recording_id, 'no recording ' || recording_id
from input_health anti join recordings using (call_id, recording_id)
union all
select 'segments', recording_id || ' ' || role || ' segment ' || segment_ix, 'no recording ' || recording_id
from segments anti join recordings using (call_id, recording_id)
union all
select 'turn_acoustics', recording_id || ' ' || role || ' ' || stretch || ' ' || stretch_ix, 'no recording ' || recording_id
from turn_acoustics anti join recordings using (call_id, recording_id)
union all
select distinct 'frames', recording_id, 'no recording ' || recording_id
from frames anti join recordings using (recording_id)
union all
select 'assertion_results', assertion_id || ' on ' || call_id, 'no assertion ' || assertion_id || ' in run ' || run_id
from assertion_results anti join assertions using (run_id, assertion_id)
union all
select 'assertion_results', assertion_id || ' on ' || call_id, 'no call ' || call_id
from assertion_results anti join calls using (call_id)
union all
select 'assertions', assertion_id, 'no run ' || run_id
from assertions anti join runs using (run_id)
