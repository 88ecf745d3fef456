"""Whether two recordings are one: by their samples, else by the rise and fall of their levels.

A copy that was resampled, encoded anew or made quieter has other samples and the same envelope. So the levels
of both parties, in dB, are laid over each other at every lag and correlated (Pearson). Both parties must agree
at the same lag: two takes with the same played-in caller share the caller's envelope and not the agent's. A copy
with its channels exchanged is a copy too.
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

PARTIES = ("caller", "agent")
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
    `exchanged`: found with the caller of one laid over the agent of the other.
    """

    state: str
    correlation: float | None = None
    lag_s: float | None = None
    exchanged: bool = False


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
        `unknown` where less than 2 s can be laid over each other, nobody is heard on either, or one party agrees
        and the other does not move by a dB on a side. Of two parties, both orders are tried.
    """
    if first_pcm is not None and first_pcm == second_pcm:
        return Freshness(state=SAME_PCM, correlation=1.0)
    a, b = _even(first), _even(second)
    shorter = min(a.shape[1], b.shape[1])
    least = max(shorter // 2, round(SHORTEST_S / GRID_S))
    if shorter < least or a.shape[0] != b.shape[0]:
        return Freshness(state=UNKNOWN)
    found = _laid(a, b, least=least)
    if found.state == SAME_ENVELOPE or len(a) != len(PARTIES):
        return found
    crossed = _laid(a, b[::-1], least=least)
    return msgspec.structs.replace(crossed, exchanged=True) if crossed.state == SAME_ENVELOPE else found


def _laid(a: NDArray[np.float64], b: NDArray[np.float64], *, least: int) -> Freshness:
    """Compare the parties in the order in which they stand.

    A party that does not move by a dB tells nothing. Where the other one agrees it is not known whether the
    recordings are one.
    """
    tracks = [_correlated(x, y, least=least) for x, y in zip(a, b, strict=True) if x.any() or y.any()]
    if not tracks:
        return Freshness(state=UNKNOWN)
    values = np.array(tracks)
    told = np.isfinite(values)
    lowest = np.where(told, values, 1.0).min(axis=0)
    whole, some = told.all(axis=0), told.any(axis=0)
    agree = lowest >= CORRELATION
    if not some.any() or ((some & agree).any() and not (whole & agree).any()):
        return Freshness(state=UNKNOWN)
    lags = whole if whole.any() else some
    best = int(np.argmax(np.where(lags, lowest, -2.0)))
    value = float(lowest[best])
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
    """Pearson's correlation of the frames in common at each lag.

    NaN where there are fewer than `least`, or both lie within a dB of their means there, or one does throughout:
    that tells nothing. One that moves elsewhere and not here is no copy: 0.
    """
    size = len(x) + len(y) - 1
    fast = 1 << (size - 1).bit_length()
    lag = np.arange(size) - (len(y) - 1)
    begin, end = np.maximum(0, lag), np.minimum(len(x), len(y) + lag)
    count = end - begin

    def over(row: NDArray[np.float64], shift: NDArray[np.intp]) -> NDArray[np.float64]:
        total = np.concatenate([[0.0], np.cumsum(row)])
        part: NDArray[np.float64] = total[end - shift] - total[begin - shift]
        return part

    none = np.zeros_like(lag)
    sum_x, sum_y = over(x, none), over(y, lag)
    spread_x, spread_y = over(x * x, none) - sum_x**2 / count, over(y * y, lag) - sum_y**2 / count
    products = np.fft.irfft(np.fft.rfft(x, fast) * np.fft.rfft(y[::-1], fast), fast)[:size]
    moves_x, moves_y = spread_x > count, spread_y > count
    one_flat = moves_x ^ moves_y if x.var() > 1 and y.var() > 1 else np.zeros(size, bool)
    scale = np.sqrt(np.where(moves_x & moves_y, spread_x * spread_y, 1.0))
    value = np.clip((products - sum_x * sum_y / count) / scale, -1.0, 1.0)
    value = np.where(one_flat, 0.0, np.where(moves_x & moves_y, value, np.nan))
    return np.where(count >= least, value, np.nan)
