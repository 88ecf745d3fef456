"""Two files of one call, one a party, judged as the two channels of one file would be.

Each file is measured for itself, on its own frames. Here their levels are laid on one grid, that of the slower sample
rate from the earlier start on, and held against each other: one sound in both, leakage, exchanged files, and the
moments that need two parties.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import numpy as np

from workbench.audio.pieces import PIECE_FRAMES, Pieces, Track
from workbench.audio.read import iterate
from workbench.audio.sound_digest import SoundDigest
from workbench.timing.health import NEXT_STEPS, Health, Voice, assess
from workbench.timing.lines import lay
from workbench.timing.listening import join
from workbench.timing.measuring import Measured, moment_rows
from workbench.timing.moments import ECHO, GAP, OVERLAP, START, STOP
from workbench.timing.score_config import ScoreConfig
from workbench.timing.segments import FORGIVEN_S, frame_after
from workbench.timing.sounding_moments import of_two
from workbench.timing.stated_roles import PARTIES
from workbench.timing.two_sounds import Sound, TwoSounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.audio.config import MeasureConfig
    from workbench.audio.source import Source

T = TypeVar("T", bound=np.generic)

SAME_SOUND = "export each party to a file of its own: both files hold the same sound"
_LISTEN = (
    "listen which file is whose; where they are exchanged, exchange their names, or correct the document that names "
    "them, and import them again with --replace"
)
_STEPS = {
    "identical_channels": SAME_SOUND,
    "silent_caller": _LISTEN,
    "silent_agent": _LISTEN,
    "files_apart": f"{NEXT_STEPS['files_apart']}; correct it and import them again with --replace",
    "possible_swap": "listen which file is whose: `workbench label CALL --channels caller,agent` confirms them as they "
    "are; where they are exchanged, exchange their names and import them again with --replace",
}
_LENGTHS = ("sample_rate_hz", "offset_s", "duration_s")
_APART_S = 1.0
_EDGES = {
    OVERLAP: ("caller", "start_s"),
    START: ("agent", "start_s"),
    GAP: ("caller", "end_s"),
    STOP: ("agent", "end_s"),
    ECHO: ("caller", "start_s"),
}
"""Which party's run a kind of moment is told of, and whether from its start or its end on."""
_RUN = {"role": str, "start_s": float, "end_s": float, "voiced_end_s": float}


class Paired(msgspec.Struct, kw_only=True):
    """What two files give together: their health, and rows of `moments`, which name the caller's file."""

    health: Health
    moments: list[dict[str, Any]]


def measure_pair(
    caller: Measured,
    agent: Measured,
    *,
    config: MeasureConfig,
    scanning: ScoreConfig | None = None,
    channel_map_confirmed: bool = False,
    scratch: Path | None = None,
) -> Paired:
    """Hold the two files of a call against each other.

    Parameters
    ----------
    caller, agent : Measured
        Each has channels of its own party and none of the other; both are measured with `config`, on one clock.
    config : MeasureConfig
        What counts as speech.
    scanning : ScoreConfig, optional
        What counts as a moment.
    channel_map_confirmed : bool
        Whether a person or the source vouches for whose file is whose; a suspected swap then only warns.
    scratch : path, optional
        Folder for the temporary file of a long recording.

    Returns
    -------
    Paired
        As :func:`workbench.timing.measuring.measure_recording` judges a file of two channels, and on the same clock.
        Before a file begins and after it ends its party is silent.

    Raises
    ------
    ImportFailed, MissingExtra
        When a file can no longer be read.
    """
    import polars as pl

    scanning = scanning or ScoreConfig()
    both = (caller, agent)
    begin_s = min(one.offset_s for one in both)
    runs = [row for one, role in zip(both, PARTIES, strict=True) for row in one.segments if row["role"] == role]
    line = lay(
        pl.DataFrame([{name: getattr(one, name) for name in _LENGTHS} for one in both]).with_columns(
            call_id=pl.lit("")
        ),
        pl.DataFrame([{name: row[name] for name in _RUN} for row in runs], schema=_RUN).with_columns(
            call_id=pl.lit("")
        ),
        config,
    )
    hop_s = float(line.speech.hop_s[0])
    late_s = _late_s(caller, agent)
    voices = _voices(both, late_s=late_s, hop_s=hop_s, scratch=scratch)
    health = assess(
        voices,
        hop_s=hop_s,
        identical=_identical(caller, agent),
        sounds=_sounds(both, late_s=late_s, config=config),
        channel_map_confirmed=channel_map_confirmed,
        non_finite=caller.non_finite or agent.non_finite,
        apart=late_s[0] >= agent.duration_s or late_s[1] >= caller.duration_s,
    )
    if health.reason in _STEPS:
        health.next_step = _LISTEN if health.verdict_eligible else _STEPS[health.reason]
    found = (
        of_two(voices[0].track, voices[1].track, line.speech, health=health, config=scanning) if health.scorable else []
    )
    _snap(found, runs, begin_s=begin_s, hop_s=hop_s)
    ids = {name: caller.health[name] for name in ("recording_id", "call_id", "run_id")}
    return Paired(health=health, moments=moment_rows(found, runs, ids=ids, offset_s=begin_s, scanning=scanning))


