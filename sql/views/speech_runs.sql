-- speech_runs
-- One row per run of speech of a role in a call; a pause of less than 0.2 s is part of it.
-- Key: call_id, role, run_ix.
-- Reads: call_clocks, segments, turns.
-- Units: *_s seconds from the start of the call, *_ix 0-based.
-- call_id: call.
-- role: caller, agent, or mixed where one channel carries both.
-- run_ix: position among the role's runs.
-- clock: audio, transcript, ticks or quantised, as call_clocks chose.
-- start_s: start.
-- end_s: end; heard in audio it is that of the last loud frame, without the hangover; with the clock quantised or ticks it may equal the start.
-- open_end: whether the end of a turn in it is unknown; end_s is then the start of the next turn at the latest.
-- piece_count: segments or turns it was made of.
-- first_turn_ix: first turn in it; empty: read from audio.
-- last_turn_ix: last turn in it; empty: read from audio.
-- A pause goes from the last loud frame to the next start, so one of 0.2 s or more parts two runs, unless the hangover
-- that the recording was measured with (0.15 s) is longer and has bridged it in segments. Checks of overlaps and
-- silences join the same pauses (merge_gap_s of the pack). Of the backends that measured a recording one is read:
-- energy, else silero. Faint runs (breath, clicks, bleed: see segments) are no speech here.
with clocks as materialized (
    select call_id, clock, caller_recording_id, agent_recording_id, mixed_recording_id
    from call_clocks
),
heard as materialized (
    select
        call_id, recording_id, role, backend, start_s,
        coalesce(voiced_end_s, end_s) as end_s
    from segments
    where backend in ('energy', 'silero') and faint is not true
),
backends as (
    select call_id, recording_id, min(backend) as backend
    from heard
    group by call_id, recording_id
),
pieces as (
    select
        heard.call_id, heard.role, 'audio' as clock, heard.start_s, heard.end_s,
        null::integer as turn_ix,
        false as open_end
    from heard
    join backends using (call_id, recording_id, backend)
    join clocks using (call_id)
    where heard.recording_id = case heard.role
        when 'caller' then clocks.caller_recording_id
        when 'agent' then clocks.agent_recording_id
        when 'mixed' then clocks.mixed_recording_id
    end
    union all
    select
        turns.call_id,
        turns.role,
        clocks.clock,
        turns.start_s,
        coalesce(turns.end_s, lead(turns.start_s) over in_time, turns.start_s) as end_s,
        turns.turn_ix,
        turns.end_s is null as open_end
    from turns
    join clocks using (call_id)
    where clocks.clock in ('transcript', 'ticks', 'quantised')
    window in_time as (partition by turns.call_id order by turns.start_s, turns.turn_ix)
),
breaks as (
    select
        *,
        coalesce(start_s - max(end_s) over before >= 0.2::double - 1e-9::double, true) as begins
    from pieces
    window before as (
        partition by call_id, role order by start_s, end_s, turn_ix
        rows between unbounded preceding and 1 preceding
    )
),
numbered as (
    select
        *,
        sum(begins::integer) over (
            partition by call_id, role order by start_s, end_s, turn_ix rows unbounded preceding
        ) - 1 as run_ix
    from breaks
)
select
    call_id,
    role,
    run_ix::integer as run_ix,
    any_value(clock) as clock,
    min(start_s) as start_s,
    max(end_s) as end_s,
    bool_or(open_end) as open_end,
    count(*) as piece_count,
    min(turn_ix) as first_turn_ix,
    max(turn_ix) as last_turn_ix
from numbered
group by call_id, role, run_ix
