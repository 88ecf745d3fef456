"""The table `segments`."""

from __future__ import annotations

import dataframely as dy
import polars as pl

from workbench.schema import columns
from workbench.schema.table import Table


class Segments(Table):
    """One row per run of speech of a channel, backend and config."""

    recording_id = columns.key("recording")
    call_id = columns.key("call")
    role = columns.choice("whose speech", "caller", "agent", "mixed", "unknown")
    channel_ix = columns.key_ix("channel of the file")
    backend = columns.key("what found it: energy, silero, refined")
    config_id = columns.key("measuring config")
    segment_ix = columns.key_ix("position among the channel's runs")
    start_s = columns.seconds("start on the call's clock")
    end_s = columns.seconds("end on the call's clock, the hangover counted as speech")
    voiced_end_s = columns.seconds("end of its last loud frame on the call's clock, without the hangover")
    peak_dbfs = columns.number("loudest frame of the run", "dBFS")
    faint = columns.flag("whether that is so far below the channel's speech level that it is no speech of a turn: breath, clicks, bleed")
    run_id = columns.text("run that measured it")

    @dy.rule()
    def end_after_start(cls) -> pl.Expr:
        """A run of speech has a length."""
        return pl.col("end_s") > pl.col("start_s")

    @dy.rule()
    def voiced_inside(cls) -> pl.Expr:
        """The last loud frame lies in the run."""
        return (pl.col("voiced_end_s") > pl.col("start_s")) & (pl.col("voiced_end_s") <= pl.col("end_s"))
