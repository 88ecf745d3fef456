-- The aggregate of the view `frames`, over its files read plainly.
select
    avg(caller_cdbfs / 100.0::double),
    max(agent_cdbfs / 100.0::double),
    count_if(caller_active and agent_active)
from read_parquet($files)
