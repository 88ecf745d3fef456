-- gap_histogram
-- How are the response gaps of each agent distributed.
-- $bin_s = 0.1: width of a bin, in seconds.
-- $most_bins = 80: bins at most; longer gaps are counted in the last, which says so by its end.
-- Gives agent_id, agent_version, clock, bin_start_s, bin_end_s and gap_count; a bin without a gap has no row.
with binned as (
    select
        coalesce(calls.agent_id, 'not supplied') as agent_id,
        coalesce(calls.agent_version, 'not supplied') as agent_version,
        turn_gaps.clock,
        least(floor(turn_gaps.gap_s / $bin_s + 1e-9::double), $most_bins - 1)::integer as bin_ix
    from turn_gaps
    join calls using (call_id)
)
select
    agent_id,
    agent_version,
    clock,
    bin_ix * $bin_s::double as bin_start_s,
    (bin_ix + 1) * $bin_s::double as bin_end_s,
    count(*) as gap_count
from binned
group by agent_id, agent_version, clock, bin_ix
order by agent_id, agent_version, clock, bin_ix
