"""Mel spectrogram of a stretch of a call, gathered to as many columns as a page can show."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from workbench.analysis.call_audio import sides
from workbench.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.archive.archive import Archive

LONGEST_S = 120.0


@dataclass(frozen=True)
class Spectrogram:
    """Power in dB, shape (bands, columns), of one side of a stretch, and the edges of its bands in Hz."""

    role: str
    power_db: NDArray[np.float64]
    band_edges_hz: NDArray[np.float64]
    start_s: float
    end_s: float


def call_spectrogram(
    archive: Archive, call_id: str, *, start_s: float, end_s: float, bands: int = 64, columns: int = 600
) -> list[Spectrogram]:
    """Return the mel spectrogram of each side of a stretch.

    Parameters
    ----------
    archive : Archive
        The archive.
    call_id : str
        The call.
    start_s, end_s : float
        Seconds on the call's clock, at most 120 s apart; cut to the recording.
    bands : int
        Mel bands from 0 Hz to half the sample rate.
    columns : int
        Columns at most; the loudest 10 ms frame of each is kept.

    Returns
    -------
    list of Spectrogram
        Caller first. A side whose recording does not reach the stretch is left out.

    Raises
    ------
    MissingExtra
        Without librosa.
    UsageError
        When the stretch has no length, is longer than 120 s, or lies outside the audio.
    NotScorable, ArchiveFailed
        As :func:`workbench.analysis.call_audio.sides`.
    """
    from workbench.audio.mel import mel_spectrogram

    if not 0 < end_s - start_s <= LONGEST_S:
        raise UsageError(
            f"a stretch of {end_s - start_s:.1f} s cannot be shown as a spectrogram",
            where=call_id,
            hint=f"choose more than 0 and up to {LONGEST_S:.0f} s",
        )
    found = []
    for side in sides(archive, call_id):
        offset, length = float(side.recording["offset_s"]), float(side.recording["duration_s"])
        begin, end = max(start_s - offset, 0.0), min(end_s - offset, length)
        if end <= begin:
            continue
        power = mel_spectrogram(side.path, begin, end, bands=bands, **side.headerless)[side.channel_ix]
        gathered = gather(power, columns=columns)
        edges = band_edges_hz(bands, float(side.recording["sample_rate_hz"]) / 2)
        found.append(Spectrogram(side.role, gathered, edges, begin + offset, end + offset))
    if not found:
        raise UsageError("the stretch lies outside the audio", where=call_id, hint="choose another")
    return found


def gather(power_db: NDArray[np.float64], *, columns: int) -> NDArray[np.float64]:
    """Gather the frames of a spectrogram to fewer columns, keeping the loudest of each.

    Parameters
    ----------
    power_db : numpy.ndarray of float64, shape (bands, frames)
        At least one frame.
    columns : int
        Most columns to keep, at least 1.

    Returns
    -------
    numpy.ndarray of float64, shape (bands, at most columns)
        The input itself when it has no more columns than that.
    """
    frames = power_db.shape[1]
    if frames <= columns:
        return power_db
    starts = np.arange(columns) * frames // columns
    return np.maximum.reduceat(power_db, starts, axis=1)


def band_edges_hz(bands: int, highest_hz: float) -> NDArray[np.float64]:
    """Return where mel bands begin and end, evenly spaced on Slaney's mel scale.

    Linear below 1,000 Hz with 3 mel per 200 Hz, above it 27 mel per factor 6.4 (Slaney, Auditory Toolbox,
    1998). The bands of a filter bank overlap; an edge lies where a band and its neighbour cross.

    Parameters
    ----------
    bands : int
        Number of bands, at least 1.
    highest_hz : float
        Upper end of the scale in Hz.

    Returns
    -------
    numpy.ndarray of float64, shape (bands + 1,)
        Rising.
    """
    step = np.log(6.4) / 27.0
    top = 3 * highest_hz / 200 if highest_hz < 1000 else 15 + np.log(highest_hz / 1000) / step
    # centres are the points 1..bands of bands + 2 evenly spaced ones, so edges lie half a step beside them
    mel = (np.arange(bands + 1) + 0.5) * top / (bands + 1)
    return np.where(mel < 15, mel * 200 / 3, 1000 * np.exp((mel - 15) * step))
