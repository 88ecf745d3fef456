-- calls_by_source
-- What is in the archive: calls by source, origin and tier, with audio, clock and length.
select
    source_format,
    origin,
    evidence_tier,
    count(*) as call_count,
    count(*) filter (where has_audio) as with_audio_count,
    count(*) filter (where health = 'eligible for scan') as healthy_count,
    count(*) filter (where clock is not null) as with_clock_count,
    count(duration_s) as with_duration_count,
    sum(duration_s::decimal(18, 6))::double as duration_s
from call_overview
group by source_format, origin, evidence_tier
order by source_format, origin, evidence_tier
