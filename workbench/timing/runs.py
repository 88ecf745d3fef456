"""Runs of speech of both parties of any number of recordings on one line of frames.

Scoring needs to know when each party speaks and nothing else. So the runs of all recordings are laid one
after the other on one line, and a question about a thousand moments is a handful of searches in sorted
numbers instead of a walk over the frames of a thousand calls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Runs(msgspec.Struct, frozen=True, kw_only=True):
    """Runs of one party, in frames: sorted, apart from one another; `end` and `voiced_end` are exclusive.

    Up to `end` the hangover counts as speech, at `voiced_end` the last loud frame is over. Whether somebody
    was speaking is asked of the former, when somebody stopped of the latter.
    """

    start: NDArray[np.int64]
    end: NDArray[np.int64]
    voiced_end: NDArray[np.int64]

    def longer(self, frames: NDArray[np.int64] | int) -> Runs:
        """Return the runs with at least so many frames."""
        keep = self.end - self.start >= frames
        return Runs(start=self.start[keep], end=self.end[keep], voiced_end=self.voiced_end[keep])

    def after(self, frame: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the position of the first run that starts after each frame; the number of runs where none does."""
        return np.searchsorted(self.start, frame, side="right")

    def reaching(self, frame: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the position of the first run that ends after each frame."""
        return np.searchsorted(self.end, frame, side="right")

    def voiced(self, frame: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the position of the first run that is still loud after each frame."""
        return np.searchsorted(self.voiced_end, frame, side="right")


class Speech(msgspec.Struct, frozen=True, kw_only=True):
    """Runs of the caller and of the agent, and where each recording lies on the line.

    Recording ``i`` holds the frames ``first[i]`` up to but not including ``after[i]``; ``hop_s[i]`` is its
    distance of two frames and ``pad[i]`` its hangover in frames.
    """

    caller: Runs
    agent: Runs
    first: NDArray[np.int64]
    after: NDArray[np.int64]
    hop_s: NDArray[np.float64]
    pad: NDArray[np.int64]


def joined(start: NDArray[np.int64], end: NDArray[np.int64], voiced_end: NDArray[np.int64]) -> Runs:
    """Return the runs of a party that several channels carry: sorted, those that touch made one.

    Parameters
    ----------
    start, end, voiced_end : numpy.ndarray of int64, shape (runs,)
        In any order; empty gives empty.

    Returns
    -------
    Runs
        It ends, and is loud, as long as the longest of those it was made of.
    """
    if not len(start):
        return Runs(start=start, end=end, voiced_end=voiced_end)
    order = np.argsort(start, kind="stable")
    start, end, voiced_end = start[order], np.maximum.accumulate(end[order]), voiced_end[order]
    first = np.flatnonzero(np.append(True, start[1:] > end[:-1]))
    return Runs(
        start=start[first],
        end=np.maximum.reduceat(end, first),
        voiced_end=np.maximum.reduceat(voiced_end, first),
    )


def common(first: Runs, second: Runs) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the stretches in which both are within a run up to its last loud frame.

    Parameters
    ----------
    first, second : Runs
        Of two parties.

    Returns
    -------
    tuple of numpy.ndarray of int64, shape (stretches,)
        Starts and ends; empty where they never are.
    """
    ends = np.concatenate([first.voiced_end, second.voiced_end])
    starts = np.concatenate([first.start, second.start])
    places = np.concatenate([starts, ends])
    change = np.concatenate([np.ones(len(starts), np.int64), -np.ones(len(ends), np.int64)])
    order = np.lexsort((change, places))  # an end before a start at the same frame
    speaking = np.cumsum(change[order])
    both = np.flatnonzero(speaking == 2)
    return places[order][both], places[order][both + 1]


def frames_before(starts: NDArray[np.int64], ends: NDArray[np.int64], frame: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many frames of the stretches lie before each frame.

    Parameters
    ----------
    starts, ends : numpy.ndarray of int64, shape (stretches,)
        Sorted, apart from one another.
    frame : numpy.ndarray of int64, any shape

    Returns
    -------
    numpy.ndarray of int64
        Same shape as `frame`.
    """
    total = np.concatenate([[0], np.cumsum(ends - starts)])
    ix = np.searchsorted(starts, frame, side="right")
    last = np.maximum(ix - 1, 0)
    if not len(starts):
        return np.zeros_like(frame)
    inside = np.where(ix > 0, np.minimum(frame, ends[last]) - starts[last], 0)
    counted: NDArray[np.int64] = total[last] + inside
    return counted
