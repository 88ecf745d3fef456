-- call_slices
-- One row per call: how its two sides sounded, as slices for whatever is counted per call.
-- Key: call_id.
-- Reads: calls, acoustic_slices.
-- Units: none.
-- call_id: call.
-- caller_noisy: whether the caller's speech lies less than 20 dB above the noise floor; empty: not described.
-- caller_narrow_band: whether nothing of the caller reaches beyond 4,500 Hz; empty: not described.
-- agent_fast_talker: whether the agent says more than 3.5 words a second; empty: not described.
-- Empty is never false: `workbench acoustics` has not described that side, or acoustic_slices.reason says why it could
-- not. A voice on a channel that carries both is described as mixed, and gives no slice.
with sides as (
    select
        call_id,
        any_value(noisy) filter (where role = 'caller') as caller_noisy,
        any_value(narrow_band) filter (where role = 'caller') as caller_narrow_band,
        any_value(fast_talker) filter (where role = 'agent') as agent_fast_talker
    from acoustic_slices
    group by call_id
)
select
    calls.call_id,
    sides.caller_noisy,
    sides.caller_narrow_band,
    sides.agent_fast_talker
from calls
left join sides using (call_id)
