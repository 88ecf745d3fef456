"""Runs of speech: from one flag a frame to starts and ends in seconds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from workbench.timing.runs import Runs

if TYPE_CHECKING:
    from numpy.typing import NDArray

FORGIVEN_S = 1e-6
"""How much later than its frame a time may lie: times are kept to the microsecond, and no sample is that short."""


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
    found: Runs, *, hop_s: float, offset_s: float = 0.0, duration_s: float | None = None
) -> list[tuple[float, float, float]]:
    """Return runs of speech in seconds on the call's clock, to the microsecond.

    Parameters
    ----------
    found : Runs
        Of one channel; frame ``n`` begins at ``n * hop_s``.
    hop_s : float
        Seconds from frame to frame, above 0.
    offset_s : float
        Start of the recording on the call's clock.
    duration_s : float, optional
        Length of the recording; no run ends after it.

    Returns
    -------
    list of (start_s, end_s, voiced_end_s)
        In order, never touching; empty for no speech.
    """
    latest = np.inf if duration_s is None else duration_s
    starts, ends, voiced = found.start * hop_s, found.end * hop_s, found.voiced_end * hop_s
    times = [starts, np.minimum(ends, latest), np.minimum(voiced, latest)]
    return list(zip(*(np.round(time + offset_s, 6).tolist() for time in times), strict=True))


def frame_after(time_s: NDArray[np.float64], hop_s: NDArray[np.float64] | float) -> NDArray[np.int64]:
    """Return the first frame that begins at a time or later, the way back from :func:`segments`.

    Parameters
    ----------
    time_s : numpy.ndarray of float64, any shape
        Ends of runs in seconds from the start of their recording, as they are kept: to the microsecond.
    hop_s : float or numpy.ndarray of float64
        Seconds from frame to frame, above 0.

    Returns
    -------
    numpy.ndarray of int64
        Shape of `time_s`. An end that the recording's end cut short counts its last, partial frame.
    """
    found: NDArray[np.int64] = np.ceil((time_s - FORGIVEN_S) / hop_s).astype(np.int64)
    return found
