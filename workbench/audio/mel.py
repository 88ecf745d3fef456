"""Mel spectrogram of a stretch of a recording (extra `audio`)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from workbench.audio.snippet import window
from workbench.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

WINDOW_S, HOP_S, RANGE_DB = 0.032, 0.010, 80.0


def mel_spectrogram(
    path: str | Path,
    start_s: float,
    end_s: float,
    *,
    bands: int = 64,
    encoding: str | None = None,
    sample_rate_hz: int | None = None,
) -> NDArray[np.float64]:
    """Return the mel spectrogram of a stretch, channel by channel, with frames 10 ms apart.

    Parameters
    ----------
    path : path
        The sound file; read at its own rate, channels kept apart.
    start_s, end_s : float
        Seconds from the start of the recording, cut to the file.
    bands : int
        Mel bands from 0 Hz to half the sample rate (Slaney's scale), at least 1.
    encoding, sample_rate_hz : optional
        For headerless files.

    Returns
    -------
    numpy.ndarray of float64, shape (channels, bands, frames)
        Power in dB, never more than 80 dB under the loudest cell. Frame ``n`` is centred at
        ``start_s + n * 0.01``.

    Raises
    ------
    MissingExtra
        Without librosa.
    UsageError
        When nothing of the file lies in the stretch, or for fewer than 1 band.
    ImportFailed
        As :func:`workbench.audio.read.blocks`.
    """
    try:
        import librosa
    except ImportError as error:
        raise MissingExtra("librosa", "audio") from error
    if bands < 1:
        raise UsageError(f"a spectrogram needs at least 1 band, got {bands}")
    source, samples = window(path, start_s, end_s, encoding=encoding, sample_rate_hz=sample_rate_hz)
    if not len(samples):
        raise UsageError(
            f"nothing of the recording lies between {start_s} and {end_s} s",
            where=str(path),
            hint="check the times",
        )
    rate = source.sample_rate_hz
    power = librosa.feature.melspectrogram(
        y=samples.T.astype(np.float32) / np.float32(32768),
        sr=rate,
        n_fft=1 << (round(WINDOW_S * rate) - 1).bit_length(),
        win_length=round(WINDOW_S * rate),
        hop_length=round(HOP_S * rate),
        n_mels=bands,
    )
    return np.asarray(librosa.power_to_db(power, ref=1.0, top_db=RANGE_DB), dtype=np.float64)
