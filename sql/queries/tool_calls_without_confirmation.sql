-- tool_calls_without_confirmation
-- Consequential tool calls before which no turn of the agent has words that ask for a yes; a search, the check no_confirmation judges.
-- $pattern = \b(confirm|did\s+you\s+say|is\s+that\s+right|shall\s+i|should\s+i|can\s+i\s+go\s+ahead)\b: what counts as asking.
with asked as (
    select call_id, min(turn_ix) as first_asked_ix
    from turns
    where role = 'agent' and regexp_matches(lower(text), $pattern)
    group by call_id
)
select
    tool_calls.call_id,
    tool_calls.call_ix,
    tool_calls.turn_ix,
    tool_calls.name,
    tool_calls.arguments,
    tool_calls.start_s
from tool_calls
left join asked using (call_id)
where tool_calls.consequential
    and tool_calls.turn_ix is not null
    and (asked.first_asked_ix is null or asked.first_asked_ix >= tool_calls.turn_ix)
order by tool_calls.call_id, tool_calls.call_ix
