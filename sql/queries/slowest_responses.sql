-- slowest_responses
-- Which answers of the agent took longest, with what the caller had said and what the agent answered.
-- $limit_count = 20: how many.
-- $min_gap_s = 1.5: shortest gap to show, in seconds.
select
    turn_gaps.call_id,
    turn_gaps.clock,
    turn_gaps.caller_end_s,
    turn_gaps.agent_start_s,
    turn_gaps.gap_s,
    caller.text as caller_text,
    agent.text as agent_text
from turn_gaps
left join turns as caller on caller.call_id = turn_gaps.call_id and caller.turn_ix = turn_gaps.caller_turn_ix
left join turns as agent on agent.call_id = turn_gaps.call_id and agent.turn_ix = turn_gaps.agent_turn_ix
where turn_gaps.gap_s > $min_gap_s::double
order by turn_gaps.gap_s desc, turn_gaps.call_id, turn_gaps.gap_ix
limit $limit_count::bigint
