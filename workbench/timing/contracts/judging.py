"""Judges one labelled moment of one sound file: measured and scored as a recording of its own."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from workbench.audio.config import MeasureConfig
from workbench.timing.contracts.freshness import Envelope
from workbench.timing.measuring import Measured, measure_recording
from workbench.timing.score_config import ScoreConfig

if TYPE_CHECKING:
    import polars as pl

IDS = ("call_id", "label_id", "recording_id", "run_id", "config_id")


class Judged(msgspec.Struct, kw_only=True):
    """A scored event without ids, the health and channels of the recording, and its frames."""

    event: dict[str, Any]
    health: dict[str, Any]
    channels: list[dict[str, Any]]
    frames: pl.DataFrame
    hop_s: float
    duration_s: float
    pcm_sha256: str

    @property
    def scorable(self) -> bool:
        """Whether there is a verdict."""
        return self.event["status"] in ("PASS", "FAIL")

    @property
    def envelope(self) -> Envelope:
        """Levels of caller and agent; a party without a channel is silent."""
        levels = [self.frames[f"{role}_dbfs"].fill_null(-120.0).to_numpy() for role in ("caller", "agent")]
        return Envelope(dbfs=np.stack(levels), hop_s=self.hop_s)


def judge(
    path: str | Path,
    *,
    expect: str,
    onset_s: float | None = None,
    max_time_to_yield_s: float | None = None,
    max_talk_over_s: float | None = None,
    roles: tuple[str, ...] = ("caller", "agent"),
    score: ScoreConfig | None = None,
    measure: MeasureConfig | None = None,
    channel_map_confirmed: bool = False,
) -> Judged:
    """Measure a sound file and score one moment of it.

    Parameters
    ----------
    path : path
        The file; its clock is the call's.
    expect : {'yield', 'hold'}
        What the agent should have done.
    onset_s : float, optional
        When the caller begins, in seconds; the caller's first run of speech by default.
    max_time_to_yield_s, max_talk_over_s : float, optional
        Bounds in seconds.
    roles : tuple of str
        Whose voice each channel carries.
    score, measure : optional
        Configs; published methods by default.
    channel_map_confirmed : bool
        Whether a person vouches for `roles`.

    Returns
    -------
    Judged
        Its event has the status NOT_SCORABLE and a reason where there is no verdict.

    Raises
    ------
    UsageError, ImportFailed, MissingExtra
        As :func:`workbench.timing.measuring.measure_recording`.
    """
    from workbench.audio.read import pcm_sha256

    score, measure = score or ScoreConfig(), measure or MeasureConfig()
    found = measure_recording(
        path,
        recording_id="-",
        call_id="-",
        roles=roles,
        offset_s=0.0,
        config=measure,
        run_id="-",
        channel_map_confirmed=channel_map_confirmed,
    )
    levels = _shown(list(found.frames), hop_s=found.hop_s)
    bounds = {"max_time_to_yield_s": max_time_to_yield_s, "max_talk_over_s": max_talk_over_s}
    event = event_of(found, expect=expect, onset_s=onset_s, bounds=bounds, measure=measure, score=score)
    return Judged(
        event={name: value for name, value in event.items() if name not in IDS},
        health={name: value for name, value in found.health.items() if name not in IDS},
        channels=[{name: value for name, value in row.items() if name not in IDS} for row in found.channels],
        frames=levels,
        hop_s=found.hop_s,
        duration_s=found.duration_s,
        pcm_sha256=pcm_sha256(path),
    )


def event_of(
    found: Measured,
    *,
    expect: str,
    onset_s: float | None,
    bounds: Mapping[str, float | None],
    measure: MeasureConfig,
    score: ScoreConfig,
) -> dict[str, Any]:
    """Score one moment of a recording that was measured.

    Parameters
    ----------
    found : Measured
        The recording.
    expect : {'yield', 'hold'}
        What the agent should have done.
    onset_s : float, optional
        When the caller begins, in seconds; the caller's first run of speech by default.
    bounds : mapping of str to float or None
        `max_time_to_yield_s` and `max_talk_over_s`, in seconds.
    measure, score : MeasureConfig, ScoreConfig
        What it was measured with, and how to score.

    Returns
    -------
    dict
        A row of `scored_events`; its ids are "-".
    """
    label = {"call_id": "-", "label_id": "-", "onset_s": onset_s, "expect": expect, "value": dict(bounds)}
    recording = {"call_id": "-", "sample_rate_hz": found.sample_rate_hz, "duration_s": found.duration_s}
    return _scored(
        label,
        recording,
        segments=found.segments,
        facts=_facts(found.health, found.channels) | {"recording_id": "-"},
        measure=measure,
        score=score,
    )


def _facts(health: dict[str, Any], channels: list[dict[str, Any]]) -> dict[str, Any]:
    apart = [row["separation_db"] for row in channels if row["role"] in ("caller", "agent")]
    return health | {"separation_db": min(apart, default=0.0)}


def _scored(
    label: dict[str, Any],
    recording: dict[str, Any],
    *,
    segments: list[dict[str, Any]],
    facts: dict[str, Any],
    measure: MeasureConfig,
    score: ScoreConfig,
) -> dict[str, Any]:
    import polars as pl

    from workbench.timing.events import scored
    from workbench.timing.lines import lay

    names = {
        "call_id": pl.String,
        "role": pl.String,
        "start_s": pl.Float64,
        "end_s": pl.Float64,
        "voiced_end_s": pl.Float64,
    }
    runs = pl.DataFrame([{name: row[name] for name in names} | {"call_id": "-"} for row in segments], schema=names)
    line = lay(pl.DataFrame([recording | {"offset_s": 0.0}]), runs, measure)
    (event,) = scored([label], line, health={"-": facts}, config=score, run_id="-")
    return event


def _shown(pieces: list[Any], *, hop_s: float) -> pl.DataFrame:
    """Frames as people read them: time and levels as doubles."""
    import polars as pl
    import pyarrow as pa

    frames = pl.DataFrame(pa.concat_tables(pieces))
    return frames.select(
        "frame_ix",
        (pl.col("frame_ix") * hop_s).round(6).alias("time_s"),
        *(
            (pl.col(f"{role}_cdbfs").cast(pl.Float64) / 100).round(2).alias(f"{role}_dbfs")
            for role in ("caller", "agent")
        ),
        "caller_active",
        "agent_active",
    )
