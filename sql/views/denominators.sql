-- denominators
-- One row per metric: how many calls it speaks about, and what became of each.
-- Key: metric.
-- Reads: calls, call_clocks, input_health, turns, refusals, assertions, assertion_results, call_verdicts,
--   latest_runs.
-- Units: *_count calls (refused_count inputs).
-- metric: response_gap, overlap, dead_air, mishearing, input_health, and assertion:ID for each of the newest run.
-- eligible_count: calls the metric speaks about: scored + not_scorable + inconclusive + error.
-- scored_count: calls that have a value or a verdict.
-- not_scorable_count: calls whose input is unusable.
-- inconclusive_count: calls whose evidence is missing.
-- error_count: calls on which the check itself broke.
-- skipped_count: calls of the archive that the metric does not speak about.
-- refused_count: files and calls that were refused at import and so are in no other count.
-- reason: why calls are not scored, the most frequent reason first, each with its count; empty: all are.
-- A call may be scored with nothing to show: no answer, no overlap. Refused inputs are told apart by source and
-- location over all imports, whatever came of a later import of the same file.
with timed as (
    select
        metrics.metric,
        call_clocks.call_id,
        case when metrics.metric = 'dead_air' and call_clocks.clock is not null
            then 'SCORED' else call_clocks.status end as status,
        call_clocks.reason
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
messages as (
    select
        run_id, assertion_id, call_id, status,
        arg_min(message, result_ix) as reason
    from assertion_results
    group by run_id, assertion_id, call_id, status
),
checked as (
    select
        checks.metric,
        every_id.call_id,
        case
            when call_verdicts.status in ('PASS', 'FAIL') then 'SCORED'
            else coalesce(call_verdicts.status, 'SKIPPED')
        end as status,
        case when call_verdicts.status in ('INCONCLUSIVE', 'NOT_SCORABLE', 'ERROR') then messages.reason end as reason
    from checks
    cross join (select call_id from calls) as every_id
    left join call_verdicts using (run_id, assertion_id, call_id)
    left join messages using (run_id, assertion_id, call_id, status)
),
every_call as (
    select metric, call_id, status, reason from timed
    union all select metric, call_id, status, reason from misheard
    union all select metric, call_id, status, reason from healthy
    union all select metric, call_id, status, reason from checked
),
every_metric as (
    select metric
    from (values ('response_gap'), ('overlap'), ('dead_air'), ('mishearing'), ('input_health')) as fixed (metric)
    union all select metric from checks
),
counted as (
    select
        metric,
        count(*) filter (where status <> 'SKIPPED') as eligible_count,
        count(*) filter (where status = 'SCORED') as scored_count,
        count(*) filter (where status = 'NOT_SCORABLE') as not_scorable_count,
        count(*) filter (where status = 'INCONCLUSIVE') as inconclusive_count,
        count(*) filter (where status = 'ERROR') as error_count,
        count(*) filter (where status = 'SKIPPED') as skipped_count
    from every_call
    group by metric
),
per_reason as (
    select metric, reason, count(*) as call_count
    from every_call
    where status in ('NOT_SCORABLE', 'INCONCLUSIVE', 'ERROR')
    group by metric, reason
),
reasons as (
    select metric, string_agg(call_count || ' x ' || reason, '; ' order by call_count desc, reason) as reason
    from per_reason
    group by metric
),
refused as (
    select count(distinct (source_uri, location)) as refused_count
    from refusals
    where scope in ('file', 'call')
)
select
    every_metric.metric,
    coalesce(counted.eligible_count, 0) as eligible_count,
    coalesce(counted.scored_count, 0) as scored_count,
    coalesce(counted.not_scorable_count, 0) as not_scorable_count,
    coalesce(counted.inconclusive_count, 0) as inconclusive_count,
    coalesce(counted.error_count, 0) as error_count,
    coalesce(counted.skipped_count, 0) as skipped_count,
    refused.refused_count,
    reasons.reason
from every_metric
cross join refused
left join counted using (metric)
left join reasons using (metric)
