-- speaking_time
-- One row per call with two lanes and a clock, and role.
-- Key: call_id, role.
-- Reads: call_clocks, speech_runs.
-- Units: *_s seconds, *_count rows.
-- call_id: call.
-- role: caller or agent.
-- clock: audio, transcript, ticks or quantised.
-- talk_s: time with speech; 0 is a role that was listened to and did not speak.
-- run_count: runs of speech.
-- longest_run_s: longest run of speech; empty: none.
-- first_speech_s: first start of speech; empty: none.
-- last_speech_s: last end of speech; empty: none.
-- Pauses under 0.2 s count as speech. `channels.active_s` has the time without them.
select
    call_clocks.call_id,
    roles.role,
    call_clocks.clock,
    coalesce(sum((speech_runs.end_s - speech_runs.start_s)::decimal(18, 6)), 0)::double as talk_s,
    count(speech_runs.run_ix) as run_count,
    max(speech_runs.end_s - speech_runs.start_s) as longest_run_s,
    min(speech_runs.start_s) as first_speech_s,
    max(speech_runs.end_s) as last_speech_s
from call_clocks
cross join (values ('caller'), ('agent')) as roles (role)
left join speech_runs on speech_runs.call_id = call_clocks.call_id and speech_runs.role = roles.role
where call_clocks.status = 'SCORED'
group by call_clocks.call_id, roles.role, call_clocks.clock
