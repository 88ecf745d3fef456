-- reported_latency
-- One row per response latency a framework reported (stage e2e), beside the gap that the call's own clock shows.
-- Key: call_id, timing_ix.
-- Reads: stage_timings, turns, calls, turn_gaps, call_clocks.
-- Units: *_ms milliseconds, *_s seconds from the start of the call, *_ix 0-based.
-- call_id: call.
-- timing_ix: position among the call's stage timings.
-- turn_ix: turn the report names; empty: none.
-- answer_turn_ix: the agent's turn it speaks of: that turn, or the agent's next after a caller's; empty: none.
-- measured_at: client or server; empty: not stated.
-- reported_ms: what was reported; empty: see reason.
-- clock: clock of the gap: audio, transcript, ticks or quantised; empty: the call has none.
-- matched_by: how the gap was found: turn, time or order; empty: it was not, see reason.
-- gap_ix: the answer in turn_gaps; empty: see reason.
-- answer_start_s: when the agent was heard to answer; empty: see reason.
-- gap_ms: from the end of the caller's speech to that; empty: see reason.
-- difference_ms: reported_ms - gap_ms; empty: one of them is.
-- reason: why there is no difference; empty: there is one.
-- Two clocks: a report counts from what the framework took for the end of speech, and on its own clock. A gap in
-- audio belongs to the agent's turn whose reported start is nearest, within 2 s and mutually; where the source gives
-- no times of turns, the nth answer in audio to the nth agent's turn that follows a caller's, if there are as many.
-- Only the audio clock is independent of the source; the analysis of two clocks reads no other.
with reports as (
    select call_id, timing_ix, turn_ix, measured_at, value_ms, reason_missing
    from stage_timings
    where stage = 'e2e' and measured_at is distinct from 'audio'
),
spoken as (
    select
        turns.call_id, turns.turn_ix, turns.role,
        case when calls.turn_clock = 'reported' then turns.start_s end as start_s,
        lag(turns.role) over in_order = 'caller' as follows_caller,
        min(case when turns.role = 'agent' then turns.turn_ix end) over (
            partition by turns.call_id order by turns.turn_ix rows between current row and unbounded following
        ) as answer_turn_ix
    from turns
    join calls using (call_id)
    window in_order as (partition by turns.call_id order by turns.turn_ix)
),
near as (
    select
        spoken.call_id, spoken.turn_ix, gaps.gap_ix,
        row_number() over (
            partition by spoken.call_id, spoken.turn_ix order by abs(gaps.agent_start_s - spoken.start_s), gaps.gap_ix
        ) as nth_gap,
        row_number() over (
            partition by spoken.call_id, gaps.gap_ix order by abs(gaps.agent_start_s - spoken.start_s), spoken.turn_ix
        ) as nth_turn
    from spoken
    join turn_gaps as gaps using (call_id)
    where spoken.role = 'agent' and gaps.clock = 'audio' and abs(gaps.agent_start_s - spoken.start_s) <= 2
),
answering as (
    select
        call_id, turn_ix,
        row_number() over (partition by call_id order by turn_ix) - 1 as answer_ix,
        count(*) over (partition by call_id) as answer_count,
        bool_or(start_s is not null) over (partition by call_id) as timed
    from spoken
    where role = 'agent' and follows_caller
),
counted as (
    select call_id, count(*) as gap_count
    from turn_gaps
    where clock = 'audio'
    group by call_id
),
matches as (
    select call_id, turn_ix, gap_ix, 'time' as matched_by from near where nth_gap = 1 and nth_turn = 1
    union all
    select answering.call_id, answering.turn_ix, answering.answer_ix, 'order'
    from answering
    join counted on counted.call_id = answering.call_id and counted.gap_count = answering.answer_count
    where not answering.timed
    union all
    select call_id, agent_turn_ix, gap_ix, 'turn' from turn_gaps where clock <> 'audio'
)
select
    reports.call_id,
    reports.timing_ix,
    reports.turn_ix,
    spoken.answer_turn_ix,
    reports.measured_at,
    reports.value_ms as reported_ms,
    call_clocks.clock,
    matches.matched_by,
    gaps.gap_ix,
    gaps.agent_start_s as answer_start_s,
    1000 * gaps.gap_s as gap_ms,
    reports.value_ms - 1000 * gaps.gap_s as difference_ms,
    case
        when reports.value_ms is null then 'nothing was reported: ' || reports.reason_missing
        when reports.turn_ix is null then 'the report names no turn'
        when spoken.answer_turn_ix is null then 'no turn of the agent answers the one it names'
        when call_clocks.status <> 'SCORED' then call_clocks.reason
        when gaps.gap_ix is null and call_clocks.clock = 'audio' and spoken.start_s is null
            then 'turns have no times, and the audio has another number of answers'
        when gaps.gap_ix is null then 'no answer is heard at this turn'
    end as reason
from reports
left join call_clocks using (call_id)
left join spoken using (call_id, turn_ix)
left join matches on matches.call_id = reports.call_id and matches.turn_ix = spoken.answer_turn_ix
left join turn_gaps as gaps on gaps.call_id = matches.call_id and gaps.gap_ix = matches.gap_ix
