-- failures_by_code
-- What failed most often in the newest assertion run: findings and calls by failure code, with one example.
select
    failure_code,
    severity,
    count(*) as finding_count,
    count(distinct call_id) as call_count,
    arg_min(call_id, (call_id, result_ix)) as example_call_id,
    arg_min(message, (call_id, result_ix)) as example_message
from findings
group by failure_code, severity
order by finding_count desc, failure_code, severity
