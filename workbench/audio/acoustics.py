"""How a stretch of one voice sounds: pitch, level, spectrum, bandwidth, hum, clipping (extra `audio`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.audio.acoustic_config import AcousticConfig
from workbench.audio.acoustic_frames import PieceFeatures, piece_features
from workbench.audio.frames import CLIP_AT
from workbench.audio.hum import HumSpectrum, hum_db

if TYPE_CHECKING:
    from numpy.typing import NDArray

LEAST_VOICED = 5
"""Voiced frames (50 ms of voice) below which no fundamental frequency is given."""


@dataclass(frozen=True, kw_only=True)
class Acoustics:
    """How a stretch sounds. None: not measured, and `reason` says why; for single figures see the table."""

    f0_median_hz: float | None = None
    f0_p10_hz: float | None = None
    f0_p90_hz: float | None = None
    voiced_fraction: float | None = None
    level_dbfs: float | None = None
    centroid_hz: float | None = None
    flatness: float | None = None
    rolloff_hz: float | None = None
    bandwidth_hz: float | None = None
    narrow_band: bool | None = None
    hum_50_db: float | None = None
    hum_60_db: float | None = None
    clipped_fraction: float | None = None
    reason: str | None = None


def acoustics(
    pieces: Iterable[NDArray[np.int16]], sample_rate_hz: int, *, config: AcousticConfig | None = None
) -> Acoustics:
    """Describe the sound of a stretch of one channel.

    Parameters
    ----------
    pieces : iterable of numpy.ndarray of int16, shape (samples,)
        The stretch in order, in one piece or several; no window reaches over the end of a piece.
    sample_rate_hz : int
        Samples a second.
    config : AcousticConfig, optional
        Usual settings by default.

    Returns
    -------
    Acoustics
        As :meth:`Description.result`.

    Raises
    ------
    MissingExtra
        Without librosa.
    """
    description = Description(sample_rate_hz, config=config)
    for piece in pieces:
        description.add(piece)
    return description.result()


class Description:
    """A stretch of one channel, described piece by piece as it is read.

    Parameters
    ----------
    sample_rate_hz : int
        Samples a second.
    config : AcousticConfig, optional
        Usual settings by default.
    """

    def __init__(self, sample_rate_hz: int, *, config: AcousticConfig | None = None) -> None:
        self._rate = sample_rate_hz
        self._config = config or AcousticConfig()
        self._found: list[PieceFeatures] = []
        self._hum = HumSpectrum(sample_rate_hz)
        self._count = self._clipped = 0

    def add(self, piece: NDArray[np.int16]) -> None:
        """Add the next piece, full scale 32,768; raises MissingExtra without librosa."""
        self._count += len(piece)
        self._clipped += int(np.count_nonzero((piece >= CLIP_AT) | (piece <= -CLIP_AT)))
        self._hum.add(piece)
        self._found.append(piece_features(piece, self._rate, config=self._config))

    def result(self) -> Acoustics:
        """Return how it sounds.

        Returns
        -------
        Acoustics
            Of the loud frames, those within `loud_db` of the loudest:

            - `level_dbfs`: ``10 log10(mean(x^2))``; a full-scale sine has -3.01 dBFS.
            - `f0_median_hz`, `f0_p10_hz`, `f0_p90_hz`: over voiced frames, as pYIN finds them (Mauch and Dixon,
              ICASSP 2014); None with fewer than 5 of them. `voiced_fraction`: voiced among loud, 0..1.
            - `centroid_hz` (median): ``sum(f |X|) / sum(|X|)``. `rolloff_hz` (median): the lowest frequency below
              which 85 % of ``|X|`` lies. `flatness` (median): geometric over arithmetic mean of ``|X|^2``, 0..1;
              exp(-0.5772) = 0.56 for white noise, near 0 for a tone.
            - `bandwidth_hz`: highest frequency at which the mean of ``|X|^2`` lies within 50 dB of its peak, noise
              included; up to 150 Hz too high at a steep edge, as the window leaks. `narrow_band`: at most 4,500 Hz.

            Of the whole stretch: `clipped_fraction`, samples within 0.09 dB of full scale, 0..1; `hum_50_db`,
            `hum_60_db`, see :func:`workbench.audio.hum.hum_db`, None for less than 1 s. Silence and a stretch shorter
            than a frame have a `reason` and no figure but the clipped share.
        """
        config, found = self._config, self._found
        if not self._count:
            return Acoustics(reason="outside the recording")
        clipped_fraction = self._clipped / self._count
        power = np.concatenate([piece.power for piece in found])
        if not len(power):
            return Acoustics(clipped_fraction=clipped_fraction, reason=f"shorter than a frame of {config.frame_s:g} s")
        loudest = float(power.max())
        if loudest < 10 ** (config.gate_dbfs / 10):
            return Acoustics(clipped_fraction=clipped_fraction, reason=f"silence below {config.gate_dbfs:g} dBFS")
        least = loudest * 10 ** (-config.loud_db / 10)
        loud = power >= least
        spectrum = np.sum([piece.spectrum for piece in found], axis=0)
        spectrum[0] = 0.0  # an offset is no sound
        within = np.flatnonzero(spectrum >= spectrum.max() * 10 ** (-config.bandwidth_db / 10))
        bandwidth_hz = float(found[0].frequencies_hz[within[-1]])
        pitch = _pitch(found, least)
        return Acoustics(
            f0_median_hz=pitch.median_hz,
            f0_p10_hz=pitch.p10_hz,
            f0_p90_hz=pitch.p90_hz,
            voiced_fraction=pitch.voiced_fraction,
            level_dbfs=10 * float(np.log10(power[loud].mean())),
            centroid_hz=_median(found, "centroid_hz", loud),
            flatness=_median(found, "flatness", loud),
            rolloff_hz=_median(found, "rolloff_hz", loud),
            bandwidth_hz=bandwidth_hz,
            narrow_band=bandwidth_hz <= config.narrow_hz,
            hum_50_db=hum_db(self._hum, 50.0),
            hum_60_db=hum_db(self._hum, 60.0),
            clipped_fraction=clipped_fraction,
        )


def _median(found: list[PieceFeatures], name: str, loud: NDArray[np.bool_]) -> float:
    return float(np.median(np.concatenate([getattr(piece, name) for piece in found])[loud]))


@dataclass(frozen=True, kw_only=True)
class _Pitch:
    median_hz: float | None = None
    p10_hz: float | None = None
    p90_hz: float | None = None
    voiced_fraction: float | None = None


def _pitch(found: list[PieceFeatures], least: float) -> _Pitch:
    """Quantiles of the fundamental frequency over voiced, loud frames, and their share of the loud ones."""
    f0 = np.concatenate([piece.f0_hz for piece in found])
    loud = np.concatenate([piece.f0_power for piece in found]) >= least
    if not loud.any():
        return _Pitch()  # shorter than a window of the fundamental frequency
    voiced = f0[loud & np.isfinite(f0)]
    share = len(voiced) / int(loud.sum())
    if len(voiced) < LEAST_VOICED:
        return _Pitch(voiced_fraction=share)
    low, middle, high = (float(value) for value in np.quantile(voiced, [0.1, 0.5, 0.9]))
    return _Pitch(median_hz=middle, p10_hz=low, p90_hz=high, voiced_fraction=share)
