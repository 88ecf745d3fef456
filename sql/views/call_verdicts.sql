-- call_verdicts
-- One row per run, assertion and call: the findings of a call as one status.
-- Key: run_id, assertion_id, call_id.
-- Reads: assertion_results.
-- Units: *_count rows.
-- run_id: run.
-- assertion_id: assertion.
-- call_id: call.
-- status: FAIL where anything failed, else ERROR, NOT_SCORABLE, INCONCLUSIVE, PASS, SKIPPED, the first that occurs.
-- finding_count: failures found in the call.
-- severity: worst severity of a failure; empty: nothing failed.
-- A call in which one turn passes and another lacks its evidence is INCONCLUSIVE, never green.
select
    run_id,
    assertion_id,
    call_id,
    ['FAIL', 'ERROR', 'NOT_SCORABLE', 'INCONCLUSIVE', 'PASS', 'SKIPPED'][
        min(list_position(['FAIL', 'ERROR', 'NOT_SCORABLE', 'INCONCLUSIVE', 'PASS', 'SKIPPED'], status))
    ] as status,
    count(*) filter (where status = 'FAIL') as finding_count,
    ['high', 'medium', 'low'][
        min(list_position(['high', 'medium', 'low'], severity)) filter (where status = 'FAIL')
    ] as severity
from assertion_results
group by run_id, assertion_id, call_id
