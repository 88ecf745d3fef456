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
-- reason: what the first result with that status says; empty: FAIL, PASS or SKIPPED, or nothing said.
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
    ] as severity,
    case
        when count(*) filter (where status = 'FAIL') = 0 then
            arg_min(message, list_position(['ERROR', 'NOT_SCORABLE', 'INCONCLUSIVE'], status) * 4294967296 + result_ix)
    end as reason
from assertion_results
group by run_id, assertion_id, call_id
