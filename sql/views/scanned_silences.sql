-- scanned_silences
-- One row per silence that the published scan found: when it began without the hangover, beside where the scan puts it.
-- Key: call_id, recording_id, moment_ix.
-- Reads: input_health, moments, segments.
-- Units: *_s seconds from the start of the call.
-- call_id: call.
-- recording_id: recording it was found in.
-- moment_ix: position among the moments of the recording.
-- kind: long_response_gap, agent_stop_no_caller, or silence, of one mixed channel.
-- quiet_from_s: end of the last loud frame before it, as scores and turn-taking have it.
-- silence_s: how long it lasts from there, until the agent makes a sound; of one mixed channel until anybody does.
-- scanned_onset_s: where the scan puts it: at the end of the hangover.
-- scanned_s: how long it lasts from there, which the scan's own rules go by.
-- hangover_s: what lies between; at most the hangover_s of the measuring config (see config_id of segments).
-- incidents and review_queue tell these times; moments keeps those of the scan. The moments of two files of a party each
-- are told of the caller's, so the runs of the agent's are asked there too.
with
runs_told as (
    select call_id, recording_id, role, end_s, voiced_end_s
    from segments
    where backend = 'energy'
    union all
    select segments.call_id, health.other_recording_id as recording_id, segments.role, segments.end_s, segments.voiced_end_s
    from segments
    join input_health as health using (call_id, recording_id)
    where segments.backend = 'energy' and health.other_recording_id is not null and segments.role = 'agent'
),
before as (
    select
        moments.call_id,
        moments.recording_id,
        moments.moment_ix,
        max(runs_told.voiced_end_s) as voiced_end_s
    from moments
    join runs_told
        on
            runs_told.call_id = moments.call_id and runs_told.recording_id = moments.recording_id
            and abs(runs_told.end_s - moments.onset_s) < 1e-5::double
            and list_contains(
                case moments.kind
                    when 'long_response_gap' then ['caller']
                    when 'agent_stop_no_caller' then ['agent']
                    else ['mixed', 'unknown']
                end,
                runs_told.role
            )
    where moments.kind in ('long_response_gap', 'agent_stop_no_caller', 'silence')
    group by moments.call_id, moments.recording_id, moments.moment_ix
),
silent as (
    select
        moments.*,
        greatest(0.0::double, round(moments.onset_s - coalesce(before.voiced_end_s, moments.onset_s), 6)) as hangover_s
    from moments
    left join before using (call_id, recording_id, moment_ix)
    where moments.kind in ('long_response_gap', 'agent_stop_no_caller', 'silence')
)
select
    call_id,
    recording_id,
    moment_ix,
    kind,
    round(onset_s - hangover_s, 6) as quiet_from_s,
    round(magnitude_s + hangover_s, 6) as silence_s,
    onset_s as scanned_onset_s,
    magnitude_s as scanned_s,
    hangover_s
from silent
