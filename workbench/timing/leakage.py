"""Does one channel carry the other's sound? Three measures, from rough to certain.

*Coherence* is the best cosine between the two level envelopes of the whole recording over delays up to 0.5
s, in both directions: near 1 where one channel is an echo of the other, but high as well where two people
often talk at once, and low where bleed is diluted by other speech. *Leakage* looks frame by frame: bleed is
one sound with one gain and one delay, so the level of the copy against its source is the same on every
frame it appears in. *Waveform agreement* looks at the samples: copies correlate, different voices do not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MAX_LAG_S = 0.5
MIN_OVERLAP_FRAMES = 8
MIN_COPY_FRAMES = 12
SAME_RATIO_DB = 3.0  # half the width of the band of ratios that count as one gain
MIN_AGREEMENT = 0.85  # share of frames that must agree
MIN_COVERAGE = 0.5  # share of the source's speech that must reappear
LOUDEST_COPY_DB = -6.0  # above it, two people talking at the same level cannot be told from a copy
FAINTEST_COPY_DB = -50.0
_SEARCHED_FRAMES = 2048
_PIECE = 8192  # frames multiplied at once: longer dot products start threads that cost more than they save


class Coherence(msgspec.Struct, frozen=True, kw_only=True):
    """Best cosine (0..1) and its delay in seconds, positive where the second envelope leads the first."""

    value: float
    lag_s: float


class Copy(msgspec.Struct, frozen=True, kw_only=True):
    """A steady copy of one channel in another: its level against the source in dB, and its delay."""

    level_db: float
    lag_s: float
    agreement: float
    coverage: float


def coherence(first: NDArray[np.float64], second: NDArray[np.float64], *, hop_s: float) -> Coherence | None:
    """Return how much alike two level envelopes are at the best delay.

    Parameters
    ----------
    first, second : numpy.ndarray of float64, shape (frames,)
        Linear RMS, not dB.
    hop_s : float
        Seconds from frame to frame.

    Returns
    -------
    Coherence or None
        None for fewer than 8 frames or a channel with no energy: a cosine is then undefined. Of equal
        values the shortest delay is kept.
    """
    if min(len(first), len(second)) < MIN_OVERLAP_FRAMES:
        return None
    forward, backward = _cosines(first, second, hop_s), _cosines(second, first, hop_s)
    best: Coherence | None = None
    for lag in range(len(forward)):
        for sign, value in ((1, forward[lag]), (-1, backward[lag])):
            if np.isfinite(value) and (best is None or value > best.value + 1e-12):
                best = Coherence(value=float(value), lag_s=sign * lag * hop_s)
    return best


def _cosines(late: NDArray[np.float64], early: NDArray[np.float64], hop_s: float) -> NDArray[np.float64]:
    n = len(late)
    lags = min(round(MAX_LAG_S / hop_s), n - MIN_OVERLAP_FRAMES)
    from_here = np.cumsum((late * late)[::-1])[::-1][: lags + 1]
    up_to = np.cumsum(early * early)[::-1][: lags + 1]
    delayed = np.lib.stride_tricks.sliding_window_view(np.append(late, np.zeros(lags)), n)
    products = np.zeros(lags + 1)
    for at in range(0, n, _PIECE):
        products += np.vecdot(delayed[:, at : at + _PIECE], early[at : at + _PIECE])
    norms = np.sqrt(from_here) * np.sqrt(up_to)
    cosines: NDArray[np.float64] = np.divide(products, norms, out=np.full(lags + 1, np.nan), where=norms > 0)
    return cosines


def copy_of(
    source_dbfs: NDArray[np.float64],
    other_dbfs: NDArray[np.float64],
    *,
    source_active: NDArray[np.bool_],
    other_active: NDArray[np.bool_],
    hop_s: float,
) -> Copy | None:
    """Return the steady copy of a source in the other channel, if there is one.

    For every delay up to 0.5 s the level ratio is taken on the frames where the source spoke that long
    before and the other channel is active now. The 6 dB band that holds most ratios gives the gain; the
    delay whose band holds most wins. Ratios above the band are forgiven, since the other party's own
    speech can only add to a copy; ratios below it speak against one. It is a copy when at least 0.85 of
    the ratios in or below the band lie in it, when they cover at least half of the source's speech, and
    when the gain (the median in the band) is between -50 and -6 dB. The delay is searched on at most
    2,048 frames spread evenly over the source's speech, and the winner is then measured on all of them.

    Parameters
    ----------
    source_dbfs, other_dbfs : numpy.ndarray of float64, shape (frames,)
        Levels of both channels.
    source_active, other_active : numpy.ndarray of bool, shape (frames,)
        Their speech.
    hop_s : float
        Seconds from frame to frame.

    Returns
    -------
    Copy or None
        None as well for no frames.
    """
    if not len(source_dbfs):
        return None
    frames = np.flatnonzero(source_active & (source_dbfs > source_dbfs.max() - 60.0))
    heard = other_active & (other_dbfs > other_dbfs.max() - 70.0)
    if len(frames) < MIN_COPY_FRAMES:
        return None
    lags = range(min(round(MAX_LAG_S / hop_s), len(source_dbfs) - 1) + 1)
    spoke = int(source_active.sum())
    before = np.concatenate([[0], np.cumsum(heard)])
    again = before[np.minimum(np.arange(len(heard)) + len(lags), len(heard))] > before[:-1]
    if np.count_nonzero(source_active & again) < MIN_COVERAGE * spoke:
        return None  # too few of the source's frames are heard again within any of the delays
    some = frames[:: -(-len(frames) // _SEARCHED_FRAMES)]
    counts = [_band(_ratios(source_dbfs, other_dbfs, frames=_later(heard, some, lag), lag=lag))[1] for lag in lags]
    lag = int(np.argmax(counts))
    ratios = _ratios(source_dbfs, other_dbfs, frames=_later(heard, frames, lag), lag=lag)
    low, inside, below = _band(ratios)
    if inside < MIN_COPY_FRAMES:
        return None
    level = float(np.median(ratios[low : low + inside]))
    agreement, coverage = inside / (inside + below), inside / spoke
    if agreement < MIN_AGREEMENT or coverage < MIN_COVERAGE or not FAINTEST_COPY_DB <= level <= LOUDEST_COPY_DB:
        return None
    return Copy(level_db=level, lag_s=lag * hop_s, agreement=agreement, coverage=coverage)


def _later(heard: NDArray[np.bool_], frames: NDArray[np.int64], lag: int) -> NDArray[np.int64]:
    frames = frames[: np.searchsorted(frames, len(heard) - lag)]
    return frames[heard[frames + lag]]


def _ratios(
    source: NDArray[np.float64], other: NDArray[np.float64], *, frames: NDArray[np.int64], lag: int
) -> NDArray[np.float64]:
    return np.sort(other[frames + lag] - source[frames])


def _band(ratios: NDArray[np.float64]) -> tuple[int, int, int]:
    """Where the fullest band begins among sorted ratios, how many it holds, how many lie below it."""
    if not len(ratios):
        return 0, 0, 0
    held = np.searchsorted(ratios, ratios + 2 * SAME_RATIO_DB, side="right") - np.arange(len(ratios))
    low = int(np.argmax(held))
    return low, int(held[low]), low


def waveform_agreement(first: NDArray[np.int16], second: NDArray[np.int16], *, sample_rate_hz: int) -> float:
    """Return the largest normalised cross-correlation of two stretches of samples over delays up to 0.5 s.

    Parameters
    ----------
    first, second : numpy.ndarray of int16, shape (samples,)
        The same stretch of both channels.
    sample_rate_hz : int
        Samples a second.

    Returns
    -------
    float
        0..1; near 1 for a copy, near 0 for two voices; 0 where a stretch is silent or empty.
    """
    a, b = first.astype(np.float64), second.astype(np.float64)
    norm = float(np.sqrt(np.dot(a, a)) * np.sqrt(np.dot(b, b)))
    if not len(a) or norm == 0.0:
        return 0.0
    lags = min(len(a) - 1, round(MAX_LAG_S * sample_rate_hz))
    size = 1 << (2 * len(a) - 1).bit_length()
    product = np.fft.irfft(np.fft.rfft(a, size) * np.conj(np.fft.rfft(b, size)), size)
    near = np.concatenate([product[: lags + 1], product[size - lags :]])
    return min(1.0, float(np.abs(near).max()) / norm)
