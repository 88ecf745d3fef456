"""A digest of one channel's samples that silence before and after them does not change, taken as they are read."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_PIECE = 1 << 16


class SoundDigest:
    """SHA-256 of the samples from the first that is not 0 to the last.

    Joining two tracks to one file delays one of them and fills up the shorter: what is put in is digital silence.
    """

    def __init__(self) -> None:
        self._digest = hashlib.sha256()
        self._begun = False
        self._zeros = 0

    def update(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples.

        Parameters
        ----------
        samples : numpy.ndarray of int16, shape (samples,)
            Any number of them.
        """
        samples = np.ascontiguousarray(samples)
        if not self._begun:
            samples = samples[_leading(samples) :]
        last = len(samples) - _leading(samples[::-1])
        if not last:
            self._zeros += len(samples) if self._begun else 0
            return
        self._begun = True
        while self._zeros:
            count = min(self._zeros, _PIECE)
            self._digest.update(bytes(2 * count))
            self._zeros -= count
        self._digest.update(samples[:last].data)
        self._zeros = len(samples) - last

    def hexdigest(self) -> str:
        """Return the digest so far: 64 hex digits, those of nothing where every sample is 0."""
        return self._digest.hexdigest()


def _leading(samples: NDArray[np.int16]) -> int:
    """How many zeros come first."""
    for at in range(0, len(samples), _PIECE):
        loud = samples[at : at + _PIECE] != 0
        if loud.any():
            return at + int(loud.argmax())
    return len(samples)
