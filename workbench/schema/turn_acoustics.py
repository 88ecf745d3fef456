"""The table `turn_acoustics`."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from workbench.schema import columns
from workbench.schema.table import Table

_QUIET = "see reason"
_UNVOICED = "fewer than 5 voiced frames, or see reason"
_BRIEF = "less than 1 s, nothing around it to compare with, or see reason"


class TurnAcoustics(Table):
    """One row per turn, or run of speech where a call has no timed turns, of a channel and acoustic config: how it sounded."""

    call_id = columns.key("call")
    recording_id = columns.key("recording")
    channel_ix = columns.key_ix("channel of the file")
    config_id = columns.key("acoustic config; its settings are in the run")
    stretch = columns.key("what the row describes: turn, or run (of speech, as in speech_runs)")
    role = columns.key("whose speech: caller, agent, mixed")
    stretch_ix = columns.key_ix("turn_ix of the turn, or run_ix of the run")
    shared = columns.flag("whether the channel carries both voices, so that the other may be heard in it")
    start_s = columns.seconds("start on the call's clock")
    end_s = columns.seconds("end on the call's clock")
    f0_median_hz = columns.number("fundamental frequency, median over voiced frames", "Hz", null=_UNVOICED)
    f0_p10_hz = columns.number("fundamental frequency, 10th percentile", "Hz", null=_UNVOICED)
    f0_p90_hz = columns.number("fundamental frequency, 90th percentile", "Hz", null=_UNVOICED)
    voiced_fraction = columns.number(
        "share of loud frames that are voiced", "0..1", null="shorter than a window, or see reason", min=0.0, max=1.0
    )
    level_dbfs = columns.number("level of the loud frames; a full-scale sine has -3.01", "dBFS", null=_QUIET)
    centroid_hz = columns.number(
        "spectral centroid of the magnitude, median over loud frames", "Hz", null=_QUIET, min=0.0
    )
    flatness = columns.number(
        "spectral flatness of the power, median over loud frames: 0 a tone, 0.56 white noise",
        "0..1",
        null=_QUIET,
        min=0.0,
        max=1.000001,
    )
    rolloff_hz = columns.number(
        "frequency below which 85 % of the magnitude lies, median over loud frames", "Hz", null=_QUIET, min=0.0
    )
    bandwidth_hz = columns.number(
        "effective bandwidth: where the mean power spectrum falls 50 dB below its peak for good",
        "Hz",
        null=_QUIET,
        min=0.0,
    )
    narrow_band = columns.flag("whether the effective bandwidth is that of a telephone, at most 4,500 Hz", null=_QUIET)
    hum_50_db = columns.number("power at 50 Hz above that 4 to 7 Hz beside it", "dB", null=_BRIEF)
    hum_60_db = columns.number("power at 60 Hz above that 4 to 7 Hz beside it", "dB", null=_BRIEF)
    clipped_fraction = columns.number(
        "share of samples at full scale", "0..1", null="outside the recording", min=0.0, max=1.0
    )
    word_count = columns.integer("words said in it", "count", null="see words_reason", min=0)
    words_per_second = columns.number(
        "speaking rate, pauses within the turn counted", "words/s", null="see words_reason", min=0.0
    )
    words_reason = columns.text("why no speaking rate is given", null="there is one")
    reason = columns.text("why the sound is not described", null="it is")
    run_id = columns.text("run that described it")

    @dy.rule()
    def end_after_start(cls) -> pl.Expr:
        """A stretch has a length."""
        return pl.col("end_s") > pl.col("start_s")

    @dy.rule()
    def level_or_reason(cls) -> pl.Expr:
        """A stretch without a level says why."""
        return pl.col("level_dbfs").is_not_null() | pl.col("reason").is_not_null()

    @dy.rule()
    def rate_or_reason(cls) -> pl.Expr:
        """A stretch without a speaking rate says why."""
        return pl.col("words_per_second").is_not_null() | pl.col("words_reason").is_not_null()
