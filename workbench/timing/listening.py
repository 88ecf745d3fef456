"""Where a channel holds speech, and how loud: a few readings of its levels, piece by piece."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.audio.activity import SPEECH_PERCENTILE, Flagging, threshold
from workbench.audio.config import MeasureConfig
from workbench.audio.frames import Levels, to_dbfs
from workbench.audio.pieces import Track, ranked
from workbench.timing.health import MIN_RUN_S, STEADY_DB, Voice
from workbench.timing.runs import Runs
from workbench.timing.segments import runs

if TYPE_CHECKING:
    from numpy.typing import NDArray


LEAST_OFFSET_DBFS = -60.0
"""A constant offset below it cannot reach the threshold of speech."""


SAME_LEVEL_DB = 3.0
CLEAR_OFFSET = 10.0


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """Speech of one channel, and the levels in dBFS that decided it; None where there is no speech."""

    active: NDArray[np.bool_]
    runs: Runs
    noise_floor_dbfs: float
    threshold_dbfs: float
    speech_dbfs: float | None
    separation_db: float
    mean_dbfs: float | None


def listen(track: Track, *, hop_s: float, config: MeasureConfig) -> Heard:
    """Tell where a channel holds speech.

    Parameters
    ----------
    track : Track
        Its levels, linear RMS; at least one frame.
    hop_s : float
        Seconds from frame to frame.
    config : MeasureConfig
        What counts as speech.

    Returns
    -------
    Heard
    """
    count = len(track)
    quiet, loudest = ranked(track, int(config.noise_percentile * (count - 1)), count - 1)
    floor, highest = to_dbfs(np.array([quiet, loudest])).tolist()
    level = threshold(floor, highest, config)
    hangover = round(config.hangover_s / hop_s)
    flagged = Flagging(level, hangover)
    active = np.empty(count, np.bool_)
    at = loud_count = clear_count = 0
    total = 0.0
    for piece in track:
        dbfs = to_dbfs(piece)
        here, loud = flagged(dbfs)
        active[at : at + len(piece)] = here
        total += float(dbfs[here].sum())
        loud_count += int(np.count_nonzero(loud))
        clear_count += int(np.count_nonzero(dbfs >= floor + config.rel_db))
        at += len(piece)
    first, after = runs(active)
    voiced = after - hangover
    voiced[after == count] = count - flagged.since + 1
    speech = _level_of_loudest(track, loud_count, count=count)
    clear = _level_of_loudest(track, clear_count, count=count)
    return Heard(
        active=active,
        runs=Runs(start=first, end=after, voiced_end=voiced),
        noise_floor_dbfs=floor,
        threshold_dbfs=level,
        speech_dbfs=speech,
        separation_db=0.0 if clear is None else round(clear - floor, 6),
        mean_dbfs=total / int(np.count_nonzero(active)) if loud_count else None,
    )


def _level_of_loudest(track: Track, loudest: int, *, count: int) -> float | None:
    """The speech percentile of so many frames of the highest levels."""
    if not loudest:
        return None
    rank = count - loudest + int(SPEECH_PERCENTILE * (loudest - 1))
    return float(to_dbfs(np.array(ranked(track, rank)))[0])


def peaks(track: Track, starts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the loudest frame of each run; what follows a run up to the next is never louder.

    Parameters
    ----------
    track : Track
        Levels of a channel, linear RMS.
    starts : numpy.ndarray of int64, shape (runs,)
        First frames, rising.

    Returns
    -------
    numpy.ndarray of float64, shape (runs,)
        In dBFS; empty for no runs.
    """
    highest, at = np.zeros(len(starts)), 0
    for piece in track:
        first = max(0, int(np.searchsorted(starts, at, "right")) - 1)
        after = int(np.searchsorted(starts, at + len(piece)))
        if first < after:
            found = np.maximum.reduceat(piece, np.maximum(starts[first:after] - at, 0))
            highest[first:after] = np.maximum(highest[first:after], found)
        at += len(piece)
    return to_dbfs(highest)


def voice_of(role: str, ix: int, *, levels: Levels, heard: Heard) -> Voice:
    """Return what health needs to know of a channel.

    Parameters
    ----------
    role : {'caller', 'agent', 'mixed', 'unknown'}
        Whose channel it is.
    ix : int
        Which of the file's.
    levels : Levels
        Of the recording, with at least one sample.
    heard : Heard
        Speech of the channel.

    Returns
    -------
    Voice
    """
    first, after = heard.runs.start, heard.runs.end
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
        offset=_rests_on_offset(levels, ix, heard=heard),
    )


def _rests_on_offset(levels: Levels, ix: int, *, heard: Heard) -> bool:
    """Whether a constant offset, and not noise or chance, is what the channel's quiet frames hold."""
    offset = np.abs(levels.offset[ix : ix + 1])
    level = float(to_dbfs(offset)[0])
    by_chance = float(np.sqrt(levels.power[ix] / levels.frame_count))  # standard error of a mean of independent samples
    return (
        level >= LEAST_OFFSET_DBFS
        and abs(level - heard.noise_floor_dbfs) <= SAME_LEVEL_DB
        and float(offset[0]) >= CLEAR_OFFSET * by_chance
    )


def _is_steady(track: Track, active: NDArray[np.bool_]) -> bool:
    """Whether a channel counts as speech throughout and all but a tenth of its frames have one level."""
    if not active.all():
        return False
    low, high = to_dbfs(np.array(ranked(track, *(int(share * (len(active) - 1)) for share in (0.05, 0.95)))))
    return bool(high - low < STEADY_DB)


def join(voices: Sequence[Voice]) -> Voice:
    """Return the channels of one party as one: the louder of each frame, speech where any has it.

    Parameters
    ----------
    voices : sequence of Voice
        At least one; one is returned as it is.

    Returns
    -------
    Voice
        With the name of the channel that speaks longest.
    """
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
        offset=any(voice.offset for voice in voices),
    )


def parties(voices: Sequence[Voice]) -> list[Voice]:
    """Return caller and agent as one voice each, then all other channels.

    Parameters
    ----------
    voices : sequence of Voice
        One a channel.

    Returns
    -------
    list of Voice
        Empty for none.
    """
    parties = [[voice for voice in voices if voice.role == role] for role in ("caller", "agent")]
    others = [voice for voice in voices if voice.role not in ("caller", "agent")]
    return [*[join(party) for party in parties if party], *others]
