"""Moments that need the levels and not only the runs: echo in the caller's channel, silence in a mixed one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.audio.frames import to_dbfs
from workbench.timing.moments import ECHO, SILENCE, moment, scan
from workbench.timing.runs import Runs, Speech
from workbench.timing.scoring import sustained

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.timing.health import Health
    from workbench.timing.score_config import ScoreConfig

MIN_COMPARED_FRAMES = 8
FULL_CONFIDENCE_DB = 20.0
"""A silence this far under the threshold is one beyond doubt."""


def echoes(
    caller: Iterable[NDArray[np.float64]],
    agent: Iterable[NDArray[np.float64]],
    speech: Speech,
    *,
    lag_s: float,
    config: ScoreConfig,
) -> list[dict[str, Any]]:
    """Find the caller's runs that look like the agent's sound a little later.

    Parameters
    ----------
    caller, agent : Track, or sequence of numpy.ndarray of float64
        Linear RMS of both channels of one recording, in pieces of the same lengths.
    speech : Speech
        Its runs.
    lag_s : float
        Delay of the echo, in seconds.
    config : ScoreConfig

    Returns
    -------
    list of dict
        As :func:`scan`, with `coherence`: runs whose cosine with the agent's envelope, taken `lag_s` earlier,
        is at least `echo_coherence`. Fewer than 8 frames, or no energy, are no echo.
    """
    hop_s = float(speech.hop_s[0])
    lag = round(lag_s / hop_s)
    runs = sustained(speech.caller, speech, config)
    sums = _sums(caller, agent, lag=lag, runs=runs)
    found = []
    for start, end, (product, first, second, count) in zip(runs.start, runs.end, sums.T, strict=True):
        if count < MIN_COMPARED_FRAMES or first <= 0 or second <= 0:
            continue
        coherence = float(product / np.sqrt(first) / np.sqrt(second))
        if coherence >= config.echo_coherence:
            found.append(
                moment(
                    ECHO,
                    recording=0,
                    onset_s=float(start * hop_s),
                    magnitude_s=float((end - start) * hop_s),
                    config=config,
                    coherence=min(1.0, round(coherence, 6)),
                    salience=round(coherence, 6),
                )
            )
    return found


def of_two(
    caller: Iterable[NDArray[np.float64]],
    agent: Iterable[NDArray[np.float64]],
    speech: Speech,
    *,
    health: Health,
    config: ScoreConfig,
) -> list[dict[str, Any]]:
    """Find what the scan finds of two parties, and echoes where their levels are as alike as that.

    Parameters
    ----------
    caller, agent, speech, config
        As :func:`echoes`.
    health : Health
        Of the recording, or of the two files.

    Returns
    -------
    list of dict
        As :func:`workbench.timing.moments.scan`.
    """
    found = scan(speech, config)
    if health.echo_coherence is not None and health.echo_coherence >= config.echo_coherence:
        found += echoes(caller, agent, speech, lag_s=health.echo_lag_s or 0.0, config=config)
    return found


def _sums(
    caller: Iterable[NDArray[np.float64]], agent: Iterable[NDArray[np.float64]], *, lag: int, runs: Runs
) -> NDArray[np.float64]:
    """Product, both energies and count of frames a run, the agent's frames taken `lag` earlier."""
    sums = np.zeros((4, len(runs.start)))
    at, held = 0, np.zeros(lag)
    for late, early in zip(caller, agent, strict=True):
        earlier = np.concatenate([held, early])
        shifted, held = earlier[: len(late)], earlier[len(late) :]
        first, after = np.maximum(runs.start, max(at, lag)), np.minimum(runs.end, at + len(late))
        for ix in np.flatnonzero(first < after):
            here = slice(int(first[ix]) - at, int(after[ix]) - at)
            a, b = late[here], shifted[here]
            sums[:, ix] += (float(a @ b), float(a @ a), float(b @ b), len(a))
        at += len(late)
    return sums


def silences(
    track: Iterable[NDArray[np.float64]],
    runs: Runs,
    *,
    count: int,
    hop_s: float,
    threshold_dbfs: float,
    config: ScoreConfig,
) -> list[dict[str, Any]]:
    """Find the long silences of a single mixed channel: everything stopped, and nobody can say who did.

    Parameters
    ----------
    track : Track, or sequence of numpy.ndarray of float64
        Linear RMS of the channel, in pieces.
    runs : Runs
        Its runs of speech.
    count : int
        Frames of the recording.
    hop_s : float
        Seconds from frame to frame.
    threshold_dbfs : float
        Level at or above which a frame counts as speech.
    config : ScoreConfig

    Returns
    -------
    list of dict
        As :func:`scan`, with `confidence`: how far the mean level of the silence in dBFS lies under the
        threshold, 1 at 20 dB or more. Silences between two runs and after the last one; empty for no runs.
    """
    shortest = max(1, round(config.onset_min_run_s / hop_s))
    runs = runs.longer(shortest)
    start, end = runs.end, np.append(runs.start[1:], count)[: len(runs.end)]
    long_enough = (end - start) * hop_s >= config.min_gap_s
    start, end = start[long_enough], end[long_enough]
    total, at = np.zeros(len(start)), 0
    for piece in track:
        dbfs = to_dbfs(piece)
        first, after = np.maximum(start, at), np.minimum(end, at + len(piece))
        for ix in np.flatnonzero(first < after):
            total[ix] += float(dbfs[int(first[ix]) - at : int(after[ix]) - at].sum())
        at += len(piece)
    return [
        moment(
            SILENCE,
            recording=0,
            onset_s=float(first * hop_s),
            magnitude_s=float((after - first) * hop_s),
            config=config,
            confidence=round(float(np.clip((threshold_dbfs - level / (after - first)) / FULL_CONFIDENCE_DB, 0, 1)), 2),
        )
        for first, after, level in zip(start.tolist(), end.tolist(), total.tolist(), strict=True)
    ]
