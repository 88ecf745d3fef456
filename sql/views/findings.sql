-- findings
-- One row per failure found by the newest assertion run.
-- Key: assertion_id, call_id, result_ix.
-- Reads: assertion_results, latest_runs, turns.
-- Units: *_s seconds from the start of the call, *_ix 0-based.
-- assertion_id: assertion.
-- call_id: call.
-- result_ix: position among the findings of this assertion on this call.
-- run_id: run that found it.
-- dimension: outcome, policy, conversation, speech or reliability.
-- severity: high, medium or low.
-- failure_code: stable name of the failure.
-- deterministic: whether the same rows always give the same status.
-- turn_ix: turn; empty: the whole call.
-- start_s: when it begins, else when its turn begins; empty: no clock.
-- end_s: when it ends, else when its turn ends; empty: no clock.
-- message: one sentence for people.
-- observed: what was found (JSON).
-- expected: what was wanted (JSON).
-- role: who speaks in the turn; empty: the whole call.
-- text: the words of the turn as the transcript gives them; empty: not supplied.
-- heard: what the recogniser delivered; empty: not supplied.
-- truth: what was really said; empty: not known.
select
    assertion_results.assertion_id,
    assertion_results.call_id,
    assertion_results.result_ix,
    assertion_results.run_id,
    assertion_results.dimension,
    assertion_results.severity,
    assertion_results.failure_code,
    assertion_results.deterministic,
    assertion_results.turn_ix,
    coalesce(assertion_results.start_s, turns.start_s) as start_s,
    case when assertion_results.start_s is null then turns.end_s else assertion_results.end_s end as end_s,
    assertion_results.message,
    assertion_results.observed,
    assertion_results.expected,
    turns.role,
    turns.text,
    turns.heard,
    turns.truth
from assertion_results
join latest_runs using (run_id)
left join turns using (call_id, turn_ix)
where latest_runs.kind = 'assert' and assertion_results.status = 'FAIL'
