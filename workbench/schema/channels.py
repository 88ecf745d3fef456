"""The table `channels`."""

from __future__ import annotations

from workbench.schema import columns
from workbench.schema.table import Table


class Channels(Table):
    """One row per channel of a recording and measuring config."""

    recording_id = columns.key("recording")
    channel_ix = columns.key_ix("channel of the file")
    call_id = columns.key("call")
    config_id = columns.key("measuring config")
    role = columns.choice("whose voice the channel carries", "caller", "agent", "mixed", "unknown")
    peak_dbfs = columns.number("largest sample, -120 for digital silence", "dBFS", null="no samples", max=0.1)
    rms_dbfs = columns.number("level of the whole channel, -120 for digital silence", "dBFS", null="no samples", max=0.1)
    clipped_fraction = columns.number("share of samples at full scale", "0..1", null="no samples", min=0.0, max=1.0)
    noise_floor_dbfs = columns.number("percentile of the frame levels: noise_percentile of the measuring config, the 10th by default", "dBFS", null="no frames")
    threshold_dbfs = columns.number("level at or above which a frame counts as speech", "dBFS", null="no frames")
    speech_dbfs = columns.number("speech level: 95th percentile of the frames that reach the threshold", "dBFS", null="no speech")
    active_s = columns.seconds("time with speech", null="no frames", min=0.0)
    first_speech_s = columns.seconds("first speech on the call's clock", null="no speech")
    snr_db = columns.number("mean level of active frames above the noise floor", "dB", null="no speech")
    separation_db = columns.number("95th percentile of the frames at least rel_db above the noise floor, above that floor; 0 where there are none", "dB", null="no frames", min=0.0)
    run_id = columns.text("run that measured it")
