-- labelled_moments
-- Who labelled which moment, and how the newest scoring run judges it.
-- Gives author (empty: not supplied), call_id, onset_s, expect, status and reason (empty status: not scored yet),
--   recorded_at (empty: the label came with the call), label_id; what was recorded last comes first.
select
    labels.author,
    labels.call_id,
    labels.onset_s,
    labels.expect,
    events.status,
    events.reason,
    labels.recorded_at,
    labels.label_id
from standing_labels as labels
left join scored_events as events using (call_id, label_id)
where labels.kind = 'expectation'
qualify row_number() over (partition by labels.call_id, labels.label_id order by events.run_id desc) = 1
order by labels.recorded_at desc nulls last, labels.call_id, labels.onset_s, labels.label_id
