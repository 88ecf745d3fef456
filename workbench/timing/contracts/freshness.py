"""Whether two recordings are one: by their samples, else by the rise and fall of their levels.

A copy that was resampled, encoded anew or made quieter has other samples and the same envelope. So the levels
of both parties, in dB, are laid over each other at every lag and correlated (Pearson). Both parties must agree
at the same lag: two takes with the same played-in caller share the caller's envelope and not the agent's. A copy
with its channels exchanged is a copy too, and so is one that runs up to 3 % faster or slower throughout.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.timing.stated_roles import PARTIES

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

SPEED_STEP, SPEED_STEPS = 0.005, 6
"""Where two recordings are not one as they stand, speeds up to 3 % either way are tried, from coarse to fine. A copy
that is 1 % faster may reach only 0.76 as it stands, and 0.99 at its speed; of different clips none reaches 0.5."""


class Envelope(msgspec.Struct, frozen=True, kw_only=True):
    """Levels in dBFS, shape (parties, frames), and the seconds from frame to frame."""

    dbfs: NDArray[np.float64]
    hop_s: float


class Freshness(msgspec.Struct, frozen=True, kw_only=True):
    """What two recordings are to each other.

    `state` is `same_pcm`, `same_envelope`, `different`, or `unknown` where there is too little to compare.
    `lag_s` is how much later the second begins in the first; None where samples decided, or nothing did.
    `exchanged`: found with the caller of one laid over the agent of the other. `speed`: how many times as fast the
    second runs as the first.
    """

    state: str
    correlation: float | None = None
    lag_s: float | None = None
    exchanged: bool = False
    speed: float = 1.0


def freshness(
    first: Envelope,
    second: Envelope,
    *,
    first_pcm: str | None = None,
    second_pcm: str | None = None,
    any_speed: bool = True,
) -> Freshness:
    """Tell whether two recordings are the same sound.

    Parameters
    ----------
    first, second : Envelope
        Of as many parties each, in the same order.
    first_pcm, second_pcm : str, optional
        SHA-256 of their decoded samples.
    any_speed : bool
        Whether other speeds are tried too, which takes ten times as long where the recordings are two.

    Returns
    -------
    Freshness
        `unknown` where less than 2 s can be laid over each other, nobody is heard on either, or one party agrees
        and the other does not move by a dB on a side. Of two parties, both orders are tried, and each at other speeds.
    """
    if first_pcm is not None and first_pcm == second_pcm:
        return Freshness(state=SAME_PCM, correlation=1.0)
    a, b = _even(first), _even(second)
    shorter = min(a.shape[1], b.shape[1])
    least = max(shorter // 2, round(SHORTEST_S / GRID_S))
    if shorter < least or a.shape[0] != b.shape[0]:
        return Freshness(state=UNKNOWN)
    found = _laid(a, b, least=least)[0]
    if found.state == SAME_ENVELOPE:
        return found
    turned = b[::-1] if len(b) == len(PARTIES) else None
    if turned is not None and (crossed := _laid(a, turned, least=least)[0]).state == SAME_ENVELOPE:
        return msgspec.structs.replace(crossed, exchanged=True)
    if found.state == UNKNOWN or not any_speed:
        return found
    faster = _at_its_speed(a, b)
    if faster.state != DIFFERENT:
        return faster
    if turned is not None and (crossed := _at_its_speed(a, turned)).state == SAME_ENVELOPE:
        return msgspec.structs.replace(crossed, exchanged=True)
    return found


def _at_its_speed(a: NDArray[np.float64], b: NDArray[np.float64]) -> Freshness:
    """Compare at the speed at which the second agrees best.

    The longer a recording, the finer must the speed be known. So it is looked for on blocks as long as the drift
    between two speeds that are tried, then on shorter ones around the best, down to the frames themselves.
    """
    length = min(a.shape[1], b.shape[1])
    step = SPEED_STEP
    speeds = [1.0 + step * ix for ix in range(-SPEED_STEPS, SPEED_STEPS + 1)]
    while True:
        block = max(1, round(step * length / 4))
        first, seconds = _blocks(a, block), [_blocks(_run_at(b, speed), block) for speed in speeds]
        least = max(1, max(length // 2, round(SHORTEST_S / GRID_S)) // block - 1)
        found = [_laid(first, second, least=least) for second in seconds]
        best = max(range(len(found)), key=lambda ix: found[ix][1])
        if step * length < 2:
            return msgspec.structs.replace(found[best][0], speed=round(speeds[best], 6))
        step /= 2
        speeds = [speeds[best] + step * ix for ix in (-1, 0, 1)]


def _run_at(levels: NDArray[np.float64], speed: float) -> NDArray[np.float64]:
    """Levels of what runs `speed` times as fast, as they would be at the speed of the other."""
    count = levels.shape[1]
    at = np.arange(int((count - 1) * speed) + 1) / speed
    return np.stack([np.interp(at, np.arange(count), row) for row in levels])


def _blocks(levels: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    """Means over `size` frames each; frames at the end that fill none are left out."""
    parties, count = levels.shape
    means: NDArray[np.float64] = levels[:, : count // size * size].reshape(parties, -1, size).mean(axis=2)
    return means


def _laid(a: NDArray[np.float64], b: NDArray[np.float64], *, least: int) -> tuple[Freshness, float]:
    """Compare the parties in the order in which they stand; beside it, how far those that tell something agree.

    A party that does not move by a dB tells nothing. Where the other one agrees it is not known whether the
    recordings are one.
    """
    tracks = [_correlated(x, y, least=least) for x, y in zip(a, b, strict=True) if x.any() or y.any()]
    if not tracks:
        return Freshness(state=UNKNOWN), -2.0
    values = np.array(tracks)
    told = np.isfinite(values)
    lowest = np.where(told, values, 1.0).min(axis=0)
    whole, some = told.all(axis=0), told.any(axis=0)
    agree = lowest >= CORRELATION
    lags = whole if whole.any() else some
    best = int(np.argmax(np.where(lags, lowest, -2.0)))
    value = float(lowest[best])
    if not some.any() or ((some & agree).any() and not (whole & agree).any()):
        return Freshness(state=UNKNOWN), value if some.any() else -2.0
    state = SAME_ENVELOPE if value >= CORRELATION else DIFFERENT
    lag_s = round((best - (b.shape[1] - 1)) * GRID_S, 6)
    return Freshness(state=state, correlation=round(value, 4), lag_s=lag_s), value


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
