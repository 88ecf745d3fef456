-- assertion_pass_rate
-- One row per run and assertion.
-- Key: run_id, assertion_id.
-- Reads: assertions, call_verdicts.
-- Units: *_rate 0..1, *_count calls (finding_count rows); low and high are Wilson bounds at 95 %, unit: the call.
-- run_id: run.
-- assertion_id: assertion.
-- kind: kind of check.
-- pack: pack it came from; empty: not from a pack.
-- dimension: outcome, policy, conversation, speech or reliability.
-- severity: how bad a failure is.
-- deterministic: whether the same rows always give the same status; never add up both kinds.
-- call_count: calls the assertion was put to.
-- trial_count: calls that passed or failed.
-- pass_count: calls that passed.
-- fail_count: calls with at least one failure.
-- inconclusive_count: calls whose evidence is missing.
-- not_scorable_count: calls whose input is unusable.
-- skipped_count: calls it does not speak about.
-- error_count: calls on which the check itself broke.
-- finding_count: failures found.
-- pass_rate: pass_count / trial_count; empty: see reason.
-- pass_rate_low: lower end of its interval; empty: see reason.
-- pass_rate_high: upper end of its interval; empty: see reason.
-- reason: why there is no rate; empty: there is one.
with counted as (
    select
        run_id,
        assertion_id,
        count(*) as call_count,
        count(*) filter (where status in ('PASS', 'FAIL')) as trial_count,
        count(*) filter (where status = 'PASS') as pass_count,
        count(*) filter (where status = 'FAIL') as fail_count,
        count(*) filter (where status = 'INCONCLUSIVE') as inconclusive_count,
        count(*) filter (where status = 'NOT_SCORABLE') as not_scorable_count,
        count(*) filter (where status = 'SKIPPED') as skipped_count,
        count(*) filter (where status = 'ERROR') as error_count,
        sum(finding_count)::bigint as finding_count
    from call_verdicts
    group by run_id, assertion_id
),
complete as (
    select
        assertions.run_id,
        assertions.assertion_id,
        assertions.kind,
        assertions.pack,
        assertions.dimension,
        assertions.severity,
        assertions.deterministic,
        coalesce(counted.call_count, 0) as call_count,
        coalesce(counted.trial_count, 0) as trial_count,
        coalesce(counted.pass_count, 0) as pass_count,
        coalesce(counted.fail_count, 0) as fail_count,
        coalesce(counted.inconclusive_count, 0) as inconclusive_count,
        coalesce(counted.not_scorable_count, 0) as not_scorable_count,
        coalesce(counted.skipped_count, 0) as skipped_count,
        coalesce(counted.error_count, 0) as error_count,
        coalesce(counted.finding_count, 0) as finding_count
    from assertions
    left join counted using (run_id, assertion_id)
)
select
    *,
    share(pass_count, trial_count) as pass_rate,
    wilson_low(pass_count, trial_count) as pass_rate_low,
    wilson_high(pass_count, trial_count) as pass_rate_high,
    case
        when call_count = 0 then 'put to no call'
        when trial_count = 0 then 'no call could be judged'
    end as reason
from complete
