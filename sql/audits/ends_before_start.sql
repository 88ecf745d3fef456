-- ends_before_start
-- One row per turn, word, tool call, span or run of speech that ends before it starts.
select 'turns' as table_name, call_id || ' turn ' || turn_ix as row_key, start_s || ' to ' || end_s as finding
from turns where end_s < start_s
union all
select 'words', call_id || ' turn ' || turn_ix || ' word ' || word_ix, start_s || ' to ' || end_s
from words where end_s < start_s
union all
select 'tool_calls', call_id || ' tool call ' || call_ix, start_s || ' to ' || end_s
from tool_calls where end_s < start_s
union all
select 'spans', call_id || ' span ' || span_id, start_s || ' to ' || end_s
from spans where end_s < start_s
union all
select 'segments', recording_id || ' ' || role || ' segment ' || segment_ix, start_s || ' to ' || end_s
from segments where end_s <= start_s
