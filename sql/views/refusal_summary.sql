-- refusal_summary
-- One row per run, rule and scope of what was refused at import.
-- Key: run_id, rule, scope.
-- Reads: refusals.
-- Units: *_count rows.
-- run_id: run.
-- rule: name of the rule.
-- scope: file or call (nothing of it was kept), row (the call was kept without it), note (only something was stripped).
-- refusal_count: refusals.
-- source_count: files they came from.
-- example_source_uri: file of the first.
-- example_location: place of the first in its file.
-- message: what was found in the first.
-- hint: what to do about it.
select
    run_id,
    rule,
    scope,
    count(*) as refusal_count,
    count(distinct source_uri) as source_count,
    arg_min(source_uri, refusal_ix) as example_source_uri,
    arg_min(location, refusal_ix) as example_location,
    arg_min(message, refusal_ix) as message,
    arg_min(hint, refusal_ix) as hint
from refusals
group by run_id, rule, scope
