-- talk_over_by_call
-- How long the agent talked over the caller, the caller over the agent, and both after they began together, in each call with two lanes and a clock.
-- $min_overlap_s = 0.3: overlaps up to this length do not count, in seconds.
select
    call_clocks.call_id,
    call_clocks.clock,
    count(*) filter (where long.who_first = 'caller') as agent_over_caller_count,
    coalesce(sum(long.overlap_s::decimal(18, 6)) filter (where long.who_first = 'caller'), 0)::double as agent_over_caller_s,
    count(*) filter (where long.who_first = 'agent') as caller_over_agent_count,
    coalesce(sum(long.overlap_s::decimal(18, 6)) filter (where long.who_first = 'agent'), 0)::double as caller_over_agent_s,
    count(*) filter (where long.who_first = 'together') as began_together_count,
    coalesce(sum(long.overlap_s::decimal(18, 6)) filter (where long.who_first = 'together'), 0)::double as began_together_s,
    max(long.overlap_s) as longest_overlap_s
from call_clocks
left join (
    select call_id, who_first, overlap_s
    from "overlaps"
    where overlap_s > $min_overlap_s::double
) as long using (call_id)
where call_clocks.status = 'SCORED'
group by call_clocks.call_id, call_clocks.clock
order by agent_over_caller_s desc, call_clocks.call_id
