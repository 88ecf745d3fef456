-- voice_stretches
-- One row per stretch of one voice that sound can be described of: a turn, or a run of speech.
-- Key: call_id, role, stretch_ix.
-- Reads: calls, turns, speech_runs, channels, recordings, call_clocks.
-- Units: *_s seconds from the start of the call, *_ix 0-based, word_count words.
-- call_id: call.
-- stretch: turn where the source reports when turns began and ended, else run (of speech, as in speech_runs).
-- role: whose speech: caller, agent, mixed.
-- stretch_ix: turn_ix or run_ix.
-- recording_id: recording it is heard in: the one timing is read from, else the combined one.
-- channel_ix: channel of the file.
-- shared: whether the channel carries both voices.
-- start_s: start.
-- end_s: end.
-- word_count: words of the turn (truth, else text, else what was heard); empty: see words_reason.
-- words_reason: why there is no count; empty: there is one.
-- turn_acoustics is filled from these rows. A turn without an end has no row, nor has speech of a call whose audio
-- is not measured. A word is what stands between spaces and has a letter or a digit; marks in brackets are none.
with sides as (
    select
        channels.call_id,
        channels.role,
        arg_min(
            {'recording_id': channels.recording_id, 'channel_ix': channels.channel_ix},
            (
                channels.recording_id is distinct from case channels.role
                    when 'caller' then call_clocks.caller_recording_id
                    when 'agent' then call_clocks.agent_recording_id
                    else call_clocks.mixed_recording_id
                end,
                recordings.boundary is distinct from 'combined',
                channels.recording_id,
                channels.channel_ix
            )
        ) as place
    from channels
    join recordings using (call_id, recording_id)
    join call_clocks using (call_id)
    where channels.role in ('caller', 'agent', 'mixed')
    group by channels.call_id, channels.role
),
timed as (
    select
        turns.call_id, turns.role, turns.turn_ix, turns.start_s, turns.end_s, calls.language,
        regexp_replace(coalesce(turns.truth, turns.text, turns.heard), '\[[^\]]*\]|<[^>]*>', ' ', 'g') as words
    from turns
    join calls using (call_id)
    where calls.turn_clock = 'reported' and turns.role in ('caller', 'agent') and turns.end_s > turns.start_s
),
voices as (
    select
        timed.call_id, 'turn' as stretch, timed.role, timed.turn_ix as stretch_ix,
        coalesce(own.place, both_voices.place) as place,
        own.place is null as shared,
        timed.start_s, timed.end_s,
        case when not coalesce(regexp_matches(timed.language, '^(zh|ja|th|lo|km|my)\b'), false)
            then len(regexp_extract_all(timed.words, '\S*[\p{L}\p{N}]\S*')) end as word_count,
        case when timed.words is null then 'the turn has no text'
            when word_count is null then 'words are not set apart in this language' end as words_reason
    from timed
    left join sides as own on own.call_id = timed.call_id and own.role = timed.role
    left join sides as both_voices on both_voices.call_id = timed.call_id and both_voices.role = 'mixed'
    union all
    select
        speech_runs.call_id, 'run', speech_runs.role, speech_runs.run_ix,
        sides.place,
        speech_runs.role = 'mixed',
        speech_runs.start_s, speech_runs.end_s,
        null, 'no turns with times'
    from speech_runs
    join sides using (call_id, role)
    anti join timed using (call_id)
    where speech_runs.clock = 'audio'
)
select
    call_id, stretch, role, stretch_ix, place.recording_id as recording_id, place.channel_ix as channel_ix, shared,
    start_s, end_s, word_count, words_reason
from voices
where place is not null and end_s > start_s
