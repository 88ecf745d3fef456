-- silences
-- One row per stretch in which nobody speaks, between the first and the last speech of a call.
-- Key: call_id, silence_ix.
-- Reads: speech_sequence.
-- Units: *_s seconds, *_ix 0-based.
-- call_id: call.
-- silence_ix: position in the call.
-- clock: audio, transcript, ticks or quantised.
-- start_s: start: the end of the last speech so far.
-- end_s: end: the next start of speech.
-- silence_s: end_s - start_s, above 0.
-- who_before: who spoke last: caller, agent or mixed.
-- who_after: who speaks next: caller, agent or mixed.
-- What length is dead air is the reader's choice (`where silence_s > 3`). Pauses under 0.2 s inside one role's
-- speech are speech. A call with one mixed channel has silences too, without saying whose turn it was.
select
    call_id,
    (row_number() over (partition by call_id order by start_s) - 1)::integer as silence_ix,
    clock,
    quiet_from_s as start_s,
    start_s as end_s,
    silence_s,
    who_before,
    role as who_after
from speech_sequence
where silence_s is not null
