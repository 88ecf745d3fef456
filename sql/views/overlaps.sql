-- overlaps
-- One row per stretch in which caller and agent speak at the same time.
-- Key: call_id, overlap_ix.
-- Reads: speech_sequence.
-- Units: *_s seconds, *_ix 0-based.
-- call_id: call.
-- overlap_ix: position in the call.
-- clock: audio, transcript, ticks or quantised; whole seconds cannot show a short overlap.
-- start_s: start: the moment the second speaker begins.
-- end_s: end: the moment one of them stops.
-- overlap_s: end_s - start_s, above 0.
-- who_first: who was already speaking: caller (the agent began over the caller), agent, or together: 0.05 s apart at most.
-- who_stops: who stops first, which ends it: caller, agent or together.
-- A pause under 0.2 s inside one role's speech is speech here too. The check talked_over_caller takes the same overlaps.
-- It is timing only: whether the second speaker meant to interrupt is not in it.
select
    call_id,
    (row_number() over (partition by call_id order by start_s) - 1)::integer as overlap_ix,
    clock,
    start_s,
    least(end_s, other_end_s) as end_s,
    overlap_s,
    case
        when start_s - other_start_s <= 0.05::double + 1e-9::double then 'together'
        when role = 'agent' then 'caller'
        else 'agent'
    end as who_first,
    case
        when end_s = other_end_s then 'together'
        when (end_s < other_end_s) = (role = 'agent') then 'agent'
        else 'caller'
    end as who_stops
from speech_sequence
where overlap_s is not null