def _snap(moments: Iterable[dict[str, Any]], runs: Iterable[dict[str, Any]], *, begin_s: float, hop_s: float) -> None:
    """Move each moment from the grid of both to where the run that it is told of begins or ends on its own."""
    edges: dict[tuple[str, str], list[float]] = {edge: [] for edge in _EDGES.values()}
    for row in runs:
        for name in ("start_s", "end_s"):
            edges.setdefault((row["role"], name), []).append(row[name] - begin_s)
    known = {edge: np.sort(np.array(times)) for edge, times in edges.items()}
    for moment in moments:
        times = known[_EDGES[moment["kind"]]]
        near = int(np.searchsorted(times, moment["onset_s"]))
        around = times[max(0, near - 1) : near + 1]
        nearest = min(around, key=lambda time: abs(time - moment["onset_s"]), default=None)
        if nearest is not None and abs(nearest - moment["onset_s"]) <= hop_s + FORGIVEN_S:
            moment["onset_s"] = float(nearest)


def _late_s(caller: Measured, agent: Measured) -> tuple[float, float]:
    """How long after the earlier file each begins, at most a second after the other has ended: nothing meets there."""
    lead_s = agent.offset_s - caller.offset_s
    return min(max(0.0, -lead_s), agent.duration_s + _APART_S), min(max(0.0, lead_s), caller.duration_s + _APART_S)


def _voices(
    both: tuple[Measured, Measured], *, late_s: tuple[float, float], hop_s: float, scratch: Path | None
) -> list[Voice]:
    """Each party's voice on the grid of both."""
    own = [join([v for v in one.voices if v.role == role]) for one, role in zip(both, PARTIES, strict=True)]
    ends_s = np.array([late + one.duration_s for late, one in zip(late_s, both, strict=True)])
    count = max(1, int(frame_after(ends_s, hop_s).max()))
    places = [
        _Places(late_s=late, hop_s=hop_s, own_hop_s=one.hop_s, count=count)
        for late, one in zip(late_s, both, strict=True)
    ]
    pieces = Pieces(2, scratch)
    for levels in zip(*(at.laid(voice.track) for at, voice in zip(places, own, strict=True)), strict=True):
        pieces.append(np.stack(levels))
    return [
        msgspec.structs.replace(
            voice,
            track=Track(pieces, (ix,)),
            active=np.concatenate(list(at.laid([voice.active]))),
            first_speech_s=None if voice.first_speech_s is None else voice.first_speech_s + at.late_s,
        )
        for ix, (voice, at) in enumerate(zip(own, places, strict=True))
    ]


class _Places(msgspec.Struct, frozen=True, kw_only=True):
    """Where the frames of a file lie on a grid of `count` frames that begins `late_s` before the file."""

    late_s: float
    hop_s: float
    own_hop_s: float
    count: int

    def laid(self, track: Iterable[NDArray[T]]) -> Iterator[NDArray[T]]:
        """Yield a file's numbers on the grid in pieces, the nearest frame's each, zero where it has none."""
        pieces = iter(track)
        held, at = next(pieces), 0
        late = np.floor(self.late_s / self.hop_s + 0.5)
        for first in range(0, self.count, PIECE_FRAMES):
            grid = np.arange(first, min(first + PIECE_FRAMES, self.count))
            places = np.floor((grid - late) * (self.hop_s / self.own_hop_s) + 0.5).astype(np.int64)
            passed = max(0, min(int(places[0]) - at, len(held)))
            parts, at = [held[passed:]], at + passed
            while at + sum(map(len, parts)) <= places[-1] and (more := next(pieces, None)) is not None:
                parts.append(more)
            held = np.concatenate(parts)
            inside = (places >= at) & (places < at + len(held))
            found = np.zeros(len(grid), held.dtype)
            found[inside] = held[places[inside] - at]
            yield found


def _sounds(both: tuple[Measured, Measured], *, late_s: tuple[float, float], config: MeasureConfig) -> TwoSounds:
    """The samples of both parties, of the first channel of each."""
    first, second = (
        Sound(
            source=one.source,
            channel_ix=next(ix for ix, voice in enumerate(one.voices) if voice.role == role),
            late_s=late,
        )
        for one, role, late in zip(both, PARTIES, late_s, strict=True)
    )
    return TwoSounds(first=first, second=second, window_s=config.frame_ms / 1000)


def _identical(caller: Measured, agent: Measured) -> bool:
    """Whether two mono files hold the same samples; their levels say so first, without reading them again."""
    measures = ("peak_dbfs", "rms_dbfs", "active_s", "noise_floor_dbfs")
    alike = (caller.frame_count, caller.sample_rate_hz) == (agent.frame_count, agent.sample_rate_hz)
    if not alike or len(caller.channels) != 1 or len(agent.channels) != 1:
        return False
    one, other = caller.channels[0], agent.channels[0]
    return all(one[name] == other[name] for name in measures) and _same_samples(caller.source, agent.source)


def _same_samples(first: Source, second: Source) -> bool:
    """Whether two files of as many samples hold the same ones, however they are cut in blocks."""
    one, other = SoundDigest(), SoundDigest()
    for digest, source in ((one, first), (other, second)):
        for block in iterate(source):
            digest.update(block[:, 0])
    return one.hexdigest() == other.hexdigest()
