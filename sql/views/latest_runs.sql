-- latest_runs
-- One row per kind of run: the newest that completed.
-- Key: kind.
-- Reads: runs.
-- Units: started_at UTC.
-- kind: import, measure, assert, ...
-- run_id: the newest completed run of that kind; of two that began together, the later id.
-- started_at: when it began.
select kind, arg_max(run_id, (started_at, run_id)) as run_id, max(started_at) as started_at
from runs
where status = 'completed'
group by kind
