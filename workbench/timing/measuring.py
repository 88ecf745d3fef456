"""Measures one recording: levels, speech, runs of speech and input health, as rows ready for the archive.

A pure function of the samples and the config; it opens no archive and can run in any thread. Memory grows
with the number of frames only (a hundred a second), never with the samples.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from workbench.audio.activity import Activity, activity, speech_level
from workbench.audio.config import MeasureConfig
from workbench.audio.frames import Levels, frame_levels, to_dbfs
from workbench.audio.read import Tally, excerpt, iterate
from workbench.audio.source import Source, identify
from workbench.errors import UsageError
from workbench.timing.health import MIN_RUN_S, Voice, assess
from workbench.timing.leakage import waveform_agreement
from workbench.timing.segments import runs, segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROLES = ("caller", "agent", "mixed", "unknown")
_COMPARED_S = 8.0


class Measured(msgspec.Struct, kw_only=True):
    """Rows of the tables `channels`, `input_health` and `segments`, and the table `frames` as Arrow.

    `hop_s` is the exact distance of two frames; `frame_count` the number of samples per channel that were
    decoded.
    """

    channels: list[dict[str, Any]]
    health: dict[str, Any]
    segments: list[dict[str, Any]]
    frames: Any
    hop_s: float
    frame_count: int
    sample_rate_hz: int
    duration_s: float


class _Watch:
    """Passes blocks on and remembers whether two of their channels were ever different."""

    def __init__(self, pair: tuple[int, int] | None) -> None:
        self.pair, self.identical = pair, pair is not None

    def over(self, blocks: Iterator[NDArray[np.int16]]) -> Iterator[NDArray[np.int16]]:
        for block in blocks:
            if self.pair is not None and self.identical:
                self.identical = bool(np.array_equal(block[:, self.pair[0]], block[:, self.pair[1]]))
            yield block


def measure_recording(
    path: str | Path,
    *,
    recording_id: str,
    call_id: str,
    roles: tuple[str, ...],
    offset_s: float,
    config: MeasureConfig,
    run_id: str,
    encoding: str | None = None,
    sample_rate_hz: int | None = None,
    channel_map_confirmed: bool = False,
) -> Measured:
    """Measure one recording.

    Parameters
    ----------
    path : path
        The sound file.
    recording_id, call_id, run_id : str
        Written into every row.
    roles : tuple of {'caller', 'agent', 'mixed', 'unknown'}
        One a channel of the file, in order.
    offset_s : float
        Start of the recording on the call's clock, in seconds. All times of the result are on the call's
        clock.
    config : MeasureConfig
        What counts as speech.
    encoding, sample_rate_hz : optional
        For headerless files, as :func:`workbench.audio.read.probe` takes them.
    channel_map_confirmed : bool
        Whether a person or the source vouches for `roles`; a suspected swap then only warns.

    Returns
    -------
    Measured
        `frames` has one row a hop. A role without a channel is null there. Where several channels have one
        role, its level is the louder one of each frame and it speaks when any of them does; `mixed` stands
        for the channels of the roles mixed and unknown together.

    Raises
    ------
    UsageError
        When `roles` does not fit the channels of the file.
    ImportFailed, MissingExtra
        As :func:`workbench.audio.read.blocks`.
    """
    source = identify(path, encoding=encoding, sample_rate_hz=sample_rate_hz)
    if len(roles) != source.channel_count or any(role not in ROLES for role in roles):
        raise UsageError(
            f"roles {', '.join(roles) or '(none)'} do not fit a file with {source.channel_count} channels",
            where=str(path),
            hint=f"give one of {', '.join(ROLES)} for each channel, e.g. --channels caller,agent",
        )
    pair = _party_channels(roles)
    watch = _Watch(pair)
    tally = Tally()
    levels = frame_levels(watch.over(iterate(source, tally=tally)), sample_rate_hz=source.sample_rate_hz, config=config)
    dbfs = to_dbfs(levels.rms)
    speech = [activity(row, hop_s=levels.hop_s, config=config) for row in dbfs]
    ids = {"recording_id": recording_id, "call_id": call_id, "config_id": config.config_id, "run_id": run_id}
    voices = [
        _voice(role, ix, levels=levels, dbfs=dbfs[ix], heard=heard)
        for ix, (role, heard) in enumerate(zip(roles, speech, strict=True))
    ]
    health = assess(
        _joined(voices),
        hop_s=levels.hop_s,
        identical=watch.identical,
        waveforms_agree=(lambda: _agreement(source, pair, speech=speech, hop_s=levels.hop_s)) if pair else None,
        channel_map_confirmed=channel_map_confirmed,
        non_finite=tally.non_finite > 0,
    )
    return Measured(
        channels=[
            {
                **ids,
                "channel_ix": ix,
                "role": voice.role,
                **_channel(ix, levels, voice=voice, heard=heard, offset_s=offset_s),
            }
            for ix, (voice, heard) in enumerate(zip(voices, speech, strict=True))
        ],
        health={**ids, **msgspec.structs.asdict(health)},
        segments=[
            {
                **ids,
                "role": role,
                "channel_ix": ix,
                "backend": config.backend,
                "segment_ix": n,
                "start_s": start,
                "end_s": end,
                "peak_dbfs": round(peak, 6),
                "faint": peak < speech_dbfs - config.faint_db,
            }
            for ix, (role, heard) in enumerate(zip(roles, speech, strict=True))
            if (speech_dbfs := speech_level(dbfs[ix], heard.loud)) is not None
            for n, ((start, end), peak) in enumerate(
                zip(
                    segments(heard.active, hop_s=levels.hop_s, offset_s=offset_s, duration_s=levels.duration_s),
                    np.maximum.reduceat(dbfs[ix], runs(heard.active)[0]).tolist(),
                    strict=True,
                )
            )
        ],
        frames=_frames(voices, recording_id, config.config_id),
        hop_s=levels.hop_s,
        frame_count=levels.frame_count,
        sample_rate_hz=source.sample_rate_hz,
        duration_s=levels.duration_s,
    )


def _party_channels(roles: tuple[str, ...]) -> tuple[int, int] | None:
    if "caller" in roles and "agent" in roles:
        return roles.index("caller"), roles.index("agent")
    return (0, 1) if len(roles) > 1 else None


def _voice(role: str, ix: int, *, levels: Levels, dbfs: NDArray[np.float64], heard: Activity) -> Voice:
    first, after = runs(heard.active)
    long_enough = first[(after - first) * levels.hop_s >= MIN_RUN_S - 1e-9]
    return Voice(
        role=role,
        name=role if role in ("caller", "agent") else f"channel {ix}",
        rms=levels.rms[ix],
        dbfs=dbfs,
        active=heard.active,
        peak=float(levels.peak[ix]),
        clipped_fraction=int(levels.clipped_count[ix]) / levels.frame_count,
        active_s=round(int(heard.active.sum()) * levels.hop_s, 6),
        first_speech_s=float(long_enough[0]) * levels.hop_s if len(long_enough) else None,
    )


def _join(voices: Sequence[Voice]) -> Voice:
    if len(voices) == 1:
        return voices[0]
    rms = np.max([voice.rms for voice in voices], axis=0)
    active = np.any([voice.active for voice in voices], axis=0)
    longest = max(voices, key=lambda voice: voice.active_s)
    firsts = [voice.first_speech_s for voice in voices if voice.first_speech_s is not None]
    return msgspec.structs.replace(
        longest,
        rms=rms,
        dbfs=np.max([voice.dbfs for voice in voices], axis=0),
        active=active,
        peak=max(voice.peak for voice in voices),
        clipped_fraction=max(voice.clipped_fraction for voice in voices),
        first_speech_s=min(firsts) if firsts else None,
    )


def _joined(voices: Sequence[Voice]) -> list[Voice]:
    parties = [[voice for voice in voices if voice.role == role] for role in ("caller", "agent")]
    others = [voice for voice in voices if voice.role not in ("caller", "agent")]
    return [*[_join(party) for party in parties if party], *others]


def _channel(ix: int, levels: Levels, *, voice: Voice, heard: Activity, offset_s: float) -> dict[str, Any]:
    loud = heard.active
    floor, first = heard.noise_floor_dbfs, voice.first_speech_s
    snr = float(voice.dbfs[loud].mean()) - floor if floor is not None and loud.any() else None
    rms = np.sqrt(levels.power[ix : ix + 1])
    return {
        "peak_dbfs": round(float(to_dbfs(levels.peak[ix : ix + 1])[0]), 6),
        "rms_dbfs": round(float(to_dbfs(rms)[0]), 6),
        "clipped_fraction": voice.clipped_fraction,
        "noise_floor_dbfs": floor,
        "threshold_dbfs": heard.threshold_dbfs,
        "speech_dbfs": speech_level(voice.dbfs, heard.loud),
        "active_s": voice.active_s,
        "first_speech_s": None if first is None else round(offset_s + first, 6),
        "snr_db": None if snr is None else round(snr, 6),
    }


def _agreement(source: Source, pair: tuple[int, int] | None, *, speech: Sequence[Activity], hop_s: float) -> float:
    if pair is None:
        return 0.0
    both = np.flatnonzero(speech[pair[0]].active & speech[pair[1]].active)
    start = float(both[0]) * hop_s if len(both) else 0.0
    first = int(start * source.sample_rate_hz)
    samples = excerpt(source, first, first + int(_COMPARED_S * source.sample_rate_hz))
    return waveform_agreement(samples[:, pair[0]], samples[:, pair[1]], sample_rate_hz=source.sample_rate_hz)


def _frames(voices: Sequence[Voice], recording_id: str, config_id: str) -> Any:
    import pyarrow as pa

    from workbench import arrow

    count = len(voices[0].dbfs)
    columns: dict[str, Any] = {
        "recording_id": arrow.constant(recording_id, count),
        "config_id": arrow.constant(config_id, count),
        "frame_ix": arrow.array(np.arange(count, dtype=np.int32)),
    }
    flags: dict[str, Any] = {}
    for name, roles in (("caller", ("caller",)), ("agent", ("agent",)), ("mixed", ("mixed", "unknown"))):
        party = [voice for voice in voices if voice.role in roles]
        joined = _join(party) if party else None
        columns[f"{name}_cdbfs"] = (
            pa.nulls(count, pa.int16()) if joined is None else arrow.array(np.rint(joined.dbfs * 100).astype(np.int16))
        )
        flags[f"{name}_active"] = pa.nulls(count, pa.bool_()) if joined is None else arrow.array(joined.active)
    return pa.table({**columns, **flags})
