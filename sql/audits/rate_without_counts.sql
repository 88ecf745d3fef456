-- rate_without_counts
-- One row per rate that does not follow from its counts.
select 'baselines' as table_name, baseline_id || ' ' || metric || ' ' || slice as row_key, 'rate without its counts' as finding
from baselines
where metric like '%\_rate' escape '\' and (count is null or trials is null)
union all
select 'baselines', baseline_id || ' ' || metric || ' ' || slice, value || ' is not ' || count || ' of ' || trials
from baselines
where trials > 0 and abs(value - count::double / trials) > 1e-9::double
union all
select 'denominators', metric, 'scored, not scorable, inconclusive and error do not add up to eligible'
from denominators
where eligible_count <> scored_count + not_scorable_count + inconclusive_count + error_count
