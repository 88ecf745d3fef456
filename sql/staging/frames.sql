-- frames
-- One row per hop (10 ms) of a recording and measuring config: levels as dBFS in place of hundredths.
select
    recording_id,
    config_id,
    frame_ix,
    caller_cdbfs / 100.0::double as caller_dbfs,
    agent_cdbfs / 100.0::double as agent_dbfs,
    mixed_cdbfs / 100.0::double as mixed_dbfs,
    caller_active,
    agent_active,
    mixed_active
from lake.frames
