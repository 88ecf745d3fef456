-- The aggregate of the view `frames` by recording, over its files read plainly.
select recording_id, avg(caller_cdbfs / 100.0::double), count_if(agent_active)
from read_parquet($files)
group by recording_id
