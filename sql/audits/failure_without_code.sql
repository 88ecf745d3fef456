-- failure_without_code
-- One row per failure without a code or severity, and per result with a code that is no failure.
select
    'assertion_results' as table_name,
    assertion_id || ' on ' || call_id || ' result ' || result_ix as row_key,
    status || ' with code ' || coalesce(failure_code, 'NULL') || ' and severity ' || coalesce(severity, 'NULL') as finding
from assertion_results
where (status = 'FAIL') <> (failure_code is not null) or (status = 'FAIL' and severity is null)
