-- critical_free_calls
-- One row per source, agent and version: the share of two-channel calls without a critical incident.
-- Key: source_format, agent_id, agent_version.
-- Reads: calls, recordings, input_health, timing_inputs, incidents.
-- Units: *_rate 0..1, *_count calls; low and high are Wilson bounds at 95 %, unit: the call.
-- source_format: importer that read the calls.
-- agent_id: agent that answered, or 'not supplied'.
-- agent_version: version of the agent, or 'not supplied'.
-- trial_count: calls with two channels that timing could be read from.
-- critical_free_call_count: those of them without a critical incident; what stands apart is none (see aside of incidents).
-- recording_ended_count: of critical_free_call_count, calls that end before they show whether the agent stops for a caller who had begun (see aside of incidents).
-- critical_free_call_rate: critical_free_call_count / trial_count; empty: see reason.
-- critical_free_call_rate_low: lower end of its interval; empty: see reason.
-- critical_free_call_rate_high: upper end of its interval; empty: see reason.
-- small_sample: whether there are such calls, but fewer than 20.
-- caution_count: of trial_count, those whose recording is to be read with caution.
-- caution_critical_free_count: those of caution_count without a critical incident; the share counts both.
-- mono_count: calls of one mixed channel, which never enter the share.
-- mono_critical_free_count: those of them without a critical silence.
-- not_scorable_count: other calls with measured audio that cannot be scanned: silent, identical or unnamed channels, one party alone.
-- not_measured_count: calls with audio that was not measured.
-- reason: why there is no share; empty: there is one.
with
told as (
    select
        call_id,
        bool_or(severity = 'critical' and aside is null) as critical,
        bool_or(aside is not distinct from 'recording_ended') as ended_early
    from incidents
    group by call_id
),
lanes as (
    select
        calls.call_id,
        calls.source_format,
        coalesce(calls.agent_id, 'not supplied') as agent_id,
        coalesce(calls.agent_version, 'not supplied') as agent_version,
        not coalesce(told.critical, false) as free,
        coalesce(told.ended_early, false) as ended_early,
        bool_or(input_health.recommendation = 'scan with caution'
            and input_health.recording_id = timing_inputs.caller_recording_id) as caution,
        case
            when bool_or(timing_inputs.scorable) then 'two_channel'
            when bool_or(input_health.reason = 'mono') and not bool_or(timing_inputs.call_id is not null) then 'mono'
            when count(input_health.recording_id) > 0 then 'not_scorable'
            else 'not_measured'
        end as lane
    from calls
    join recordings using (call_id)
    left join input_health using (call_id, recording_id)
    left join timing_inputs using (call_id)
    left join told using (call_id)
    group by calls.call_id, calls.source_format, calls.agent_id, calls.agent_version, told.critical, told.ended_early
),
counted as (
    select
        source_format,
        agent_id,
        agent_version,
        count(*) filter (where lane = 'two_channel') as trial_count,
        count(*) filter (where lane = 'two_channel' and free) as critical_free_call_count,
        count(*) filter (where lane = 'two_channel' and free and ended_early) as recording_ended_count,
        count(*) filter (where lane = 'two_channel' and caution) as caution_count,
        count(*) filter (where lane = 'two_channel' and caution and free) as caution_critical_free_count,
        count(*) filter (where lane = 'mono') as mono_count,
        count(*) filter (where lane = 'mono' and free) as mono_critical_free_count,
        count(*) filter (where lane = 'not_scorable') as not_scorable_count,
        count(*) filter (where lane = 'not_measured') as not_measured_count
    from lanes
    group by source_format, agent_id, agent_version
)
select
    source_format,
    agent_id,
    agent_version,
    trial_count,
    critical_free_call_count,
    recording_ended_count,
    share(critical_free_call_count, trial_count) as critical_free_call_rate,
    wilson_low(critical_free_call_count, trial_count) as critical_free_call_rate_low,
    wilson_high(critical_free_call_count, trial_count) as critical_free_call_rate_high,
    trial_count between 1 and 19 as small_sample,
    caution_count,
    caution_critical_free_count,
    mono_count,
    mono_critical_free_count,
    not_scorable_count,
    not_measured_count,
    case when trial_count = 0 then 'no call with two channels could be analysed' end as reason
from counted
