-- slowest_responses
-- Which answers of the agent took longest, with what the caller had said and what the agent answered.
-- $limit_count = 20: how many.
-- $min_gap_s = 1.5: shortest gap to show, in seconds.
-- Speech read from audio takes the words of the turn of the same role whose end (the caller's) or start (the agent's)
-- lies nearest, within a second; empty where none does.
with slow as (
    select *
    from turn_gaps
    where gap_s > $min_gap_s::double
    order by gap_s desc, call_id, gap_ix
    limit $limit_count::bigint
)
select
    slow.call_id,
    slow.clock,
    slow.caller_end_s,
    slow.agent_start_s,
    slow.gap_s,
    (
        select arg_min(turns.text, abs(turns.end_s - slow.caller_end_s))
        from turns
        where turns.call_id = slow.call_id
            and turns.role = 'caller'
            and coalesce(turns.turn_ix = slow.caller_turn_ix, abs(turns.end_s - slow.caller_end_s) <= 1.0::double)
    ) as caller_text,
    (
        select arg_min(turns.text, abs(turns.start_s - slow.agent_start_s))
        from turns
        where turns.call_id = slow.call_id
            and turns.role = 'agent'
            and coalesce(turns.turn_ix = slow.agent_turn_ix, abs(turns.start_s - slow.agent_start_s) <= 1.0::double)
    ) as agent_text
from slow
order by slow.gap_s desc, slow.call_id, slow.gap_ix
