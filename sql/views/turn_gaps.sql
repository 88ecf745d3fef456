-- turn_gaps
-- One row per answer of the agent: from the end of the caller's speech to the agent's next start.
-- Key: call_id, gap_ix.
-- Reads: speech_sequence.
-- Units: *_s seconds, *_ix 0-based.
-- call_id: call.
-- gap_ix: position in the call.
-- clock: audio, transcript, ticks or quantised; clocks are not comparable, group by them.
-- caller_end_s: end of the caller's speech.
-- agent_start_s: start of the agent's answer.
-- gap_s: agent_start_s - caller_end_s, never below 0.
-- caller_turn_ix: the caller's turn; empty: read from audio.
-- agent_turn_ix: the agent's turn; empty: read from audio.
-- The answer is the first run of the agent that starts after the caller's end and before the caller speaks
-- again. Heard in audio, the caller is quiet for 0.35 s from that end on, and the agent for 0.35 s before that start: a
-- shorter pause lies inside a turn, and an agent that begins in one answers nothing. An agent that starts more than
-- 0.05 s before the caller's end is premature, which is no gap (within 0.05 s the gap is 0). An agent that speaks on for
-- more than 0.3 s after the caller's end (a backchannel, or an agent that would not stop) kept the floor: no answer is
-- awaited and there is no row. The check slow_response takes the same answers. Calls whose clock is the time of
-- generation, or that have none, give no rows; `denominators` counts them.
select
    call_id,
    (row_number() over (partition by call_id order by start_s) - 1)::integer as gap_ix,
    clock,
    caller_end_s,
    start_s as agent_start_s,
    gap_s,
    caller_turn_ix,
    turn_ix as agent_turn_ix
from speech_sequence
where gap_s is not null
