-- response_gap_by_agent
-- One row per agent, version and clock that gave at least one answer.
-- Key: agent_id, agent_version, clock.
-- Reads: calls, turn_gaps.
-- Units: *_s seconds, *_count rows; low and high are 95 % bootstrap bounds, resampled unit: the call.
-- agent_id: agent that answered; "not supplied" where the source does not say.
-- agent_version: its version; "not supplied" where the source does not say.
-- clock: audio, transcript, ticks or quantised; gaps of different clocks are not comparable.
-- call_count: calls with at least one answer.
-- response_count: answers.
-- gap_p50_lin_s: median gap, linear between order statistics.
-- gap_p50_low_s: lower bound of the median; empty: see reason.
-- gap_p50_high_s: upper bound of the median; empty: see reason.
-- gap_p90_lin_s: 90th percentile, linear.
-- gap_p90_low_s: lower bound of the 90th percentile; empty: see reason.
-- gap_p90_high_s: upper bound of the 90th percentile; empty: see reason.
-- gap_p95_lin_s: 95th percentile, linear.
-- gap_p95_low_s: lower bound of the 95th percentile; empty: see reason.
-- gap_p95_high_s: upper bound of the 95th percentile; empty: see reason.
-- reason: why a bound is missing or to be read with care; empty: nothing against it.
-- Bootstrap: 200 replicates; in each a call counts Poisson(1) times, drawn from the MD5 of its id and the number of
-- the replicate, so that the same calls always give the same bounds; the bounds are the 2.5th and 97.5th
-- percentiles of the replicates, whose gaps are taken to the millisecond (Efron 1979; Poisson weights: Hanley and MacGibbon 2006). Refused with fewer
-- than 3 calls or equal gaps. Open: an upper bound that would be the largest gap seen and a lower bound that
-- would be the smallest; an upper bound of a percentile p from fewer than ln 0.025 / ln p answers (6, 36, 72),
-- and a lower bound of the median from fewer than 6. Below 40 calls such bounds are too narrow; the reason says so.
with gaps as (
    select
        coalesce(calls.agent_id, 'not supplied') as agent_id,
        coalesce(calls.agent_version, 'not supplied') as agent_version,
        turn_gaps.clock,
        turn_gaps.call_id,
        turn_gaps.gap_s
    from turn_gaps
    join calls using (call_id)
),
points as (
    select
        agent_id,
        agent_version,
        clock,
        count(distinct call_id) as call_count,
        count(*) as response_count,
        min(gap_s) as least_s,
        max(gap_s) as largest_s,
        quantile_cont(gap_s, [0.5, 0.9, 0.95]) as p_s
    from gaps
    group by agent_id, agent_version, clock
),
draws as (
    select
        answering.call_id,
        replicates.replicate,
        md5_number_lower(answering.call_id || ':' || replicates.replicate)
            / 18446744073709551616.0::double as u
    from (select distinct call_id from gaps) as answering
    cross join (select unnest(range(200)) as replicate) as replicates
),
weights as (
    select
        call_id,
        replicate,
        -- cumulative Poisson(1) probabilities of 0, 1, 2, ... 7
        (u >= 0.36787944117144233::double)::integer + (u >= 0.7357588823428847::double)::integer
        + (u >= 0.9196986029286058::double)::integer + (u >= 0.9810118431238462::double)::integer
        + (u >= 0.9963401531726563::double)::integer + (u >= 0.9994058151824183::double)::integer
        + (u >= 0.9999167588507119::double)::integer + (u >= 0.9999897508033253::double)::integer as weight
    from draws
    where u >= 0.36787944117144233::double
),
binned as (
    select agent_id, agent_version, clock, call_id, round(gap_s, 3) as gap_s, count(*) as gap_count
    from gaps
    group by all
),
resampled as (
    select agent_id, agent_version, clock, replicate, gap_s, sum(gap_count * weight)::bigint as gap_count
    from binned
    join weights using (call_id)
    group by agent_id, agent_version, clock, replicate, gap_s
),
cumulated as (
    select
        *,
        sum(gap_count) over upwards as upto,
        sum(gap_count) over (partition by agent_id, agent_version, clock, replicate) - 1 as last_rank
    from resampled
    window upwards as (
        partition by agent_id, agent_version, clock, replicate order by gap_s rows unbounded preceding
    )
),
ends as (
    select
        agent_id,
        agent_version,
        clock,
        replicate,
        any_value(last_rank) * 0.5::double as at50,
        any_value(last_rank) * 0.9::double as at90,
        any_value(last_rank) * 0.95::double as at95,
        min(gap_s) filter (where upto > floor(last_rank * 0.5::double)) as below50,
        min(gap_s) filter (where upto > ceil(last_rank * 0.5::double)) as above50,
        min(gap_s) filter (where upto > floor(last_rank * 0.9::double)) as below90,
        min(gap_s) filter (where upto > ceil(last_rank * 0.9::double)) as above90,
        min(gap_s) filter (where upto > floor(last_rank * 0.95::double)) as below95,
        min(gap_s) filter (where upto > ceil(last_rank * 0.95::double)) as above95
    from cumulated
    group by agent_id, agent_version, clock, replicate
),
bounds as (
    select
        agent_id,
        agent_version,
        clock,
        quantile_cont(below50 + (at50 - floor(at50)) * (above50 - below50), [0.025, 0.975]) as p50,
        quantile_cont(below90 + (at90 - floor(at90)) * (above90 - below90), [0.025, 0.975]) as p90,
        quantile_cont(below95 + (at95 - floor(at95)) * (above95 - below95), [0.025, 0.975]) as p95
    from ends
    group by agent_id, agent_version, clock
),
usable as (
    select *, call_count >= 3 and least_s < largest_s as bounded
    from points
    left join bounds using (agent_id, agent_version, clock)
),
opened as (
    select
        *,
        case when bounded and response_count >= 6 and p50[1] > least_s then p50[1] end as gap_p50_low_s,
        case when bounded and response_count >= 6 and p50[2] < largest_s then p50[2] end as gap_p50_high_s,
        case when bounded and p90[1] > least_s then p90[1] end as gap_p90_low_s,
        case when bounded and response_count >= 36 and p90[2] < largest_s then p90[2] end as gap_p90_high_s,
        case when bounded and p95[1] > least_s then p95[1] end as gap_p95_low_s,
        case when bounded and response_count >= 72 and p95[2] < largest_s then p95[2] end as gap_p95_high_s
    from usable
)
select
    agent_id,
    agent_version,
    clock,
    call_count,
    response_count,
    p_s[1] as gap_p50_lin_s,
    gap_p50_low_s,
    gap_p50_high_s,
    p_s[2] as gap_p90_lin_s,
    gap_p90_low_s,
    gap_p90_high_s,
    p_s[3] as gap_p95_lin_s,
    gap_p95_low_s,
    gap_p95_high_s,
    case
        when call_count < 3 then 'fewer than 3 calls with an answer: no interval'
        when least_s = largest_s then 'all gaps are equal: no interval'
        else nullif(concat_ws(
            '; ',
            case
                when gap_p50_low_s is null or gap_p50_high_s is null or gap_p90_low_s is null
                    or gap_p90_high_s is null or gap_p95_low_s is null or gap_p95_high_s is null
                    then 'too few answers to close every bound'
            end,
            case when call_count < 40 then 'fewer than 40 calls: the bounds are too narrow' end
        ), '')
    end as reason
from opened
