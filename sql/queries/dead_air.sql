-- dead_air
-- Where nobody spoke for long, and who spoke before and after.
-- $min_silence_s = 3.0: silences up to this length are not shown, in seconds.
select call_id, clock, start_s, end_s, silence_s, who_before, who_after
from silences
where silence_s > $min_silence_s::double
order by silence_s desc, call_id, start_s
