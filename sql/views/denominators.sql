-- denominators
-- One row per metric: how many calls it speaks about, and what became of each.
-- Key: metric.
-- Reads: metric_status, refusals, assertions, latest_runs.
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
with every_metric as (
    select metric
    from (values ('response_gap'), ('overlap'), ('dead_air'), ('mishearing'), ('input_health')) as fixed (metric)
    union all
    select 'assertion:' || assertions.assertion_id as metric
    from assertions
    join latest_runs using (run_id)
    where latest_runs.kind = 'assert'
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
    from metric_status
    group by metric
),
per_reason as (
    select metric, reason, count(*) as call_count
    from metric_status
    where status in ('NOT_SCORABLE', 'INCONCLUSIVE', 'ERROR')
    group by metric, reason
),
reasons as (
    select metric, string_agg(call_count || ' x ' || rtrim(reason, '.'), '; ' order by call_count desc, reason) as reason
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
