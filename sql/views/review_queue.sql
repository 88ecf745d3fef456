-- review_queue
-- One row per candidate moment that nobody has labelled yet, those that can be judged first, then the most salient.
-- Key: call_id, recording_id, moment_ix.
-- Reads: judgeable_moments, moments, scanned_silences, standing_labels.
-- Units: *_s seconds from the start of the call, *_ix 0-based, coherence 0..1.
-- call_id: call.
-- recording_id: recording it was found in.
-- moment_ix: position among the moments of the recording.
-- rank: place in the queue over all kinds, from 1; what is not judgeable comes last, before it what rests on faint sound alone.
-- kind: kind of candidate.
-- onset_s: when it begins; a silence at the end of the last loud frame before it.
-- magnitude_s: how long both speak, nobody answers, or the activity lasts.
-- scanned_onset_s: where the published scan puts it, see scanned_silences.
-- scanned_s: its length there.
-- yield_after_s: onset to the agent going quiet, its hangover counted; empty: it did not within the search, or the kind is no overlap.
-- agent_quiet_s: the same without the hangover, as scores have it; empty: as before.
-- coherence: likeness to the agent's envelope; empty: no echo-correlated activity.
-- incident: incident it maps to.
-- severity: critical, warning or caveat.
-- faint: whether it rests on faint sound alone: breath, clicks, bleed.
-- judgeable: whether it gets a verdict by the published method once it is labelled, see judgeable_moments.
-- reason: why it does not; empty: it does.
-- A moment is labelled when a standing expectation of its call lies within 0.25 s of its onset. Whether the agent
-- should yield or hold is asked of a caller who begins while it speaks: kind overlap_while_agent_talking.
select
    moments.call_id,
    moments.recording_id,
    moments.moment_ix,
    row_number() over (
        order by
            not judgeable_moments.judgeable, coalesce(moments.faint, false), moments.salience desc, moments.call_id, moments.onset_s,
            moments.recording_id, moments.moment_ix
    ) as rank,
    moments.kind,
    coalesce(scanned_silences.quiet_from_s, moments.onset_s) as onset_s,
    coalesce(scanned_silences.silence_s, moments.magnitude_s) as magnitude_s,
    moments.onset_s as scanned_onset_s,
    moments.magnitude_s as scanned_s,
    moments.yield_after_s,
    moments.agent_quiet_s,
    moments.coherence,
    moments.incident,
    moments.severity,
    coalesce(moments.faint, false) as faint,
    judgeable_moments.judgeable,
    judgeable_moments.reason
from moments
join judgeable_moments using (call_id, recording_id, moment_ix)
left join scanned_silences using (call_id, recording_id, moment_ix)
where not exists (
    select 1
    from standing_labels
    where
        standing_labels.call_id = moments.call_id
        and standing_labels.kind = 'expectation'
        and abs(standing_labels.onset_s - coalesce(scanned_silences.quiet_from_s, moments.onset_s)) <= 0.25::double + 1e-9::double
)
