-- misheard_turns
-- Turns of the caller whose words, as the system had them, differ from what was really said (letters and digits only).
select
    call_id,
    turn_ix,
    start_s,
    truth,
    coalesce(heard, text) as had,
    intent,
    expected_intent
from turns
where role = 'caller'
    and trim(regexp_replace(lower(truth), '[^\p{L}\p{N}]+', ' ', 'g'))
        <> trim(regexp_replace(lower(coalesce(heard, text)), '[^\p{L}\p{N}]+', ' ', 'g'))
order by call_id, turn_ix
