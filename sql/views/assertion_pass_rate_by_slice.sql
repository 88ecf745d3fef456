-- assertion_pass_rate_by_slice
-- One row per run, assertion, slice of the sound and part of it that has a call: how many of these calls pass.
-- Key: run_id, assertion_id, slice, part.
-- Reads: assertions, call_verdicts, call_slices.
-- Units: *_rate 0..1, *_count calls (finding_count rows); low and high are Wilson bounds at 95 %, unit: the call.
-- run_id: run.
-- assertion_id: assertion.
-- dimension: outcome, policy, conversation, speech or reliability.
-- severity: how bad a failure is.
-- deterministic: whether the same rows always give the same status; never add up both kinds.
-- slice: caller_noisy, caller_narrow_band or agent_fast_talker, see call_slices.
-- part: yes, no, or not described.
-- call_count: calls of the part that the assertion was put to.
-- trial_count: those that passed or failed.
-- pass_count: those that passed.
-- fail_count: those with at least one failure.
-- inconclusive_count: those whose evidence is missing.
-- not_scorable_count: those whose input is unusable.
-- skipped_count: those it does not speak about.
-- error_count: those on which the check itself broke.
-- finding_count: failures found.
-- pass_rate: pass_count / trial_count; empty: see reason.
-- pass_rate_low: lower end of its interval; empty: see reason.
-- pass_rate_high: upper end of its interval; empty: see reason.
-- reason: why there is no rate; empty: there is one.
-- Calls that differ in sound may differ in more, so a difference of two parts is no effect of the sound.
with sliced as (
    select call_id, 'caller_noisy' as slice, caller_noisy as inside from call_slices
    union all
    select call_id, 'caller_narrow_band' as slice, caller_narrow_band as inside from call_slices
    union all
    select call_id, 'agent_fast_talker' as slice, agent_fast_talker as inside from call_slices
),
counted as (
    select
        call_verdicts.run_id,
        call_verdicts.assertion_id,
        sliced.slice,
        case when sliced.inside is null then 'not described' when sliced.inside then 'yes' else 'no' end as part,
        count(*) as call_count,
        count(*) filter (where call_verdicts.status in ('PASS', 'FAIL')) as trial_count,
        count(*) filter (where call_verdicts.status = 'PASS') as pass_count,
        count(*) filter (where call_verdicts.status = 'FAIL') as fail_count,
        count(*) filter (where call_verdicts.status = 'INCONCLUSIVE') as inconclusive_count,
        count(*) filter (where call_verdicts.status = 'NOT_SCORABLE') as not_scorable_count,
        count(*) filter (where call_verdicts.status = 'SKIPPED') as skipped_count,
        count(*) filter (where call_verdicts.status = 'ERROR') as error_count,
        sum(call_verdicts.finding_count)::bigint as finding_count
    from call_verdicts
    join sliced using (call_id)
    group by all
)
select
    counted.run_id,
    counted.assertion_id,
    assertions.dimension,
    assertions.severity,
    assertions.deterministic,
    counted.slice,
    counted.part,
    counted.* exclude (run_id, assertion_id, slice, part),
    share(counted.pass_count, counted.trial_count) as pass_rate,
    wilson_low(counted.pass_count, counted.trial_count) as pass_rate_low,
    wilson_high(counted.pass_count, counted.trial_count) as pass_rate_high,
    case when counted.trial_count = 0 then 'no call could be judged' end as reason
from counted
join assertions using (run_id, assertion_id)
