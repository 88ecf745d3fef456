-- speech_bars
-- One row per bar of speech that lanes draw: a run of sound as scores read it, or a run of turns where no sound is read.
-- Key: call_id, role, start_s, end_s.
-- Reads: segments, call_clocks, speech_runs.
-- Units: *_s seconds from the start of the call.
-- call_id: call.
-- role: caller, agent, or mixed or unknown where nobody can tell.
-- start_s: start.
-- end_s: end; heard in audio it is that of the last loud frame, without the hangover.
-- faint: whether it is breath, a click or bleed, that scores count and views and checks do not; empty: no sound is read.
-- clock: audio, transcript, ticks or quantised, as call_clocks chose; measured: audio that no turn-taking is read from.
-- A pause that the hangover bridges lies inside a bar, as in segments; a longer one parts two. Nothing else joins
-- them, so that every pause a verdict rests on can be seen; checks, and views of turn-taking, take one under 0.2 s as
-- speech (see speech_runs). Runs are those of the energy method.
with heard as (
    select
        segments.call_id, segments.role, segments.start_s,
        coalesce(segments.voiced_end_s, segments.end_s) as end_s,
        segments.faint is true as faint,
        coalesce(call_clocks.clock, 'measured') as clock
    from segments
    join call_clocks using (call_id)
    where segments.backend = 'energy'
        and (
            call_clocks.clock is null
            or call_clocks.clock = 'audio' and segments.recording_id = case segments.role
                when 'caller' then call_clocks.caller_recording_id
                when 'agent' then call_clocks.agent_recording_id
                when 'mixed' then call_clocks.mixed_recording_id
            end
        )
)
select call_id, role, start_s, end_s, bool_and(faint) as faint, any_value(clock) as clock
from heard
group by call_id, role, start_s, end_s
union all
select call_id, role, start_s, end_s, null::boolean as faint, any_value(clock) as clock
from speech_runs
where clock <> 'audio'
group by call_id, role, start_s, end_s
