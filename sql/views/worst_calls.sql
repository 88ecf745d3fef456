-- worst_calls
-- One row per call, the worst first: by high findings, medium findings, worst response gap.
-- Key: call_id.
-- Reads: call_overview.
-- Units: *_s seconds, *_count rows.
-- rank: 1 is the worst; ties are broken by call_id, so that the order is always the same.
-- call_id: call.
-- high_finding_count: high findings of the newest assertion run; empty: not judged in it.
-- medium_finding_count: medium findings of it; empty: not judged in it.
-- worst_response_gap_s: longest response gap; empty: no answer, or no clock.
-- worst_response_at_s: when the answer after it begins; empty: as worst_response_gap_s.
-- reason: why the call stands here, as one sentence.
-- A call that was not judged stands after all that were, by its gap.
select
    row_number() over (
        order by
            high_finding_count desc nulls last, medium_finding_count desc nulls last,
            worst_response_gap_s desc nulls last, call_id
    ) as rank,
    call_id,
    high_finding_count,
    medium_finding_count,
    worst_response_gap_s,
    worst_response_at_s,
    concat_ws(
        '; ',
        case when high_finding_count > 0 then high_finding_count || ' high: ' || array_to_string(high_failure_codes, ', ') end,
        case when medium_finding_count > 0 then medium_finding_count || ' medium: ' || array_to_string(medium_failure_codes, ', ') end,
        case when high_finding_count = 0 and medium_finding_count = 0 then 'no high or medium finding' end,
        case when high_finding_count is null then 'not judged' end,
        case
            when worst_response_gap_s is not null
                then printf('slowest answer %.2f s at %.2f s', worst_response_gap_s, worst_response_at_s)
            when clock_reason is not null then 'no timing: ' || clock_reason
            else 'no answer of the agent to time'
        end
    ) as reason
from call_overview
