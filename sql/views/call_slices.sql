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
select
    calls.call_id,
    caller.noisy as caller_noisy,
    caller.narrow_band as caller_narrow_band,
    agent.fast_talker as agent_fast_talker
from calls
left join acoustic_slices as caller on caller.call_id = calls.call_id and caller.role = 'caller'
left join acoustic_slices as agent on agent.call_id = calls.call_id and agent.role = 'agent'
