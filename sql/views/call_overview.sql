-- call_overview
-- One row per call: where it came from, how far its timing can be trusted, what was said, measured and found.
-- Key: call_id.
-- Reads: calls, call_clocks, turns, tool_calls, speech_sequence, assertion_results, latest_runs.
-- Units: *_s seconds, *_count rows, *_usd US dollars, started_at UTC.
-- call_id: call.
-- source_format: importer that read it.
-- origin: how the call came about.
-- evidence_tier: 1 two separate channels, 2 mono or text with attributed turns, 3 raw mono, 4 refused.
-- agent_id: agent that answered; empty: not supplied.
-- agent_version: version of the agent; empty: not supplied.
-- language: language of the call; empty: not supplied.
-- started_at: start of the call; empty: not supplied.
-- duration_s: length of the call; empty: no clock.
-- has_audio: whether the call has a recording.
-- health: worst recommendation of input_health, see call_clocks; empty: no audio, or not measured.
-- clock: clock that turn-taking is read from; empty: see clock_reason.
-- clock_reason: why turn-taking is not scored; empty: it is.
-- turn_count: turns; empty: turns were never supplied.
-- caller_turn_count: turns of the caller; empty: turns were never supplied.
-- agent_turn_count: turns of the agent; empty: turns were never supplied.
-- tool_call_count: tool calls; empty: tool calls were never supplied.
-- caller_talk_s: time the caller speaks; empty: see clock_reason.
-- agent_talk_s: time the agent speaks; empty: see clock_reason.
-- response_count: answers of the agent with a gap; empty: see clock_reason.
-- worst_response_gap_s: longest response gap; empty: no answer, or see clock_reason.
-- worst_response_at_s: when the answer after it begins; empty: as worst_response_gap_s.
-- overlap_count: stretches in which both speak; empty: see clock_reason.
-- longest_overlap_s: longest of them; empty: none, or see clock_reason.
-- longest_silence_s: longest stretch in which nobody speaks; empty: none, or no clock.
-- high_finding_count: high findings of the newest assertion run; empty: not judged in it.
-- medium_finding_count: medium findings of it; empty: not judged in it.
-- low_finding_count: low findings of it; empty: not judged in it.
-- open_check_count: assertions that could not say (INCONCLUSIVE, NOT_SCORABLE, ERROR); empty: not judged in it.
-- high_failure_codes: failure codes of the high findings, each once, sorted; empty: none, or not judged.
-- medium_failure_codes: failure codes of the medium findings; empty: none, or not judged.
-- completed: whether the call came to its end; empty: not supplied.
-- outcome: outcome the source states; empty: not supplied.
-- expected_outcome: outcome that was wanted; empty: not supplied.
-- cost_usd: cost of the call; empty: not priced.
with said as (
    select
        call_id,
        count(*) as turn_count,
        count(*) filter (where role = 'caller') as caller_turn_count,
        count(*) filter (where role = 'agent') as agent_turn_count
    from turns
    group by call_id
),
used_tools as (
    select call_id, count(*) as tool_call_count
    from tool_calls
    group by call_id
),
timed as (
    select
        call_id,
        coalesce(sum((end_s - start_s)::decimal(18, 6)) filter (where role = 'caller'), 0)::double as caller_talk_s,
        coalesce(sum((end_s - start_s)::decimal(18, 6)) filter (where role = 'agent'), 0)::double as agent_talk_s,
        count(gap_s) as response_count,
        max(gap_s) as worst_response_gap_s,
        arg_max(start_s, (gap_s, -start_s)) filter (where gap_s is not null) as worst_response_at_s,
        count(overlap_s) as overlap_count,
        max(overlap_s) as longest_overlap_s,
        max(silence_s) as longest_silence_s
    from speech_sequence
    group by call_id
),
found as (
    select assertion_results.call_id, assertion_id, status, severity, failure_code
    from assertion_results
    join latest_runs using (run_id)
    where latest_runs.kind = 'assert'
),
judged as (
    select
        call_id,
        count(*) filter (where status = 'FAIL' and severity = 'high') as high_finding_count,
        count(*) filter (where status = 'FAIL' and severity = 'medium') as medium_finding_count,
        count(*) filter (where status = 'FAIL' and severity = 'low') as low_finding_count,
        count(distinct assertion_id) filter (
            where status in ('INCONCLUSIVE', 'NOT_SCORABLE', 'ERROR')
        ) as open_check_count,
        list_sort(list_distinct(list(failure_code) filter (where status = 'FAIL' and severity = 'high')))
            as high_failure_codes,
        list_sort(list_distinct(list(failure_code) filter (where status = 'FAIL' and severity = 'medium')))
            as medium_failure_codes
    from found
    group by call_id
)
select
    calls.call_id,
    calls.source_format,
    calls.origin,
    calls.evidence_tier,
    calls.agent_id,
    calls.agent_version,
    calls.language,
    calls.started_at,
    calls.duration_s,
    call_clocks.has_audio,
    call_clocks.health,
    call_clocks.clock,
    call_clocks.reason as clock_reason,
    case when list_contains(calls.supplied, 'turns') then coalesce(said.turn_count, 0) end as turn_count,
    case when list_contains(calls.supplied, 'turns') then coalesce(said.caller_turn_count, 0) end as caller_turn_count,
    case when list_contains(calls.supplied, 'turns') then coalesce(said.agent_turn_count, 0) end as agent_turn_count,
    case
        when list_contains(calls.supplied, 'tool_calls') then coalesce(used_tools.tool_call_count, 0)
    end as tool_call_count,
    case when call_clocks.status = 'SCORED' then coalesce(timed.caller_talk_s, 0.0::double) end as caller_talk_s,
    case when call_clocks.status = 'SCORED' then coalesce(timed.agent_talk_s, 0.0::double) end as agent_talk_s,
    case when call_clocks.status = 'SCORED' then coalesce(timed.response_count, 0) end as response_count,
    timed.worst_response_gap_s,
    timed.worst_response_at_s,
    case when call_clocks.status = 'SCORED' then coalesce(timed.overlap_count, 0) end as overlap_count,
    timed.longest_overlap_s,
    timed.longest_silence_s,
    judged.high_finding_count,
    judged.medium_finding_count,
    judged.low_finding_count,
    judged.open_check_count,
    judged.high_failure_codes,
    judged.medium_failure_codes,
    calls.completed,
    calls.outcome,
    calls.expected_outcome,
    calls.cost_usd
from calls
join call_clocks using (call_id)
left join said using (call_id)
left join used_tools using (call_id)
left join timed using (call_id)
left join judged using (call_id)
