"""Numbers of every frame of a recording: the first in memory, those of long recordings in a temporary file.

A *track* is what one channel holds, read piece by piece and as often as one likes; what is asked of a whole
track (its largest value, the value of a rank) takes no more memory for a day than for an hour.
"""

from __future__ import annotations

import os
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PIECE_FRAMES = 122_880
"""Frames in a piece: 20 min at a hop of 10 ms, and a row group of the archive."""

_DIGIT = 16  # bits looked at in one pass of a ranking


class Pieces:
    """Rows of float64, one a channel, that grow at their ends.

    Parameters
    ----------
    channels : int
        Rows.
    scratch : pathlib.Path, optional
        Folder of the temporary file that a second piece opens; the system's by default. It has no name and
        goes with the process.
    """

    def __init__(self, channels: int, scratch: Path | None = None) -> None:
        self.channels = channels
        self._scratch = scratch
        self._lengths: list[int] = []
        self._first = np.zeros((channels, 0))
        self._file: IO[bytes] | None = None

    def append(self, piece: NDArray[np.float64]) -> None:
        """Append a piece of shape (channels, frames)."""
        if not self._lengths:
            self._first = piece
        else:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._scratch, buffering=0)  # noqa: SIM115  # closed below
                weakref.finalize(self, self._file.close)
                self._write(self._first)
                self._first = np.zeros((self.channels, 0))
            self._write(piece)
        self._lengths.append(piece.shape[1])

    def _write(self, piece: NDArray[np.float64]) -> None:
        view = memoryview(np.ascontiguousarray(piece).reshape(-1).view(np.uint8).data)
        while view and self._file is not None:
            view = view[self._file.write(view) :]

    def __len__(self) -> int:
        return sum(self._lengths)

    def whole(self) -> NDArray[np.float64]:
        """Return all frames at once, shape (channels, frames)."""
        rows = [np.concatenate([np.zeros(0), *Track(self, (ix,))]) for ix in range(self.channels)]
        return np.stack(rows) if rows else np.zeros((0, 0))

    def rows(self, channels: Sequence[int]) -> Iterator[NDArray[np.float64]]:
        """Yield the pieces in order, each of shape (len(channels), frames)."""
        if self._file is None:
            if self._lengths:
                yield self._first[list(channels)] if len(channels) > 1 else self._first[channels[0]][None]
            return
        at = 0
        for length in self._lengths:
            yield np.stack([self._row(at + 8 * length * ix, length) for ix in channels])
            at += 8 * length * self.channels

    def _row(self, at: int, length: int) -> NDArray[np.float64]:
        row = np.empty(length)
        view, file = memoryview(row.view(np.uint8).data), self._file
        while view and file is not None:
            count = os.preadv(file.fileno(), [view], at)
            view, at = view[count:], at + count
        return row


class Track:
    """One channel of `Pieces`, or several of which the largest of each frame counts.

    Iterating yields arrays of shape (frames,) one after the other, any number of times.
    """

    def __init__(self, pieces: Pieces, channels: tuple[int, ...]) -> None:
        self._pieces, self._channels = pieces, channels

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        for rows in self._pieces.rows(self._channels):
            yield rows[0] if len(rows) == 1 else rows.max(axis=0)

    def __len__(self) -> int:
        return len(self._pieces)

    def joined(self, other: Track) -> Track:
        """Return the larger of both at each frame."""
        return Track(self._pieces, (*self._channels, *other._channels))


def ranked(track: Sequence[NDArray[np.float64]] | Track, *ranks: int) -> list[float]:
    """Return the values that ranks have in ascending order, without interpolation.

    Parameters
    ----------
    track : Track, or sequence of numpy.ndarray of float64
        At least one number, none of them negative or NaN.
    *ranks : int
        0 for the smallest, up to the count less one.

    Returns
    -------
    list of float
        One a rank. A track of several pieces is read four times a rank: the bits of a float that is not
        negative have the order of the floats, so 16 bits at a time are settled by counting.
    """
    pieces = iter(track)
    first = next(pieces)
    if next(pieces, None) is None:
        parted = np.partition(first, ranks)
        return [float(parted[rank]) for rank in ranks]
    return [_nth(track, rank) for rank in ranks]


def _nth(track: Sequence[NDArray[np.float64]] | Track, rank: int) -> float:
    found, known = 0, 0  # the bits settled so far, and how many
    for shift in range(64 - _DIGIT, -1, -_DIGIT):
        counts = np.zeros(1 << _DIGIT, np.int64)
        for piece in track:
            bits = np.ascontiguousarray(piece).view(np.uint64)
            if known:
                bits = bits[bits >> np.uint64(64 - known) == np.uint64(found)]
            digits = bits >> np.uint64(shift) & np.uint64((1 << _DIGIT) - 1)
            counts += np.bincount(digits.astype(np.int64), minlength=1 << _DIGIT)
        reached = np.cumsum(counts)
        digit = int(np.searchsorted(reached, rank, side="right"))
        rank -= int(reached[digit] - counts[digit])
        found, known = found << _DIGIT | digit, known + _DIGIT
    return float(np.uint64(found).view(np.float64))
