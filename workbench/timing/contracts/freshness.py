"""Whether two recordings are one: by their samples, else by the rise and fall of their levels.

A copy that was resampled, encoded anew or made quieter has other samples and the same envelope. So the levels
of both parties, in dB, are laid over each other at every lag and correlated (Pearson). Both parties must agree
at the same lag: two takes with the same played-in caller share the caller's envelope and not the agent's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SAME_PCM, SAME_ENVELOPE, DIFFERENT, UNKNOWN = "same_pcm", "same_envelope", "different", "unknown"

CORRELATION = 0.82
"""At or above it two envelopes are of one recording. Of the bundled two-channel clips, copies (other rates, 20 dB
quieter, MP3, OGG, mu-law) reach 0.99, and 0.87 where halving the rate took away what was heard; pairs of different
clips stay below 0.41, and bursts of noise in which both parties begin and end alike below 0.76."""

RANGE_DB = 20.0
"""Levels further below the loudest frame of a party count as that far: codecs and dither fill silence differently,
and that two parties begin and end alike must not make two takes one."""

GRID_S = 0.01
SHORTEST_S = 2.0
"""Recordings with less in common are not compared."""


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """Levels in dBFS, shape (parties, frames), and the seconds from frame to frame."""

    dbfs: NDArray[np.float64]
    hop_s: float


class Freshness(msgspec.Struct, frozen=True, kw_only=True):
    """What two recordings are to each other.

    `state` is `same_pcm`, `same_envelope`, `different`, or `unknown` where there is too little to compare.
    `lag_s` is how much later the second begins in the first; None where samples decided, or nothing did.
    """

    state: str
    correlation: float | None = None
    lag_s: float | None = None


def freshness(
    first: Envelope, second: Envelope, *, first_pcm: str | None = None, second_pcm: str | None = None
) -> Freshness:
    """Tell whether two recordings are the same sound.

    Parameters
    ----------
    first, second : Envelope
        Of as many parties each, in the same order.
    first_pcm, second_pcm : str, optional
        SHA-256 of their decoded samples.

    Returns
    -------
    Freshness
        `unknown` where less than 2 s can be laid over each other, or nobody is heard on either.
    """
    if first_pcm is not None and first_pcm == second_pcm:
        return Freshness(state=SAME_PCM, correlation=1.0)
    a, b = _even(first), _even(second)
    shorter = min(a.shape[1], b.shape[1])
    least = max(shorter // 2, round(SHORTEST_S / GRID_S))
    if shorter < least or a.shape[0] != b.shape[0]:
        return Freshness(state=UNKNOWN)
    found = [_correlated(x, y, least=least) for x, y in zip(a, b, strict=True) if x.any() or y.any()]
    if not found:
        return Freshness(state=UNKNOWN)
    together = np.min(found, axis=0)
    best = int(np.argmax(together))
    value = float(together[best])
    state = SAME_ENVELOPE if value >= CORRELATION else DIFFERENT
    lag_s = round((best - (b.shape[1] - 1)) * GRID_S, 6)
    return Freshness(state=state, correlation=round(value, 4), lag_s=lag_s)


def _even(envelope: Envelope) -> NDArray[np.float64]:
    """Levels above the lowest that counts, less their mean, at 10 ms from frame to frame."""
    count = envelope.dbfs.shape[1]
    if not count:
        return np.zeros_like(envelope.dbfs)
    times = np.arange(count) * envelope.hop_s
    at = np.arange(int(times[-1] / GRID_S + 1e-6) + 1) * GRID_S
    rows = np.stack([np.interp(at, times, row) for row in envelope.dbfs])
    rows = np.maximum(rows, rows.max(axis=1, keepdims=True) - RANGE_DB)
    level: NDArray[np.float64] = rows - rows.mean(axis=1, keepdims=True)
    level[np.abs(level).max(axis=1) < 1e-6] = 0.0
    return level


def _correlated(x: NDArray[np.float64], y: NDArray[np.float64], *, least: int) -> NDArray[np.float64]:
    """Pearson's correlation of the frames in common at each lag; -1 where there are fewer than `least`."""
    size = len(x) + len(y) - 1
    fast = 1 << (size - 1).bit_length()

    def over(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.fft.irfft(np.fft.rfft(left, fast) * np.fft.rfft(right[::-1], fast), fast)[:size]

    ones_x, ones_y = np.ones(len(x)), np.ones(len(y))
    count = np.maximum(1.0, np.rint(over(ones_x, ones_y)))
    sum_x, sum_y = over(x, ones_y), over(ones_x, y)
    spread_x, spread_y = over(x * x, ones_y) - sum_x**2 / count, over(ones_x, y * y) - sum_y**2 / count
    both = over(x, y) - sum_x * sum_y / count
    scale = np.sqrt(np.maximum(spread_x, 0) * np.maximum(spread_y, 0))
    moves = (spread_x > count) & (spread_y > count)  # a party within a dB of its mean throughout tells nothing
    value = np.where(moves, both / np.where(moves, scale, 1.0), 0.0)
    return np.where(count >= least, np.clip(value, -1.0, 1.0), -1.0)
