"""How far the samples of two channels agree where one seems to carry the other's sound.

Levels alone cannot tell a loud copy from a second person who happens to speak as loud; samples can. They are compared
only in the frames in which the copy would be heard alone, since the other party's own speech hides it elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def densest(frames: NDArray[np.int64], *, width: int) -> NDArray[np.int64]:
    """Return the frames that lie in the stretch of a length that holds most of them, the first of equal ones.

    Parameters
    ----------
    frames : numpy.ndarray of int64
        Rising.
    width : int
        Length of the stretch in frames, at least 1.

    Returns
    -------
    numpy.ndarray of int64
        Empty for no frames.

    Examples
    --------
    >>> densest(np.array([1, 50, 51, 52, 90]), width=10).tolist()
    [50, 51, 52]
    """
    if not len(frames):
        return frames
    held = np.searchsorted(frames, frames + width) - np.arange(len(frames))
    first = int(np.argmax(held))
    return frames[first : first + int(held[first])]


def agreement_in(
    source: NDArray[np.float64],
    other: NDArray[np.float64],
    *,
    starts: NDArray[np.int64],
    window: int,
    lag: int,
    slack: int,
) -> float:
    """Return the largest normalised cross-correlation of some windows of a channel with another one a little later.

    Parameters
    ----------
    source, other : numpy.ndarray of float64, shape (samples,)
        The same stretch of both channels.
    starts : numpy.ndarray of int64
        First sample of each window of the source, rising; windows may overlap.
    window : int
        Length of a window in samples.
    lag : int
        How much later the copy is thought to come, in samples, at least 0.
    slack : int
        How far from there it is looked for to either side, in samples.

    Returns
    -------
    float
        0..1; near 1 for a copy, near 0 for two voices; 0 where nothing is heard in the windows. Means are taken out
        first, so that a constant offset in both channels is no copy.
    """
    flags = np.zeros(len(source) + 1)
    np.add.at(flags, np.minimum(starts, len(source)), 1.0)
    np.add.at(flags, np.minimum(starts + window, len(source)), -1.0)
    inside = (np.cumsum(flags[:-1]) > 0).astype(np.float64)
    if not inside.any():
        return 0.0
    a = (source - float(source[inside > 0].mean())) * inside
    b = other - float(other.mean())
    lags = np.arange(lag - slack, lag + slack + 1)
    size = 1 << (len(a) + int(np.abs(lags).max())).bit_length()
    heard = np.fft.rfft(np.stack([b, b * b]), size)
    products, energies = np.fft.irfft(np.conj(np.fft.rfft(np.stack([a, inside]), size)) * heard, size)[:, lags]
    norms = np.sqrt(float(np.dot(a, a)) * np.maximum(energies, 0.0))
    found = np.divide(np.abs(products), norms, out=np.zeros(len(lags)), where=norms > 1e-6 * len(a))
    return min(1.0, float(found.max()))
