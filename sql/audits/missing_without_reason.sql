-- missing_without_reason
-- One row per measure that is missing and does not say why.
select 'stage_timings' as table_name, call_id || ' timing ' || timing_ix as row_key, 'no value and no reason' as finding
from stage_timings where value_ms is null and reason_missing is null
union all
select 'input_health', recording_id, 'not scorable or not eligible, and no reason'
from input_health where not (scorable and verdict_eligible) and reason is null
union all
select 'scored_events', call_id || ' label ' || label_id, 'status ' || status || ' without a reason'
from scored_events where status in ('INCONCLUSIVE', 'NOT_SCORABLE', 'SKIPPED', 'ERROR') and reason is null
union all
select 'turn_acoustics', call_id || ' ' || role || ' ' || stretch_ix, 'no sound or no speaking rate, and no reason'
from turn_acoustics
where (level_dbfs is null and reason is null) or (words_per_second is null and words_reason is null)
union all
select 'call_clocks', call_id, 'turn-taking not scored, and no reason'
from call_clocks where status <> 'SCORED' and reason is null
union all
select 'assertion_pass_rate', run_id || ' ' || assertion_id, 'no rate and no reason'
from assertion_pass_rate where pass_rate is null and reason is null
