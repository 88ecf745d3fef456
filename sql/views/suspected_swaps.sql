-- suspected_swaps
-- One row per recording whose channels may be the wrong way round, and that nobody has confirmed; of two files the caller's.
-- Key: call_id, recording_id.
-- Reads: recordings, settled_health.
-- Units: none.
-- call_id: call.
-- recording_id: recording.
-- channel_roles: whose voice each channel is said to carry, in order; of two files the caller's first.
-- channel_map_source: where that comes from.
-- verdict_eligible: whether verdicts rest on it all the same, since the source declares its channels.
-- next_step: what would settle it.
-- A person who confirms the roles as they are (workbench label CALL --channels caller,agent, or the notebook
-- review) settles it; one who finds them exchanged imports the recording anew.
select
    recordings.call_id,
    recordings.recording_id,
    if(health.other_recording_id is null, recordings.channel_roles, ['caller', 'agent']) as channel_roles,
    recordings.channel_map_source,
    health.verdict_eligible,
    health.next_step
from settled_health as health
join recordings using (call_id, recording_id)
where
    health.reason = 'possible_swap'
    and not health.confirmed
    and (health.other_recording_id is null or list_contains(recordings.channel_roles, 'caller'))
