-- calls_by_evidence
-- What can be known of the calls of an archive: calls by source, origin, tier, health of the audio, and clock.
-- Gives call_count, with_audio_count, and audio_s: seconds of audio of those calls, their longest recording each.
with heard as (
    select call_id, max(duration_s) as audio_s
    from recordings
    group by call_id
)
select
    calls.source_format,
    calls.origin,
    calls.evidence_tier,
    case when call_clocks.has_audio then coalesce(call_clocks.health, 'not measured') else 'no audio' end as health,
    coalesce(call_clocks.clock, 'none') as clock,
    count(*) as call_count,
    count(heard.call_id) as with_audio_count,
    coalesce(sum(heard.audio_s::decimal(18, 6)), 0)::double as audio_s
from calls
join call_clocks using (call_id)
left join heard using (call_id)
group by all
order by all
