-- talk_over_share
-- How long both spoke, and how long the caller spoke, in each call with two lanes and a clock: sums for a share.
-- Gives call_id, source_format, agent_id, agent_version, caller_noisy, caller_narrow_band, agent_fast_talker, clock,
-- talk_over_s and caller_s; sum before you divide, and do not mix clocks.
select
    calls.call_id,
    calls.source_format,
    coalesce(calls.agent_id, 'not supplied') as agent_id,
    coalesce(calls.agent_version, 'not supplied') as agent_version,
    call_slices.caller_noisy,
    call_slices.caller_narrow_band,
    call_slices.agent_fast_talker,
    speaking_time.clock,
    coalesce(together.talk_over_s, 0.0::double) as talk_over_s,
    speaking_time.talk_s as caller_s
from speaking_time
join calls using (call_id)
join call_slices using (call_id)
left join (
    select call_id, sum(overlap_s::decimal(18, 6))::double as talk_over_s
    from "overlaps"
    group by call_id
) as together using (call_id)
where speaking_time.role = 'caller'
order by calls.call_id
