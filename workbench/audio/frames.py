"""Frame levels: the RMS of a 20 ms window every 10 ms, in one pass over the samples.

Window ``n`` covers the samples ``n * hop`` up to ``n * hop + window``; there is a window for every hop that
starts inside the recording, so the last ones are cut by its end and divide by the samples they do have. Full
windows are those of ``librosa.feature.rms(frame_length=window, hop_length=hop, center=False)``; the cut ones
at the end are further frames that librosa leaves out. Sums of squares of 16-bit samples stay below 2**53, so
they are exact in float64 whatever the order of adding, and every level is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.audio.config import MeasureConfig
from workbench.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOOR_DBFS = -120.0
FULL_SCALE = 32768
CLIP_AT = 32_441  # 0.99 of full scale, within 0.09 dB of it
_BUFFER_ROWS = 320_000  # 5 MB for two channels; with fewer, Python takes turns with itself where two threads measure
_FOLD = 1000  # rows taken as one, so that the largest of each column is found along long rows


class Levels(msgspec.Struct, frozen=True, kw_only=True):
    """What one pass over the samples yields.

    ``rms`` has shape (channels, frames), full scale 1.0; ``peak`` (0..1), ``clipped_count`` and ``power``
    (mean square, full scale 1.0) have one value a channel; ``frame_count`` is the number of samples per
    channel.
    """

    rms: NDArray[np.float64]
    hop_s: float
    frame_count: int
    sample_rate_hz: int
    peak: NDArray[np.float64]
    clipped_count: NDArray[np.int64]
    power: NDArray[np.float64]

    @property
    def duration_s(self) -> float:
        """Length of the recording in seconds."""
        return self.frame_count / self.sample_rate_hz


def to_dbfs(rms: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return levels in dBFS: ``20 * log10(rms)``, never below -120.

    Parameters
    ----------
    rms : numpy.ndarray of float64
        Full scale 1.0, any shape; empty gives empty.

    Returns
    -------
    numpy.ndarray of float64
        Same shape, -120..0 dBFS.
    """
    dbfs: NDArray[np.float64] = 20.0 * np.log10(np.maximum(rms, 10.0 ** (FLOOR_DBFS / 20.0)))
    return dbfs


def frame_levels(
    blocks: Iterable[NDArray[np.int16]], *, sample_rate_hz: int, config: MeasureConfig | None = None
) -> Levels:
    """Return the level of every frame of every channel.

    Parameters
    ----------
    blocks : iterable of numpy.ndarray of int16, shape (samples, channels)
        In order, of any lengths; each is used once and not kept.
    sample_rate_hz : int
        Samples a second.
    config : MeasureConfig, optional
        Lengths of window and hop; they need not be whole numbers of samples nor multiples of each other.

    Returns
    -------
    Levels
        ``ceil(samples / hop)`` frames. No blocks give shape (0, 0).

    Raises
    ------
    UsageError
        When blocks differ in channels or are not 16-bit.
    """
    config = config or MeasureConfig()
    meter: _Meter | None = None
    for block in blocks:
        if block.ndim != 2 or block.dtype != np.int16 or (meter and block.shape[1] != meter.channels):
            raise UsageError(f"a block must be int16 with shape (samples, channels), got {block.dtype} {block.shape}")
        if meter is None:
            meter = _Meter(block.shape[1], config.hop_samples(sample_rate_hz), config.window_samples(sample_rate_hz))
        meter.add(block)
    if meter is None:
        meter = _Meter(0, config.hop_samples(sample_rate_hz), config.window_samples(sample_rate_hz))
    return meter.finish(sample_rate_hz)


class _Meter:
    """Sums of squares per hop, taken through one kept buffer."""

    def __init__(self, channels: int, hop: int, window: int) -> None:
        self.channels, self.hop, self.window, self.count = channels, hop, window, 0
        self._buffer = np.empty((hop * max(1, _BUFFER_ROWS // hop), channels), np.float64)
        self._filled = 0
        self._hops: list[NDArray[np.float64]] = []
        self._heads: list[NDArray[np.float64]] = []
        self._high = np.full(channels, -FULL_SCALE, np.int64)
        self._low = np.full(channels, FULL_SCALE - 1, np.int64)
        self._clipped = np.zeros(channels, np.int64)

    def add(self, block: NDArray[np.int16]) -> None:
        if not len(block):
            return
        self.count += len(block)
        self._extremes(block)
        at = 0
        while at < len(block):
            take = min(len(self._buffer) - self._filled, len(block) - at)
            self._buffer[self._filled : self._filled + take] = block[at : at + take]
            self._filled += take
            at += take
            if self._filled == len(self._buffer):
                self._sum(self._filled)
                self._filled = 0

    def _extremes(self, block: NDArray[np.int16]) -> None:
        folded = len(block) // _FOLD * _FOLD
        parts = [block[folded:]]
        if folded:
            rows = np.ascontiguousarray(block[:folded]).reshape(-1, _FOLD * self.channels)
            parts += [rows.max(axis=0).reshape(_FOLD, -1), rows.min(axis=0).reshape(_FOLD, -1)]
        small = np.ascontiguousarray(np.concatenate(parts).T)
        high, low = small.max(axis=1), small.min(axis=1)
        self._high, self._low = np.maximum(self._high, high), np.minimum(self._low, low)
        if high.max() >= CLIP_AT or low.min() <= -CLIP_AT:
            self._clipped += np.count_nonzero((block >= CLIP_AT) | (block <= -CLIP_AT), axis=0)

    def _sum(self, rows: int) -> None:
        hops = self._buffer[:rows].reshape(-1, self.hop, self.channels).transpose(0, 2, 1)
        self._hops.append(np.vecdot(hops, hops))
        rest = self.window % self.hop
        if rest:
            self._heads.append(np.vecdot(hops[..., :rest], hops[..., :rest]))

    def finish(self, sample_rate_hz: int) -> Levels:
        whole = self._filled // self.hop * self.hop
        if whole:
            self._sum(whole)
        tail = self._buffer[whole : self._filled]
        if len(tail):
            head = tail[: self.window % self.hop]
            self._hops.append((tail * tail).sum(axis=0, keepdims=True))
            self._heads.append((head * head).sum(axis=0, keepdims=True))
        peak = np.maximum(np.abs(self._high), np.abs(self._low)) / FULL_SCALE
        energy = self._joined(self._hops)
        power = energy.sum(axis=1) / max(1, self.count) / FULL_SCALE**2
        return Levels(
            rms=self._windows(energy),
            hop_s=self.hop / sample_rate_hz,
            frame_count=self.count,
            sample_rate_hz=sample_rate_hz,
            peak=peak,
            clipped_count=self._clipped,
            power=power,
        )

    def _joined(self, parts: list[NDArray[np.float64]]) -> NDArray[np.float64]:
        return np.ascontiguousarray(np.concatenate(parts).T) if parts else np.zeros((self.channels, 0))

    def _windows(self, energy: NDArray[np.float64]) -> NDArray[np.float64]:
        frames = energy.shape[1]
        full, rest = divmod(self.window, self.hop)
        total = energy.copy() if full else np.zeros_like(energy)
        for step in range(1, min(full, frames)):
            total[:, : frames - step] += energy[:, step:]
        if rest and frames > full:
            total[:, : frames - full] += self._joined(self._heads)[:, full:]
        total /= np.minimum(self.window, self.count - np.arange(frames) * self.hop)
        np.sqrt(total, out=total)
        total /= FULL_SCALE
        return total
