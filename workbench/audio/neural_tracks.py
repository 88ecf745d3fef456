"""The neural and the refined track of one recording, as rows of `segments` beside those of the energy method."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from workbench.audio.config import MeasureConfig
from workbench.audio.frames import frame_levels, to_dbfs
from workbench.audio.neural import Probabilities, neural_runs, require
from workbench.audio.read import iterate
from workbench.audio.refined import Party, RefinedConfig, refined_runs
from workbench.audio.source import identify
from workbench.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

SILERO, REFINED = "silero", "refined"
BACKENDS = (SILERO, REFINED)
"""What can be measured beside the energy method, which is always there."""

_OTHER = {"caller": "agent", "agent": "caller"}
_SPEECH_QUANTILE = 0.95


class Heard(msgspec.Struct, frozen=True, kw_only=True):
    """What one pass over a recording yields: each channel's levels and probabilities, and the hop of the levels."""

    parties: list[Party]
    hop_s: float
    duration_s: float


def check(backends: Sequence[str]) -> tuple[str, ...]:
    """Return the backends in order, each once, after looking whether they can be had.

    Parameters
    ----------
    backends : sequence of {'energy', 'silero', 'refined'}
        The energy method is always there and need not be named.

    Returns
    -------
    tuple of str
        Without ``energy``; empty for none.

    Raises
    ------
    UsageError
        When a name is unknown.
    MissingExtra
        When the extra ``vad`` is not installed.
    """
    unknown = sorted(set(backends) - {*BACKENDS, "energy"})
    if unknown:
        raise UsageError(f"unknown backend {unknown[0]!r}", hint=f"one of energy, {', '.join(BACKENDS)}")
    wanted = tuple(name for name in BACKENDS if name in backends)
    if wanted:
        require()
    return wanted


def hear(
    blocks: Iterable[NDArray[np.int16]],
    *,
    sample_rate_hz: int,
    config: RefinedConfig | None = None,
    scratch: Path | None = None,
) -> Heard:
    """Listen to a recording once, with the network and with the level meter.

    Parameters
    ----------
    blocks : iterable of numpy.ndarray of int16, shape (samples, channels)
        In order.
    sample_rate_hz : int
        Samples a second.
    config : RefinedConfig, optional
        Its window and hop.
    scratch : path, optional
        Where the levels of a long recording wait.

    Returns
    -------
    Heard
        Four bytes a hop and a channel stay in memory: 70 MB for a day. No blocks give no parties.

    Raises
    ------
    MissingExtra
        When the extra ``vad`` is not installed.
    """
    config = config or RefinedConfig()
    network = Probabilities(sample_rate_hz)
    meter = MeasureConfig(frame_ms=config.frame_ms, hop_ms=config.hop_ms)
    levels = frame_levels(network.over(blocks), sample_rate_hz=sample_rate_hz, config=meter, scratch=scratch)
    dbfs = [
        np.concatenate(
            [np.zeros(0, np.float32), *(to_dbfs(rows[0]).astype(np.float32) for rows in levels.pieces.rows((ix,)))]
        )
        for ix in range(levels.pieces.channels)
    ]
    found = zip(dbfs, network.finish(), strict=True)
    return Heard(
        parties=[Party(dbfs=level, probability=probability) for level, probability in found],
        hop_s=levels.hop_s,
        duration_s=levels.duration_s,
    )


def runs_of(
    heard: Heard, roles: Sequence[str], backend: str, *, config: RefinedConfig
) -> list[list[tuple[float, float]]]:
    """Return the runs of speech of every channel by one backend.

    Parameters
    ----------
    heard : Heard
        From :func:`hear`.
    roles : sequence of {'caller', 'agent', 'mixed', 'unknown'}
        One a channel.
    backend : {'silero', 'refined'}
        Which track.
    config : RefinedConfig
        Settings of both.

    Returns
    -------
    list of list of (start_s, end_s)
        Seconds from the start of the recording, a list a channel.
    """
    found = []
    for role, party in zip(roles, heard.parties, strict=True):
        if backend == SILERO:
            runs = neural_runs(party.probability, config=config.neural)
        else:
            runs = refined_runs(party, other=_other(heard, roles, role), hop_s=heard.hop_s, config=config)
        found.append([(start, min(end, heard.duration_s)) for start, end in runs if start < heard.duration_s])
    return found


