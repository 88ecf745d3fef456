-- incidents
-- One row per incident of a call: a moment that the scan found, with its severity and facts of its call.
-- Key: call_id, recording_id, moment_ix.
-- Reads: moments, segments, recordings, calls, input_health, timing_inputs.
-- Units: *_s seconds, coherence and confidence 0..1.
-- call_id: call.
-- recording_id: recording it was heard in.
-- moment_ix: position among the moments of the recording.
-- lane: two_channel, or mono, where only silence can be read.
-- rank: 1 is the most severe of the call; then the longest, then the earliest; what stands apart comes last.
-- incident: barge_in, talk_over, dead_air, latency_spike or echo_suspected.
-- severity: critical, warning or caveat, as published.
-- aside: why it is told and counted apart: faint, touch or short_stop; empty: it is not.
-- faint: whether it rests on faint sound alone.
-- onset_s: when it begins on the call's clock.
-- end_s: when it ends; the end of the search for a yield that did not come is not in the rows: see agent_quiet_s.
-- magnitude_s: how long both spoke, nobody spoke, or the activity lasted.
-- without_faint_s: how long nobody spoke after a caller or an agent, faint sound left out; empty: another kind.
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
-- moments.magnitude_s counts a silence until the agent speaks; here it ends where anybody does.
-- Apart stand incidents that rest on faint sound alone (faint: breath, clicks, bleed, which no view of turn-taking
-- reads), warnings of an overlap of 0.04 s or less (touch: shorter than the method can tell), and warnings of an agent
-- that stops where, with faint sound left out, nobody speaks for less than 5 s (short_stop: a pause, no dead air).
with
mono as (
    select call_id, min(recording_id) as recording_id
    from input_health
    where reason = 'mono' and call_id not in (select call_id from timing_inputs)
    group by call_id
),
heard as (
    select call_id, caller_recording_id as recording_id, 'two_channel' as lane
    from timing_inputs
    where scorable and caller_recording_id = agent_recording_id
    union all
    select call_id, recording_id, 'mono' as lane
    from mono
),
speech as (
    select call_id, recording_id, start_s, faint
    from segments
    where backend = 'energy' and role in ('caller', 'agent')
),
found as (
    select
        moments.*, heard.lane,
        case when moments.kind in ('long_response_gap', 'agent_stop_no_caller') then
            (
                select min(speech.start_s)
                from speech
                where
                    speech.call_id = moments.call_id and speech.recording_id = moments.recording_id
                    and speech.start_s >= moments.onset_s - 1e-6
            ) - moments.onset_s
        end as nobody_s,
        case when moments.kind in ('long_response_gap', 'agent_stop_no_caller') then
            coalesce(
                (
                    select min(speech.start_s)
                    from speech
                    where
                        speech.call_id = moments.call_id and speech.recording_id = moments.recording_id
                        and speech.start_s >= moments.onset_s - 1e-6
                        and speech.faint is not true
                ),
                recordings.offset_s + recordings.duration_s
            ) - moments.onset_s
        end as firm_s
    from moments
    join heard using (call_id, recording_id)
    join recordings using (call_id, recording_id)
),
lasting as (
    select
        *,
        round(least(magnitude_s, coalesce(nobody_s, magnitude_s)), 6) as length_s,
        round(greatest(firm_s, least(magnitude_s, coalesce(nobody_s, magnitude_s))), 6) as without_faint_s
    from found
),
placed as (
    select
        *,
        case
            when faint then 'faint'
            when severity <> 'warning' then null
            when
                kind in ('overlap_while_agent_talking', 'agent_start_during_caller')
                and magnitude_s <= 0.04::double + 1e-6::double
                then 'touch'
            when kind = 'agent_stop_no_caller' and without_faint_s < 5 then 'short_stop'
        end as aside
    from lasting
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
            placed.length_s desc, placed.onset_s, placed.kind, placed.moment_ix
    ) as rank,
    placed.incident,
    placed.severity,
    placed.aside,
    coalesce(placed.faint, false) as faint,
    placed.onset_s,
    least(
        placed.onset_s + greatest(placed.length_s, coalesce(placed.agent_quiet_s, 0.0)),
        recordings.offset_s + recordings.duration_s
    ) as end_s,
    placed.length_s as magnitude_s,
    case when placed.firm_s is not null then placed.without_faint_s end as without_faint_s,
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
join recordings using (call_id, recording_id)
join input_health using (call_id, recording_id)
join calls using (call_id)
