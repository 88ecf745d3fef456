"""Mains hum: how far 50 or 60 Hz stands out of the spectrum around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WINDOW_S = 1.0
HALF_WIDTH_HZ = 1.0
NEAR_HZ, FAR_HZ = 4.0, 7.0


class HumSpectrum:
    """Mean power spectrum up to 80 Hz, of Hann windows of 1 s that overlap by half (Welch, 1967).

    Parameters
    ----------
    sample_rate_hz : int
        Samples a second.
    """

    def __init__(self, sample_rate_hz: int) -> None:
        self._size = round(WINDOW_S * sample_rate_hz)
        self._window = np.hanning(self._size + 1)[:-1]
        self.frequencies_hz = np.fft.rfftfreq(self._size, 1 / sample_rate_hz)[: round(80 * WINDOW_S) + 1]
        self.power = np.zeros(len(self.frequencies_hz))
        self.windows = 0

    def add(self, piece: NDArray[np.int16]) -> None:
        """Add the windows that lie wholly in a piece; a piece shorter than 1 s has none."""
        for first in range(0, len(piece) - self._size + 1, max(self._size // 2, 1)):
            part = piece[first : first + self._size].astype(np.float64)
            spectrum = np.fft.rfft((part - part.mean()) * self._window)[: len(self.power)]
            self.power += np.abs(spectrum) ** 2
            self.windows += 1


def hum_db(spectrum: HumSpectrum, mains_hz: float) -> float | None:
    """Return the level at a mains frequency above its neighbours.

    Parameters
    ----------
    spectrum : HumSpectrum
        Of the whole stretch.
    mains_hz : float
        50 or 60 Hz.

    Returns
    -------
    float or None
        ``10 log10(mean P(|f - mains| <= 1 Hz) / median P(4 Hz <= |f - mains| <= 7 Hz))`` in dB: about 0 to 2 without
        hum. None for less than 1 s of sound, where the neighbours hold nothing (digital silence), and below a
        sample rate of 160 Hz.
    """
    if not spectrum.windows or spectrum.frequencies_hz[-1] < mains_hz + FAR_HZ:
        return None
    distance = np.abs(spectrum.frequencies_hz - mains_hz)
    at = spectrum.power[distance <= HALF_WIDTH_HZ + 1e-9].mean()
    around = np.median(spectrum.power[(distance >= NEAR_HZ - 1e-9) & (distance <= FAR_HZ + 1e-9)])
    if not around > 0:
        return None
    return float(10 * np.log10(max(at, 1e-30) / around))
