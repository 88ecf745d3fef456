"""Measures one recording: levels, speech, runs of speech and input health, as rows ready for the archive.

A pure function of the samples and the config; it opens no archive and can run in any thread. Of a long
recording only the flags of its frames stay in memory (a hundred bytes a second and channel): its levels wait
in a temporary file and are read piece by piece.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from workbench.audio.config import MeasureConfig
from workbench.audio.frames import Levels, frame_levels, to_dbfs
from workbench.audio.pieces import Track
from workbench.audio.read import Tally, iterate
from workbench.audio.sound_digest import SoundDigest
from workbench.audio.source import Source, identify
from workbench.errors import UsageError
from workbench.plural import plural
from workbench.timing.channels_hint import channels_hint, map_step
from workbench.timing.faint_moments import resting
from workbench.timing.health import Health, Voice, assess
from workbench.timing.listening import Heard, join, listen, parties, peaks, voice_of
from workbench.timing.moments import ranked
from workbench.timing.runs import Speech, joined
from workbench.timing.score_config import ScoreConfig
from workbench.timing.segments import segments
from workbench.timing.sounding_moments import of_two, silences
from workbench.timing.two_sounds import Sound, TwoSounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROLES = ("caller", "agent", "mixed", "unknown")


class Measured(msgspec.Struct, kw_only=True):
    """Rows of `channels`, `input_health`, `segments` and `moments`, and the table `frames` as Arrow, in pieces.

    `frames` can be read once. `sound` has the digest of each channel's samples where it was asked for.
    `hop_s` is the exact distance of two frames; `frame_count` the number of samples per channel that were decoded.
    `voices` are the levels and speech of each channel, which :mod:`workbench.timing.pair` holds against another file.
    """

    channels: list[dict[str, Any]]
    health: dict[str, Any]
    segments: list[dict[str, Any]]
    moments: list[dict[str, Any]]
    frames: Iterator[Any]
    hop_s: float
    frame_count: int
    sample_rate_hz: int
    duration_s: float
    source: Source
    offset_s: float
    voices: list[Voice]
    non_finite: bool
    sound: tuple[str, ...] = ()


class _Watch:
    """Passes blocks on, remembers whether two of their channels were ever different, and digests each if asked."""

    def __init__(self, pair: tuple[int, int] | None, *, digested: int = 0) -> None:
        self.pair, self.identical = pair, pair is not None
        self._digests = [SoundDigest() for _ in range(digested)]

    @property
    def digests(self) -> list[str]:
        """Digest of the samples of each channel so far."""
        return [digest.hexdigest() for digest in self._digests]

    def over(self, blocks: Iterator[NDArray[np.int16]]) -> Iterator[NDArray[np.int16]]:
        for block in blocks:
            if self.pair is not None and self.identical:
                first, second = block[:, self.pair[0]], block[:, self.pair[1]]
                self.identical = np.array_equal(first[:999], second[:999]) and np.array_equal(first, second)
            for ix, digest in enumerate(self._digests):
                digest.update(block[:, ix])
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
    scanning: ScoreConfig | None = None,
    encoding: str | None = None,
    sample_rate_hz: int | None = None,
    channel_map_confirmed: bool = False,
    scratch: Path | None = None,
    digested: bool = False,
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
    scanning : ScoreConfig, optional
        What counts as a moment.
    encoding, sample_rate_hz : optional
        For headerless files, as :func:`workbench.audio.read.probe` takes them.
    channel_map_confirmed : bool
        Whether a person or the source vouches for `roles`; a suspected swap then only warns.
    scratch : path, optional
        Folder for the temporary file of a long recording.
    digested : bool
        Whether the samples of each channel are digested as they are read.

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
    scanning = scanning or ScoreConfig()
    source = identify(path, encoding=encoding, sample_rate_hz=sample_rate_hz)
    if len(roles) != source.channel_count or any(role not in ROLES for role in roles):
        raise UsageError(
            f"roles {', '.join(roles) or '(none)'} do not fit a file with {plural(source.channel_count, 'channel')}",
            where=str(path),
            hint=channels_hint(source.channel_count),
        )
    pair = _party_channels(roles)
    watch = _Watch(pair, digested=len(roles) if digested else 0)
    tally = Tally()
    blocks = watch.over(iterate(source, tally=tally))
    levels = frame_levels(blocks, sample_rate_hz=source.sample_rate_hz, config=config, scratch=scratch)
    speech = [listen(Track(levels.pieces, (ix,)), hop_s=levels.hop_s, config=config) for ix in range(len(roles))]
    ids = {"recording_id": recording_id, "call_id": call_id, "config_id": config.config_id, "run_id": run_id}
    voices = [
        voice_of(role, ix, levels=levels, heard=heard)
        for ix, (role, heard) in enumerate(zip(roles, speech, strict=True))
    ]
    health = assess(
        parties(voices),
        hop_s=levels.hop_s,
        identical=watch.identical,
        sounds=_sounds(source, pair, config=config),
        channel_map_confirmed=channel_map_confirmed,
        non_finite=tally.non_finite > 0,
    )
    if health.reason == "channel_map_unknown":
        health.next_step = map_step(len(roles))
    runs = [
        {
            **ids,
            "role": voice.role,
            "channel_ix": ix,
            "backend": config.backend,
            "segment_ix": n,
            "start_s": start,
            "end_s": end,
            "voiced_end_s": voiced_end,
            "peak_dbfs": round(peak, 6),
            "faint": peak < heard.speech_dbfs - config.faint_db,
        }
        for ix, (voice, heard) in enumerate(zip(voices, speech, strict=True))
        if heard.speech_dbfs is not None
        for n, ((start, end, voiced_end), peak) in enumerate(
            zip(
                segments(heard.runs, hop_s=levels.hop_s, offset_s=offset_s, duration_s=levels.duration_s),
                peaks(voice.track, heard.runs.start).tolist(),
                strict=True,
            )
        )
    ]
    found = _moments(voices, speech, health=health, levels=levels, config=config, scanning=scanning)
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
        health={**ids, **msgspec.structs.asdict(health), "other_recording_id": None},
        segments=runs,
        moments=moment_rows(found, runs, ids=ids, offset_s=offset_s, scanning=scanning),
        frames=_frames(voices, recording_id, config.config_id),
        hop_s=levels.hop_s,
        frame_count=levels.frame_count,
        sample_rate_hz=source.sample_rate_hz,
        duration_s=levels.duration_s,
        sound=tuple(f"{source.sample_rate_hz} Hz {digest}" for digest in watch.digests),
        source=source,
        offset_s=offset_s,
        voices=voices,
        non_finite=tally.non_finite > 0,
    )


def moment_rows(
    found: Iterable[dict[str, Any]],
    runs: Sequence[dict[str, Any]],
    *,
    ids: dict[str, Any],
    offset_s: float,
    scanning: ScoreConfig,
) -> list[dict[str, Any]]:
    """Return what a scan found as rows of `moments`, the most salient first.

    Parameters
    ----------
    found : iterable of dict
        As :func:`workbench.timing.moments.scan` returns it, of one call.
    runs : sequence of dict
        Its rows of `segments`.
    ids : dict
        `call_id`, `recording_id` and `run_id`.
    offset_s : float
        Where on the call's clock the times of `found` begin.
    scanning : ScoreConfig
        What it was found with.

    Returns
    -------
    list of dict
        Empty where nothing was found.
    """
    told = [{name: value for name, value in row.items() if name != "recording"} for row in ranked(found)]
    for row in told:
        row["onset_s"] = round(offset_s + row["onset_s"], 6)
    return [
        {**ids, "config_id": scanning.config_id, "moment_ix": ix, **row, "faint": rests}
        for ix, (row, rests) in enumerate(zip(told, resting(told, runs, scanning), strict=True))
    ]


def _moments(
    voices: Sequence[Voice],
    speech: Sequence[Heard],
    *,
    health: Health,
    levels: Levels,
    config: MeasureConfig,
    scanning: ScoreConfig,
) -> list[dict[str, Any]]:
    """What the scan finds: of two parties where timing can be read, or of one mixed channel."""
    found: list[dict[str, Any]] = []
    count = len(voices[0].active)
    if health.scorable and (line := _line(voices, speech, levels=levels, config=config)) is not None:
        caller, agent = (join([voice for voice in voices if voice.role == role]) for role in ("caller", "agent"))
        found = of_two(caller.track, agent.track, line, health=health, config=scanning)
    elif len(voices) == 1 and voices[0].role in ("mixed", "unknown"):
        found = silences(
            voices[0].track,
            speech[0].runs,
            count=count,
            hop_s=levels.hop_s,
            threshold_dbfs=speech[0].threshold_dbfs,
            config=scanning,
        )
    return found


def _line(voices: Sequence[Voice], speech: Sequence[Heard], *, levels: Levels, config: MeasureConfig) -> Speech | None:
    """The runs of both parties; None unless there is a channel of each."""
    found = {}
    for role in ("caller", "agent"):
        heard = [heard.runs for voice, heard in zip(voices, speech, strict=True) if voice.role == role]
        if not heard:
            return None
        found[role] = joined(
            *(np.concatenate([getattr(r, part) for r in heard]) for part in ("start", "end", "voiced_end"))
        )
    return Speech(
        caller=found["caller"],
        agent=found["agent"],
        first=np.array([0]),
        after=np.array([len(voices[0].active)]),
        hop_s=np.array([levels.hop_s]),
        pad=np.array([round(config.hangover_s / levels.hop_s)]),
    )


def _party_channels(roles: tuple[str, ...]) -> tuple[int, int] | None:
    if "caller" in roles and "agent" in roles:
        return roles.index("caller"), roles.index("agent")
    return (0, 1) if len(roles) > 1 else None


def _sounds(source: Source, pair: tuple[int, int] | None, *, config: MeasureConfig) -> TwoSounds | None:
    if pair is None:
        return None
    first, second = (Sound(source=source, channel_ix=ix) for ix in pair)
    return TwoSounds(first=first, second=second, window_s=config.frame_ms / 1000)


def _channel(ix: int, levels: Levels, *, voice: Voice, heard: Heard, offset_s: float) -> dict[str, Any]:
    first = voice.first_speech_s
    rms = np.sqrt(levels.power[ix : ix + 1])
    return {
        "peak_dbfs": round(float(to_dbfs(levels.peak[ix : ix + 1])[0]), 6),
        "rms_dbfs": round(float(to_dbfs(rms)[0]), 6),
        "clipped_fraction": voice.clipped_fraction,
        "noise_floor_dbfs": heard.noise_floor_dbfs,
        "threshold_dbfs": heard.threshold_dbfs,
        "speech_dbfs": heard.speech_dbfs,
        "active_s": voice.active_s,
        "first_speech_s": None if first is None else round(offset_s + first, 6),
        "separation_db": heard.separation_db,
        "snr_db": None if heard.mean_dbfs is None else round(heard.mean_dbfs - heard.noise_floor_dbfs, 6),
    }


def _frames(voices: Sequence[Voice], recording_id: str, config_id: str) -> Iterator[Any]:
    import pyarrow as pa

    from workbench import arrow

    by_column = {
        name: [voice for voice in voices if voice.role in roles]
        for name, roles in (("caller", ("caller",)), ("agent", ("agent",)), ("mixed", ("mixed", "unknown")))
    }
    joined = {name: join(party) for name, party in by_column.items() if party}
    at = 0
    for rows in zip(*(voice.track for voice in joined.values()), strict=True):
        count = len(rows[0])
        columns: dict[str, Any] = {
            "recording_id": arrow.constant(recording_id, count),
            "config_id": arrow.constant(config_id, count),
            "frame_ix": arrow.array(np.arange(at, at + count, dtype=np.int32)),
        }
        levels = dict(zip(joined, rows, strict=True))
        for name in by_column:
            columns[f"{name}_cdbfs"] = (
                arrow.array(np.rint(to_dbfs(levels[name]) * 100).astype(np.int16))
                if name in levels
                else pa.nulls(count, pa.int16())
            )
        for name in by_column:
            columns[f"{name}_active"] = (
                arrow.array(joined[name].active[at : at + count]) if name in levels else pa.nulls(count, pa.bool_())
            )
        yield pa.table(columns)
        at += count
