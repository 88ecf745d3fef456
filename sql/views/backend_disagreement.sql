-- backend_disagreement
-- One row per party of a recording and per other way of hearing speech: for how long it and the energy method disagree.
-- Key: recording_id, role, backend.
-- Reads: channels, input_health, recordings, runs, segments, turns, words.
-- Units: *_s seconds, *_share 0..1.
-- call_id: call.
-- recording_id: recording.
-- role: whose speech: caller, agent, mixed, unknown.
-- backend: what the energy method is compared with: silero, refined, or words, the times of the transcript's words.
-- duration_s: length of the recording.
-- energy_s: speech of the energy method, the hangover counted.
-- other_s: speech of the other one.
-- both_s: both hear speech.
-- energy_only_s: only the energy method does: sounds that are no words, and the hangover.
-- other_only_s: only the other one does: soft speech.
-- differing_s: one of them does.
-- differing_share: that as a share of the recording, as frames would count it.
-- Faint runs of the energy method (see segments) are no speech here. A backend that listened to a recording and heard
-- nobody in it counts as silence: the run that measured it names its backends. A party of whose words no times were
-- supplied has no row of words. Silence between words is silence here: words disagree more than tracks.
with parties as (
    select distinct call_id, recording_id, role
    from channels
),
said as (
    select words.call_id, parties.recording_id, turns.role, 'words' as backend, words.start_s, words.end_s
    from words
    join turns using (call_id, turn_ix)
    join parties on parties.call_id = words.call_id and parties.role = turns.role
    where words.end_s > words.start_s
),
heard as (
    select call_id, recording_id, role, backend, start_s, end_s
    from segments
    where faint is not true
    union all
    select call_id, recording_id, role, backend, start_s, end_s
    from said
),
listened as (
    select health.recording_id, unnest(json_keys(runs.config -> '$.backends')) as backend, null as only_role
    from input_health as health
    join runs using (run_id)
    union
    select recording_id, backend, if(backend = 'words', role, null) as only_role
    from heard
    where backend <> 'energy'
),
pairs as (
    select
        parties.call_id, parties.recording_id, parties.role, others.backend,
        recordings.offset_s as first_s, recordings.offset_s + recordings.duration_s as last_s
    from parties
    join recordings using (call_id, recording_id)
    join listened as others on
        others.recording_id = parties.recording_id
        and coalesce(others.only_role, parties.role) = parties.role
),
inside as (
    select
        pairs.recording_id, pairs.role, pairs.backend,
        heard.backend = 'energy' as energy,
        least(greatest(heard.start_s, pairs.first_s), pairs.last_s) as start_s,
        least(greatest(heard.end_s, pairs.first_s), pairs.last_s) as end_s
    from pairs
    join heard on
        heard.recording_id = pairs.recording_id
        and heard.role = pairs.role
        and heard.backend in ('energy', pairs.backend)
),
marks as (
    select recording_id, role, backend, start_s as at_s, energy::integer as energy, (not energy)::integer as other
    from inside
    union all
    select recording_id, role, backend, end_s, -energy::integer, -(not energy)::integer
    from inside
),
steps as (
    select recording_id, role, backend, at_s, sum(energy) as energy, sum(other) as other
    from marks
    group by recording_id, role, backend, at_s
),
stretches as (
    select
        recording_id, role, backend,
        sum(energy) over up_to_here > 0 as energy,
        sum(other) over up_to_here > 0 as other,
        coalesce(lead(at_s) over up_to_here - at_s, 0.0::double) as lasts_s
    from steps
    window up_to_here as (partition by recording_id, role, backend order by at_s)
),
summed as (
    select
        recording_id, role, backend,
        sum(lasts_s::decimal(18, 6)) filter (where energy)::double as energy_s,
        sum(lasts_s::decimal(18, 6)) filter (where other)::double as other_s,
        sum(lasts_s::decimal(18, 6)) filter (where energy and other)::double as both_s
    from stretches
    group by recording_id, role, backend
),
filled as (
    select
        pairs.call_id, pairs.recording_id, pairs.role, pairs.backend,
        pairs.last_s - pairs.first_s as duration_s,
        coalesce(summed.energy_s, 0.0::double) as energy_s,
        coalesce(summed.other_s, 0.0::double) as other_s,
        coalesce(summed.both_s, 0.0::double) as both_s
    from pairs
    left join summed using (recording_id, role, backend)
)
select
    call_id, recording_id, role, backend, duration_s, energy_s, other_s, both_s,
    energy_s - both_s as energy_only_s,
    other_s - both_s as other_only_s,
    energy_s + other_s - 2 * both_s as differing_s,
    (energy_s + other_s - 2 * both_s) / nullif(duration_s, 0) as differing_share
from filled
