"""Pieces of a recording for pages: a short sound file, and an envelope to draw."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from workbench.audio import stopping
from workbench.audio.read import excerpt
from workbench.audio.source import Source, identify
from workbench.errors import UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

MP3_RATES_HZ = (8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000)


def window(
    path: str | Path,
    start_s: float,
    end_s: float,
    *,
    encoding: str | None = None,
    sample_rate_hz: int | None = None,
) -> tuple[Source, NDArray[np.int16]]:
    """Return a stretch of a recording, cut to the file.

    Parameters
    ----------
    path : path
        The sound file.
    start_s, end_s : float
        Seconds from the start of the recording (not of the call).
    encoding, sample_rate_hz : optional
        For headerless files.

    Returns
    -------
    tuple of Source and numpy.ndarray of int16, shape (samples, channels)
        Shape (0, channels) where the stretch lies outside the file.

    Raises
    ------
    UsageError
        When `end_s` is not after `start_s`.
    ImportFailed, MissingExtra
        As :func:`workbench.audio.read.blocks`.
    """
    if not end_s > start_s:
        raise UsageError(
            f"a stretch from {start_s} to {end_s} s has no length",
            where=str(path),
            hint="give an end after the start",
        )
    source = identify(path, encoding=encoding, sample_rate_hz=sample_rate_hz)
    rate = source.sample_rate_hz
    return source, excerpt(source, round(max(0.0, start_s) * rate), round(max(0.0, end_s) * rate))


def cut(
    path: str | Path,
    start_s: float,
    end_s: float,
    *,
    format: Literal["mp3", "wav"] = "mp3",  # noqa: A002
    pad_s: float = 0.0,
    encoding: str | None = None,
    sample_rate_hz: int | None = None,
) -> bytes:
    """Return a stretch of a recording as a sound file of its own, all channels kept.

    Parameters
    ----------
    path : path
        The sound file.
    start_s, end_s : float
        Seconds from the start of the recording.
    format : {'mp3', 'wav'}
        MP3 takes one or two channels and the sample rates of MPEG audio; WAV takes anything.
    pad_s : float
        Sound added before and after, as far as the file goes.
    encoding, sample_rate_hz : optional
        For headerless files.

    Returns
    -------
    bytes
        The same for the same samples. An MP3 carries the tag by which players skip the encoder's own silence,
        so that times in it are those of the stretch; its level may differ from the recording's by 3 dB.

    Raises
    ------
    UsageError
        When nothing of the file lies in the stretch, or MP3 cannot carry it.
    ImportFailed, MissingExtra
        As :func:`workbench.audio.read.blocks`.
    """
    import soundfile

    source, samples = window(path, start_s - pad_s, end_s + pad_s, encoding=encoding, sample_rate_hz=sample_rate_hz)
    if not len(samples):
        raise UsageError(
            f"nothing of the recording lies between {start_s} and {end_s} s",
            where=str(path),
            hint="check the times",
        )
    if format == "mp3" and (source.channel_count > 2 or source.sample_rate_hz not in MP3_RATES_HZ):
        raise UsageError(
            f"MP3 cannot carry {plural(source.channel_count, 'channel')} at {source.sample_rate_hz} Hz",
            where=str(path),
            hint="ask for wav",
        )
    out = io.BytesIO()
    with stopping.held():
        if format == "mp3":
            # As floats: libsndfile 1.2.2 turns half of 16-bit stereo into noise (libsndfile/libsndfile#1106).
            soundfile.write(
                out,
                samples.astype(np.float32) / 32768,
                source.sample_rate_hz,
                format="MP3",
                subtype="MPEG_LAYER_III",
                bitrate_mode="VARIABLE",
                compression_level=0.5,
            )
        else:
            soundfile.write(out, samples, source.sample_rate_hz, format="WAV", subtype="PCM_16")
    return out.getvalue()


def envelope(
    path: str | Path,
    start_s: float,
    end_s: float,
    *,
    columns: int,
    encoding: str | None = None,
    sample_rate_hz: int | None = None,
) -> NDArray[np.float64]:
    """Return the largest sample of each of `columns` equal stretches, for drawing a waveform.

    Parameters
    ----------
    path : path
        The sound file.
    start_s, end_s : float
        Seconds from the start of the recording; what lies outside the file is drawn as 0.
    columns : int
        How many values, at least 1.
    encoding, sample_rate_hz : optional
        For headerless files.

    Returns
    -------
    numpy.ndarray of float64, shape (channels, columns)
        0..1 of full scale. A column narrower than a sample shows the sample it falls on.

    Raises
    ------
    UsageError, ImportFailed, MissingExtra
        As :func:`window`; also for fewer than 1 column.
    """
    if columns < 1:
        raise UsageError(f"an envelope needs at least 1 column, got {columns}", where=str(path))
    source, samples = window(path, start_s, end_s, encoding=encoding, sample_rate_hz=sample_rate_hz)
    rate, drawn = source.sample_rate_hz, np.zeros((source.channel_count, columns))
    if not len(samples):
        return drawn
    before = round(max(0.0, start_s) * rate)
    edges = np.linspace(start_s, end_s, columns + 1) * rate - before
    first = np.floor(edges[:-1] + 1e-6).astype(np.int64)
    after = np.maximum(np.ceil(edges[1:] - 1e-6).astype(np.int64), first + 1)
    inside = (first < len(samples)) & (after > 0)
    first, after = np.clip(first, 0, len(samples) - 1), np.clip(after, 1, len(samples))
    size = np.abs(samples.astype(np.int32)).T
    ends = np.empty(2 * columns, np.int64)
    ends[0::2], ends[1::2] = first, after
    padded = np.concatenate([size, np.zeros((source.channel_count, 1), np.int32)], axis=1)
    peaks = np.maximum.reduceat(padded, ends, axis=1)[:, 0::2]
    drawn[:, inside] = peaks[:, inside] / 32768
    return drawn
