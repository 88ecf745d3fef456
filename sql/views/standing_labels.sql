-- standing_labels
-- One row per label that nobody has taken back.
-- Key: call_id, label_id.
-- Reads: labels.
-- Units: *_s seconds.
-- call_id: call.
-- label_id: identifier, a hash of its content.
-- kind: expectation, channel_map, speech, rating, ...
-- onset_s: moment it speaks of; empty: the whole call.
-- end_s: end of the stretch; empty: a moment.
-- expect: what the agent should do, yield or hold; empty: another kind of label.
-- value: anything else it says, as JSON.
-- author: who labelled; empty: not supplied.
-- authority: on what it rests: human, where a person judged in the workbench, else what the source says; empty: not supplied.
-- recorded_at: when it was recorded; empty: it came with the call.
-- `labels` is append-only: taking a label back adds a row of kind `retraction` that names it.
select call_id, label_id, kind, onset_s, end_s, expect, value, author, authority, recorded_at
from labels
where
    kind <> 'retraction'
    and (call_id, label_id) not in (
        select (call_id, json_extract_string(value, '$.label_id')) from labels where kind = 'retraction'
    )
