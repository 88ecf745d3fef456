-- incidents
-- One row per incident of a call: a moment that the scan found or a silence that faint sound hid from it, with its severity.
-- Key: call_id, recording_id, rank.
-- Reads: moments, scanned_silences, segments, recordings, calls, input_health, timing_inputs.
-- Units: *_s seconds, coherence and confidence 0..1.
-- call_id: call.
-- recording_id: recording it was heard in; of two files of a party each the caller's.
-- moment_ix: position among the moments of the recording; empty: a silence that the scan has in pieces, with faint sound between.
-- lane: two_channel, or mono, where only silence can be read.
-- rank: 1 is the most severe of the call; then the longest, then the earliest; what stands apart comes last.
-- incident: barge_in, talk_over, dead_air, latency_spike or echo_suspected.
-- severity: critical, warning or caveat, as published, also of what stands apart (see aside); of a silence that holds faint sound by its length without it.
-- aside: why it is told and counted apart: faint, rest, touch, recording_ended or short_stop; empty: it is not.
-- faint: whether it rests on faint sound alone.
-- onset_s: when it begins on the call's clock; a silence at the end of the last loud frame before it.
-- end_s: when it ends; the end of the search for a yield that did not come is not in the rows: see agent_quiet_s.
-- magnitude_s: how long both spoke, nobody spoke (faint sound is no speech), or the activity lasted.
-- without_faint_s: how long nobody spoke after a caller or an agent, faint sound left out; empty: another kind.
-- until_sound_s: how long it was after a caller or an agent until any sound, faint or not; empty: another kind.
-- agent_after_s: the same until the agent spoke, faint sound left out; empty: it did not, or another kind.
-- scanned_onset_s: where the published scan puts it: a silence at the end of the hangover; empty: the scan has it in pieces.
-- scanned_s: its length there, which for a silence counts until the agent makes a sound; empty: as before.
-- yield_after_s: onset to the agent going quiet, its hangover counted; empty: it did not within the search, or another kind.
-- agent_quiet_s: the same without the hangover, as scores have it; empty: as before.
-- coherence: cosine with the agent's envelope; empty: no suspected echo.
-- confidence: how far a silence of one channel lies under the threshold, 1 at 20 dB; empty: two channels.
-- kind: what the scan calls it.
-- recommendation: health of the recording.
-- source_format: importer that read the call.
-- agent_id: agent that answered; empty: not supplied.
-- agent_version: version of the agent; empty: not supplied.
-- A call with several recordings is told from one: that timing is read from, else its first mono recording.
-- moments counts a silence from the end of the hangover until the agent makes a sound; here it begins where the last loud
-- frame before it ends and lasts until anybody speaks. Severities and what stands apart go by the scan's own counting, from
-- the end of the hangover. Waits for an
-- answer and silences after the agent of 2 s that faint sound broke into pieces are told whole.
-- Apart stand incidents that rest on faint sound alone (faint: breath, clicks, bleed, which no view of turn-taking
-- reads), the rest of a silence that is told whole from where it began (rest), an overlap of 0.04 s or less (touch: shorter
-- than the method can tell), a barge-in that is critical only because the recording ends within 3 s, before it shows whether
-- the agent stops (recording_ended), and warnings of an agent that stops where, with faint sound left out, nobody speaks
-- for less than 5 s (short_stop: too short for an incident; the
-- check dead_air has a limit of its own, 3 s).
with
mono as (
    select call_id, min(recording_id) as recording_id
    from input_health
    where reason = 'mono' and call_id not in (select call_id from timing_inputs)
    group by call_id
),
heard as (
    select
        inputs.call_id,
        inputs.caller_recording_id as recording_id,
        'two_channel' as lane,
        greatest(callers.offset_s + callers.duration_s, agents.offset_s + agents.duration_s) as over_s
    from timing_inputs as inputs
    join recordings as callers
        on inputs.call_id = callers.call_id and inputs.caller_recording_id = callers.recording_id
    join recordings as agents
        on inputs.call_id = agents.call_id and inputs.agent_recording_id = agents.recording_id
    where inputs.scorable
    union all
    select mono.call_id, mono.recording_id, 'mono' as lane, recordings.offset_s + recordings.duration_s as over_s
    from mono
    join recordings using (call_id, recording_id)
),
speech as (
    select
        segments.call_id, inputs.caller_recording_id as recording_id, segments.role, segments.start_s, segments.end_s,
        coalesce(segments.voiced_end_s, segments.end_s) as voiced_end_s, coalesce(segments.faint, false) as faint
    from segments
    join timing_inputs as inputs
        on
            segments.call_id = inputs.call_id
            and segments.recording_id
            = if(segments.role = 'caller', inputs.caller_recording_id, inputs.agent_recording_id)
    where segments.backend = 'energy' and segments.role in ('caller', 'agent')
),
firm as (
    select
        call_id,
        recording_id,
        max(end_s) over so_far as onset_s,
        arg_max(role, end_s) over so_far as role,
        max(end_s) over so_far - arg_max(voiced_end_s, end_s) over so_far as hangover_s,
        lead(start_s) over (partition by call_id, recording_id order by start_s, end_s, role) as next_s
    from speech
    where not faint
    window so_far as (
        partition by call_id, recording_id order by start_s, end_s, role rows unbounded preceding
    )
),
silent as (
    select
        firm.call_id,
        firm.recording_id,
        if(firm.role = 'caller', 'long_response_gap', 'agent_stop_no_caller') as kind,
        firm.onset_s,
        firm.hangover_s,
        coalesce(firm.next_s, heard.over_s) as until_s,
        round(coalesce(firm.next_s, heard.over_s) - firm.onset_s, 6) as magnitude_s
    from firm
    join heard using (call_id, recording_id)
),
hidden as (
    select
        call_id, recording_id, kind, onset_s, magnitude_s, hangover_s,
        if(magnitude_s >= 5 or kind = 'agent_stop_no_caller', 'dead_air', 'latency_spike') as incident,
        if(magnitude_s >= 5, 'critical', 'warning') as severity
    from silent
    where
        magnitude_s >= 2
        and exists (
            select 1
            from speech
            where
                speech.call_id = silent.call_id and speech.recording_id = silent.recording_id and speech.faint
                and speech.start_s < silent.until_s and speech.end_s > silent.onset_s
        )
        and not exists (
            select 1
            from moments
            where
                moments.call_id = silent.call_id and moments.recording_id = silent.recording_id
                and moments.kind in ('long_response_gap', 'agent_stop_no_caller') and moments.faint is not true
                and abs(moments.onset_s - silent.onset_s) < 0.05::double
        )
),
told as (
    select moments.*, moments.onset_s as scanned_onset_s, moments.magnitude_s as scanned_s, scanned_silences.hangover_s
    from moments
    left join scanned_silences using (call_id, recording_id, moment_ix)
    union all by name
    select * from hidden
),
found as (
    select told.*, heard.lane, heard.over_s
    from told
    join heard using (call_id, recording_id)
),
heard_next as (
    select
        found.call_id,
        found.recording_id,
        found.onset_s,
        found.kind,
        min(speech.start_s) as any_s,
        coalesce(min(speech.start_s) filter (where not speech.faint), any_value(found.over_s)) as firm_s,
        min(speech.start_s) filter (where not speech.faint and speech.role = 'agent') as agent_s
    from found
    left join speech
        on
            speech.call_id = found.call_id and speech.recording_id = found.recording_id
            and speech.start_s >= found.onset_s - 1e-6
    where found.kind in ('long_response_gap', 'agent_stop_no_caller')
    group by found.call_id, found.recording_id, found.onset_s, found.kind
),
sounding as (
    select
        found.*,
        heard_next.firm_s,
        round(heard_next.agent_s - found.onset_s, 6) as agent_after_s,
        case when heard_next.firm_s is not null then
            round(least(found.magnitude_s, coalesce(heard_next.any_s - found.onset_s, found.magnitude_s)), 6)
        end as until_sound_s
    from found
    left join heard_next using (call_id, recording_id, onset_s, kind)
),
lasting as (
    select
        *,
        case when firm_s is not null then round(greatest(firm_s - onset_s, until_sound_s), 6) end as without_faint_s,
        coalesce(if(faint, until_sound_s, without_faint_s), magnitude_s) as length_s,
        coalesce(length_s > until_sound_s + 1e-6, false) as longer
    from sounding
),
graded as (
    select
        * replace (
            case when not longer then incident when length_s >= 5 or kind = 'agent_stop_no_caller' then 'dead_air'
                else 'latency_spike' end as incident,
            case when not longer then severity when length_s >= 5 then 'critical'
                when length_s < 2 and kind = 'long_response_gap' then 'caveat' else 'warning' end as severity
        ),
        min(onset_s) filter (where until_sound_s is not null and faint is not true) over (
            partition by call_id, recording_id, round(onset_s + length_s, 3)
        ) as silent_from_s
    from lasting
),
placed as (
    select
        *,
        round(coalesce(hangover_s, 0.0), 6) as before_s,
        case
            when faint then 'faint'
            when until_sound_s is not null and onset_s > silent_from_s + 0.05::double then 'rest'
            when
                kind in ('overlap_while_agent_talking', 'agent_start_during_caller')
                and magnitude_s <= 0.04::double + 1e-6::double
                then 'touch'
            when
                kind = 'overlap_while_agent_talking' and severity = 'critical' and magnitude_s <= 0.815::double
                and yield_after_s is null and agent_quiet_s is null
                and onset_s + 3.0::double - over_s > 0.01::double + 1e-6::double
                then 'recording_ended'
            when severity = 'warning' and kind = 'agent_stop_no_caller' and without_faint_s < 5 then 'short_stop'
        end as aside
    from graded
)
select
    placed.call_id,
    placed.recording_id,
    placed.moment_ix,
    placed.lane,
    row_number() over (
        partition by placed.call_id
        order by
            placed.aside is not null,
            list_position(['critical', 'warning', 'caveat'], placed.severity),
            placed.length_s + placed.before_s desc, placed.onset_s - placed.before_s, placed.kind, placed.moment_ix
    ) as rank,
    placed.incident,
    placed.severity,
    placed.aside,
    coalesce(placed.faint, false) as faint,
    round(placed.onset_s - placed.before_s, 6) as onset_s,
    least(
        placed.onset_s + greatest(placed.length_s, coalesce(placed.agent_quiet_s, 0.0)),
        placed.over_s
    ) as end_s,
    round(placed.length_s + placed.before_s, 6) as magnitude_s,
    round(placed.without_faint_s + placed.before_s, 6) as without_faint_s,
    round(placed.until_sound_s + placed.before_s, 6) as until_sound_s,
    round(placed.agent_after_s + placed.before_s, 6) as agent_after_s,
    placed.scanned_onset_s,
    placed.scanned_s,
    placed.yield_after_s,
    placed.agent_quiet_s,
    placed.coherence,
    placed.confidence,
    placed.kind,
    input_health.recommendation,
    calls.source_format,
    calls.agent_id,
    calls.agent_version
from placed
join input_health using (call_id, recording_id)
join calls using (call_id)
