-- acoustic_slices
-- One row per side of a call whose sound is described: whether it is noisy, narrow-band, or a fast talker.
-- Key: call_id, role.
-- Reads: turn_acoustics, channels.
-- Units: *_count stretches or words, *_db decibels, *_hz hertz, words_per_second words per second.
-- call_id: call.
-- role: whose speech: caller, agent, mixed.
-- stretch_count: turns or runs of speech.
-- described_count: those whose sound could be described.
-- noisy: whether speech lies less than 20 dB above the noise floor; empty: see reason.
-- snr_db: how far it lies above it, of the whole channel; empty: no speech was found in it.
-- narrow_band: whether no stretch reaches beyond 4,500 Hz, as over a telephone; empty: see reason.
-- bandwidth_hz: widest effective bandwidth of a stretch; empty: none could be described.
-- fast_talker: whether more than 3.5 words a second (210 a minute) are said; empty: see reason.
-- words_per_second: speaking rate, pauses within turns counted; empty: no words with times.
-- word_count: words it was read from; a fast talker is told from 20 words up; empty: no words with times.
-- reason: why one of the three is empty; empty: none is.
-- To slice another measure, join it on call_id (and role). Where one channel carries both voices, noise and
-- bandwidth are those of both.
with described as (
    select
        sound.call_id, sound.role,
        count(*) as stretch_count,
        count(sound.level_dbfs) as described_count,
        any_value(channels.snr_db) as snr_db,
        max(sound.bandwidth_hz) as bandwidth_hz,
        bool_and(sound.narrow_band) as narrow_band,
        sum(sound.word_count) as word_count,
        sum((sound.end_s - sound.start_s)::decimal(18, 6)) filter (where sound.word_count is not null)::double as worded_s
    from turn_acoustics as sound
    left join channels using (call_id, recording_id, channel_ix)
    group by sound.call_id, sound.role
),
judged as (
    select
        *,
        snr_db < 20::double as noisy,
        word_count / worded_s as words_per_second,
        case when word_count >= 20 then word_count / worded_s > 3.5::double end as fast_talker
    from described
)
select
    call_id, role, stretch_count, described_count,
    noisy, snr_db,
    narrow_band, bandwidth_hz,
    fast_talker, words_per_second, word_count::bigint as word_count,
    nullif(concat_ws(
        '; ',
        case when noisy is null then 'no speech above the noise of the channel' end,
        case when narrow_band is null then 'no stretch could be described' end,
        case when word_count is null then 'no words with times' when fast_talker is null then 'fewer than 20 words' end
    ), '') as reason
from judged
