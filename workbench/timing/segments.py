"""Runs of speech: from one flag a frame to starts and ends in seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def runs(active: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first frame of every run of true values, and the frame after its last.

    Parameters
    ----------
    active : numpy.ndarray of bool, shape (frames,)

    Returns
    -------
    tuple of numpy.ndarray of int64, shape (runs,)
        Starts and ends; empty where nothing is true.
    """
    edges = np.flatnonzero(np.concatenate([active[:1], active[1:] != active[:-1], active[-1:]]))
    return edges[0::2], edges[1::2]


def segments(
    active: NDArray[np.bool_], *, hop_s: float, offset_s: float = 0.0, duration_s: float | None = None
) -> list[tuple[float, float]]:
    """Return the runs of speech in seconds on the call's clock, to the microsecond.

    Parameters
    ----------
    active : numpy.ndarray of bool, shape (frames,)
        One flag a frame; frame ``n`` begins at ``n * hop_s``.
    hop_s : float
        Seconds from frame to frame, above 0.
    offset_s : float
        Start of the recording on the call's clock.
    duration_s : float, optional
        Length of the recording; no run ends after it.

    Returns
    -------
    list of (start_s, end_s)
        In order, never touching; empty for no speech.
    """
    first, after = runs(active)
    starts, ends = first * hop_s, after * hop_s
    if duration_s is not None:
        ends = np.minimum(ends, duration_s)
    return list(zip(np.round(starts + offset_s, 6).tolist(), np.round(ends + offset_s, 6).tolist(), strict=True))
