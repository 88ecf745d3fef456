"""Frames of one piece of sound: power, spectra and what librosa reads from them (extra `audio`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.errors import MissingExtra

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.audio.acoustic_config import AcousticConfig


@dataclass(frozen=True)
class PieceFeatures:
    """Features of a piece by frame; all empty where it is shorter than a frame.

    `power` (mean square, full scale 1), `centroid_hz`, `flatness`, `rolloff_hz` have one value a frame.
    `spectrum` is the sum of ``|X|^2`` over the piece's loud frames, at `frequencies_hz`. `f0_hz` (NaN where
    unvoiced) and `f0_power` have one value a window of the fundamental frequency.
    """

    power: NDArray[np.float64]
    centroid_hz: NDArray[np.float64]
    flatness: NDArray[np.float64]
    rolloff_hz: NDArray[np.float64]
    spectrum: NDArray[np.float64]
    frequencies_hz: NDArray[np.float64]
    f0_hz: NDArray[np.float64]
    f0_power: NDArray[np.float64]


def piece_features(piece: NDArray[np.int16], sample_rate_hz: int, *, config: AcousticConfig) -> PieceFeatures:
    """Return what librosa reads from the frames of a piece.

    Parameters
    ----------
    piece : numpy.ndarray of int16, shape (samples,)
        One channel, full scale 32,768.
    sample_rate_hz : int
        Samples a second; nothing is resampled.
    config : AcousticConfig
        Lengths of windows and the range of the fundamental frequency.

    Returns
    -------
    PieceFeatures
        Frames lie wholly in the piece: frame ``n`` begins ``n * hop_s`` after its start.

    Raises
    ------
    MissingExtra
        Without librosa.
    """
    try:
        import librosa
    except ImportError as error:
        raise MissingExtra("librosa", "audio") from error
    frame = max(round(config.frame_s * sample_rate_hz), 2)
    hop = max(round(config.hop_s * sample_rate_hz), 1)
    sound = piece.astype(np.float64) / 32768
    frequencies = librosa.fft_frequencies(sr=sample_rate_hz, n_fft=frame)
    none = np.zeros(0)
    if len(sound) < frame:
        return PieceFeatures(none, none, none, none, np.zeros(len(frequencies)), frequencies, none, none)
    magnitude = np.abs(librosa.stft(sound, n_fft=frame, hop_length=hop, center=False))
    flat = librosa.feature.spectral_flatness(S=magnitude, amin=1e-20)[0]
    read = {"S": magnitude, "sr": sample_rate_hz, "freq": frequencies}
    centroid = librosa.feature.spectral_centroid(**read)[0]
    rolloff = librosa.feature.spectral_rolloff(**read, roll_percent=config.rolloff_fraction)[0]
    power = _power(sound, frame, hop)
    f0, f0_power = _f0(sound, sample_rate_hz, hop, config=config)
    loud = power >= power.max() * 10 ** (-config.loud_db / 10)
    spectrum = np.sum(magnitude[:, loud] ** 2, axis=1)
    return PieceFeatures(power, centroid, flat, rolloff, spectrum, frequencies, f0, f0_power)


def _power(sound: NDArray[np.float64], frame: int, hop: int) -> NDArray[np.float64]:
    """Mean square of each frame."""
    summed = np.concatenate([[0.0], np.cumsum(sound**2)])
    first = np.arange(0, len(sound) - frame + 1, hop)
    mean: NDArray[np.float64] = np.maximum(summed[first + frame] - summed[first], 0.0) / frame
    return mean


def _f0(
    sound: NDArray[np.float64], rate: int, hop: int, *, config: AcousticConfig
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the fundamental frequency of each window (NaN: unvoiced) and the window's mean square."""
    import librosa

    frame = round(config.f0_frame_s * rate)
    highest = min(config.f0_max_hz, rate / 2 - 1)
    if len(sound) < frame or highest <= config.f0_min_hz:
        return np.zeros(0), np.zeros(0)
    power = _power(sound, frame, hop)
    if not power.max():
        return np.full(len(power), np.nan), power
    f0, _, _ = librosa.pyin(
        sound,
        fmin=config.f0_min_hz,
        fmax=highest,
        sr=rate,
        frame_length=frame,
        hop_length=hop,
        resolution=config.f0_step_semitones,
        n_thresholds=config.f0_thresholds,
        center=False,
    )
    return np.asarray(f0, dtype=np.float64), power
