"""Measures one recording: levels, speech, runs of speech and input health, as rows ready for the archive.

A pure function of the samples and the config; it opens no archive and can run in any thread. Of a long
recording only the flags of its frames stay in memory (a hundred bytes a second and channel): its levels wait
in a temporary file and are read piece by piece.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from workbench.audio.activity import SPEECH_PERCENTILE, Flagging, threshold
from workbench.audio.config import MeasureConfig
from workbench.audio.frames import Levels, frame_levels, to_dbfs
from workbench.audio.pieces import Track, ranked
from workbench.audio.read import Tally, excerpt, iterate
from workbench.audio.source import Source, identify
from workbench.errors import UsageError
from workbench.timing.health import MIN_RUN_S, STEADY_DB, Voice, assess
from workbench.timing.leakage import waveform_agreement
from workbench.timing.segments import runs, segments

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROLES = ("caller", "agent", "mixed", "unknown")
_COMPARED_S = 8.0


class Measured(msgspec.Struct, kw_only=True):
    """Rows of the tables `channels`, `input_health` and `segments`, and the table `frames` as Arrow, in pieces.

    `frames` can be read once. `hop_s` is the exact distance of two frames; `frame_count` the number of
    samples per channel that were decoded.
    """

    channels: list[dict[str, Any]]
    health: dict[str, Any]
    segments: list[dict[str, Any]]
    frames: Iterator[Any]
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
                first, second = block[:, self.pair[0]], block[:, self.pair[1]]
                self.identical = np.array_equal(first[:999], second[:999]) and np.array_equal(first, second)
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
    scratch: Path | None = None,
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
    scratch : path, optional
        Folder for the temporary file of a long recording.

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
    blocks = watch.over(iterate(source, tally=tally))
    levels = frame_levels(blocks, sample_rate_hz=source.sample_rate_hz, config=config, scratch=scratch)
    speech = [_listen(Track(levels.pieces, (ix,)), hop_s=levels.hop_s, config=config) for ix in range(len(roles))]
    ids = {"recording_id": recording_id, "call_id": call_id, "config_id": config.config_id, "run_id": run_id}
    voices = [
        _voice(role, ix, levels=levels, heard=heard) for ix, (role, heard) in enumerate(zip(roles, speech, strict=True))
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
                "role": voice.role,
                "channel_ix": ix,
                "backend": config.backend,
                "segment_ix": n,
                "start_s": start,
                "end_s": end,
                "peak_dbfs": round(peak, 6),
                "faint": peak < heard.speech_dbfs - config.faint_db,
            }
            for ix, (voice, heard) in enumerate(zip(voices, speech, strict=True))
            if heard.speech_dbfs is not None
            for n, ((start, end), peak) in enumerate(
                zip(
                    segments(heard.active, hop_s=levels.hop_s, offset_s=offset_s, duration_s=levels.duration_s),
                    _peaks(voice.track, runs(heard.active)[0]).tolist(),
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


class _Heard(msgspec.Struct, frozen=True, kw_only=True):
    """Speech of one channel, and the levels in dBFS that decided it; None where there is no speech."""

    active: NDArray[np.bool_]
    noise_floor_dbfs: float
    threshold_dbfs: float
    speech_dbfs: float | None
    mean_dbfs: float | None


def _listen(track: Track, *, hop_s: float, config: MeasureConfig) -> _Heard:
    count = len(track)
    quiet, loudest = ranked(track, int(config.noise_percentile * (count - 1)), count - 1)
    floor, highest = to_dbfs(np.array([quiet, loudest])).tolist()
    level = threshold(floor, highest, config)
    flagged = Flagging(level, round(config.hangover_s / hop_s))
    active = np.empty(count, np.bool_)
    at = loud_count = 0
    total = 0.0
    for piece in track:
        dbfs = to_dbfs(piece)
        here, loud = flagged(dbfs)
        active[at : at + len(piece)] = here
        total += float(dbfs[here].sum())
        loud_count += int(np.count_nonzero(loud))
        at += len(piece)
    speech = mean = None
    if loud_count:  # the loud frames are those of the highest ranks
        rank = count - loud_count + int(SPEECH_PERCENTILE * (loud_count - 1))
        speech = float(to_dbfs(np.array(ranked(track, rank)))[0])
        mean = total / int(np.count_nonzero(active))
    return _Heard(active=active, noise_floor_dbfs=floor, threshold_dbfs=level, speech_dbfs=speech, mean_dbfs=mean)


def _peaks(track: Track, starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """The loudest frame of each run in dBFS; what follows a run up to the next is never louder."""
    highest, at = np.zeros(len(starts)), 0
    for piece in track:
        first = max(0, int(np.searchsorted(starts, at, "right")) - 1)
        after = int(np.searchsorted(starts, at + len(piece)))
        if first < after:
            found = np.maximum.reduceat(piece, np.maximum(starts[first:after] - at, 0))
            highest[first:after] = np.maximum(highest[first:after], found)
        at += len(piece)
    return to_dbfs(highest)


def _party_channels(roles: tuple[str, ...]) -> tuple[int, int] | None:
    if "caller" in roles and "agent" in roles:
        return roles.index("caller"), roles.index("agent")
    return (0, 1) if len(roles) > 1 else None


def _voice(role: str, ix: int, *, levels: Levels, heard: _Heard) -> Voice:
    first, after = runs(heard.active)
    long_enough = first[(after - first) * levels.hop_s >= MIN_RUN_S - 1e-9]
    track = Track(levels.pieces, (ix,))
    return Voice(
        role=role,
        name=role if role in ("caller", "agent") else f"channel {ix}",
        track=track,
        active=heard.active,
        peak=float(levels.peak[ix]),
        clipped_fraction=int(levels.clipped_count[ix]) / levels.frame_count,
        active_s=round(int(np.count_nonzero(heard.active)) * levels.hop_s, 6),
        first_speech_s=float(long_enough[0]) * levels.hop_s if len(long_enough) else None,
        steady=_is_steady(track, heard.active),
    )


def _is_steady(track: Track, active: NDArray[np.bool_]) -> bool:
    """Whether a channel counts as speech throughout and all but a tenth of its frames have one level."""
    if not active.all():
        return False
    low, high = to_dbfs(np.array(ranked(track, *(int(share * (len(active) - 1)) for share in (0.05, 0.95)))))
    return bool(high - low < STEADY_DB)


def _join(voices: Sequence[Voice]) -> Voice:
    if len(voices) == 1:
        return voices[0]
    longest = max(voices, key=lambda voice: voice.active_s)
    firsts = [voice.first_speech_s for voice in voices if voice.first_speech_s is not None]
    track, active = voices[0].track, np.any([voice.active for voice in voices], axis=0)
    for voice in voices[1:]:
        track = track.joined(voice.track)
    return msgspec.structs.replace(
        longest,
        track=track,
        active=active,
        peak=max(voice.peak for voice in voices),
        clipped_fraction=max(voice.clipped_fraction for voice in voices),
        first_speech_s=min(firsts) if firsts else None,
        steady=_is_steady(track, active),
    )


def _joined(voices: Sequence[Voice]) -> list[Voice]:
    parties = [[voice for voice in voices if voice.role == role] for role in ("caller", "agent")]
    others = [voice for voice in voices if voice.role not in ("caller", "agent")]
    return [*[_join(party) for party in parties if party], *others]


def _channel(ix: int, levels: Levels, *, voice: Voice, heard: _Heard, offset_s: float) -> dict[str, Any]:
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
        "snr_db": None if heard.mean_dbfs is None else round(heard.mean_dbfs - heard.noise_floor_dbfs, 6),
    }


def _agreement(source: Source, pair: tuple[int, int] | None, *, speech: Sequence[_Heard], hop_s: float) -> float:
    if pair is None:
        return 0.0
    both = np.flatnonzero(speech[pair[0]].active & speech[pair[1]].active)
    start = float(both[0]) * hop_s if len(both) else 0.0
    first = int(start * source.sample_rate_hz)
    samples = excerpt(source, first, first + int(_COMPARED_S * source.sample_rate_hz))
    return waveform_agreement(samples[:, pair[0]], samples[:, pair[1]], sample_rate_hz=source.sample_rate_hz)


def _frames(voices: Sequence[Voice], recording_id: str, config_id: str) -> Iterator[Any]:
    import pyarrow as pa

    from workbench import arrow

    parties = {
        name: [voice for voice in voices if voice.role in roles]
        for name, roles in (("caller", ("caller",)), ("agent", ("agent",)), ("mixed", ("mixed", "unknown")))
    }
    joined = {name: _join(party) for name, party in parties.items() if party}
    at = 0
    for rows in zip(*(voice.track for voice in joined.values()), strict=True):
        count = len(rows[0])
        columns: dict[str, Any] = {
            "recording_id": arrow.constant(recording_id, count),
            "config_id": arrow.constant(config_id, count),
            "frame_ix": arrow.array(np.arange(at, at + count, dtype=np.int32)),
        }
        levels = dict(zip(joined, rows, strict=True))
        for name in parties:
            columns[f"{name}_cdbfs"] = (
                arrow.array(np.rint(to_dbfs(levels[name]) * 100).astype(np.int16))
                if name in levels
                else pa.nulls(count, pa.int16())
            )
        for name in parties:
            columns[f"{name}_active"] = (
                arrow.array(joined[name].active[at : at + count]) if name in levels else pa.nulls(count, pa.bool_())
            )
        yield pa.table(columns)
        at += count