def _other(heard: Heard, roles: Sequence[str], role: str) -> Party | None:
    """The other party: of several channels the louder level and the larger probability."""
    there = [party for name, party in zip(roles, heard.parties, strict=True) if name == _OTHER.get(role)]
    if not there:
        return None
    return Party(
        dbfs=np.maximum.reduce([party.dbfs for party in there]),
        probability=np.maximum.reduce([party.probability for party in there]),
    )


def neural_segments(
    path: str | Path,
    *,
    ids: dict[str, str],
    roles: Sequence[str],
    offset_s: float,
    backends: Sequence[str],
    config: RefinedConfig | None = None,
    encoding: str | None = None,
    sample_rate_hz: int | None = None,
    scratch: Path | None = None,
) -> list[dict[str, Any]]:
    """Return rows of `segments` of one recording.

    Parameters
    ----------
    path : path
        The sound file.
    ids : dict of str
        `recording_id`, `call_id`, `run_id`, written into every row.
    roles : sequence of str
        One a channel.
    offset_s : float
        Start of the recording on the call's clock, in seconds.
    backends : sequence of {'silero', 'refined'}
        What is wanted; none gives no row, and the file is not opened.
    config : RefinedConfig, optional
        Settings of both.
    encoding, sample_rate_hz : optional
        For headerless files.
    scratch : path, optional
        Folder for the temporary file of a long recording.

    Returns
    -------
    list of dict
        In these tracks no hangover is counted: `voiced_end_s` is `end_s`. A run's `peak_dbfs` is the loudest
        10 ms in it.

    Raises
    ------
    ImportFailed, MissingExtra
        As :func:`workbench.audio.read.blocks`; the latter also without the extra ``vad``.
    """
    if not backends:
        return []
    config = config or RefinedConfig()
    source = identify(path, encoding=encoding, sample_rate_hz=sample_rate_hz)
    heard = hear(iterate(source), sample_rate_hz=source.sample_rate_hz, config=config, scratch=scratch)
    rows: list[dict[str, Any]] = []
    for backend in backends:
        own_id = config_id_of(backend, config)
        for ix, runs in enumerate(runs_of(heard, roles, backend, config=config)):
            peaks = _peaks(heard.parties[ix].dbfs, runs, heard.hop_s)
            usual = float(np.quantile(peaks, _SPEECH_QUANTILE)) if peaks else 0.0
            for nth, ((start, end), peak) in enumerate(zip(runs, peaks, strict=True)):
                times = {"start_s": round(offset_s + start, 6), "end_s": round(offset_s + end, 6)}
                rows.append(
                    {
                        **ids,
                        "role": roles[ix],
                        "channel_ix": ix,
                        "backend": backend,
                        "config_id": own_id,
                        "segment_ix": nth,
                        **times,
                        "voiced_end_s": times["end_s"],
                        "peak_dbfs": round(peak, 6),
                        "faint": peak < usual - config.neural.faint_db,
                    }
                )
    return rows


def config_id_of(backend: str, config: RefinedConfig | None = None) -> str:
    """Return the config id that rows of a backend carry.

    Parameters
    ----------
    backend : {'silero', 'refined'}
        Which track.
    config : RefinedConfig, optional
        Settings of both.

    Returns
    -------
    str
    """
    config = config or RefinedConfig()
    return config.neural.config_id if backend == SILERO else config.config_id


def _peaks(dbfs: NDArray[np.float32], runs: Sequence[tuple[float, float]], hop_s: float) -> list[float]:
    def peak(start: float, end: float) -> float:
        first = min(int(start / hop_s), len(dbfs) - 1)
        return float(dbfs[first : max(first + 1, round(end / hop_s))].max())

    return [peak(start, end) for start, end in runs]
