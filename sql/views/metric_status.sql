-- metric_status
-- One row per metric and call: what became of the call, and why it is not scored.
-- Key: metric, call_id.
-- Reads: calls, call_clocks, input_health, turns, assertions, call_verdicts, latest_runs.
-- Units: none.
-- metric: response_gap, overlap, dead_air, mishearing, input_health, and assertion:ID for each of the newest run.
-- call_id: call.
-- status: SCORED, NOT_SCORABLE (input unusable), INCONCLUSIVE (evidence missing), ERROR (the check broke), SKIPPED.
-- reason: why the call is not scored; empty: it is, or the metric does not speak about it.
-- A call may be scored with nothing to show: no answer, no overlap. SKIPPED: the metric does not speak about it.
with timed as (
    select
        metrics.metric,
        call_clocks.call_id,
        case when metrics.metric = 'dead_air' and call_clocks.clock is not null
            then 'SCORED' else call_clocks.status end as status,
        case when metrics.metric <> 'dead_air' or call_clocks.clock is null then call_clocks.reason end as reason
    from call_clocks
    cross join (values ('response_gap'), ('overlap'), ('dead_air')) as metrics (metric)
),
caller_turns as (
    select
        call_id,
        bool_or(truth is not null and coalesce(heard, text) is not null) as has_pair
    from turns
    where role = 'caller'
    group by call_id
),
misheard as (
    select
        'mishearing' as metric,
        calls.call_id,
        case when caller_turns.has_pair then 'SCORED' else 'INCONCLUSIVE' end as status,
        case
            when caller_turns.call_id is null then 'no turn of the caller'
            when not caller_turns.has_pair then 'what the caller really said is not known'
        end as reason
    from calls
    left join caller_turns using (call_id)
),
health_per_call as (
    select call_id, bool_or(scorable) as scorable, min(reason) filter (where not scorable) as reason
    from input_health
    group by call_id
),
healthy as (
    select
        'input_health' as metric,
        calls.call_id,
        case
            when not call_clocks.has_audio then 'SKIPPED'
            when health_per_call.call_id is null then 'INCONCLUSIVE'
            when health_per_call.scorable then 'SCORED'
            else 'NOT_SCORABLE'
        end as status,
        case
            when not call_clocks.has_audio then null
            when health_per_call.call_id is null then 'the audio is not measured'
            when not health_per_call.scorable then health_per_call.reason
        end as reason
    from calls
    join call_clocks using (call_id)
    left join health_per_call using (call_id)
),
checks as (
    select 'assertion:' || assertions.assertion_id as metric, assertions.run_id, assertions.assertion_id
    from assertions
    join latest_runs using (run_id)
    where latest_runs.kind = 'assert'
),
checked as (
    select
        checks.metric,
        every_id.call_id,
        case
            when call_verdicts.status in ('PASS', 'FAIL') then 'SCORED'
            else coalesce(call_verdicts.status, 'SKIPPED')
        end as status,
        call_verdicts.reason
    from checks
    cross join (select call_id from calls) as every_id
    left join call_verdicts using (run_id, assertion_id, call_id)
)
select metric, call_id, status, reason from timed
union all select metric, call_id, status, reason from misheard
union all select metric, call_id, status, reason from healthy
union all select metric, call_id, status, reason from checked
