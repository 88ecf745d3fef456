"""Frame levels: the RMS of a 20 ms window every 10 ms, in one pass over the samples.

Window ``n`` covers the samples ``n * hop`` up to ``n * hop + window``; there is a window for every hop that
starts inside the recording, so the last ones are cut by its end and divide by the samples they do have. Full
windows are those of ``librosa.feature.rms(frame_length=window, hop_length=hop, center=False)``; the cut ones
at the end are further frames that librosa leaves out. Sums of squares of 16-bit samples stay below 2**53, so
they are exact in float64 whatever the order of adding, and every level is the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.audio.config import MeasureConfig
from workbench.audio.pieces import PIECE_FRAMES, Pieces
from workbench.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

FLOOR_DBFS = -120.0
FULL_SCALE = 32768
CLIP_AT = 32_441  # 0.99 of full scale, within 0.09 dB of it
_BUFFER_ROWS = 320_000  # 5 MB for two channels; with fewer, Python takes turns with itself where two threads measure
_INT32_ROWS = 65_536  # as many samples of 16 bits add up in 32, which is twice as fast as in 64
_FOLD = 1000  # rows taken as one, so that the largest of each column is found along long rows


class Levels(msgspec.Struct, frozen=True, kw_only=True):
    """What one pass over the samples yields.

    ``pieces`` holds the RMS of every frame of every channel, full scale 1.0; ``peak`` (0..1),
    ``clipped_count``, ``power`` (mean square, full scale 1.0) and ``offset`` (mean, full scale 1.0) have one
    value a channel; ``frame_count`` is the number of samples per channel.
    """

    pieces: Pieces
    hop_s: float
    frame_count: int
    sample_rate_hz: int
    peak: NDArray[np.float64]
    clipped_count: NDArray[np.int64]
    power: NDArray[np.float64]
    offset: NDArray[np.float64]

    @property
    def duration_s(self) -> float:
        """Length of the recording in seconds."""
        return self.frame_count / self.sample_rate_hz

    @property
    def rms(self) -> NDArray[np.float64]:
        """The RMS of all frames at once, shape (channels, frames)."""
        return self.pieces.whole()


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
    dbfs: NDArray[np.float64] = np.maximum(rms, 10.0 ** (FLOOR_DBFS / 20.0))
    np.log10(dbfs, out=dbfs)
    dbfs *= 20.0
    return dbfs


def frame_levels(
    blocks: Iterable[NDArray[np.int16]],
    *,
    sample_rate_hz: int,
    config: MeasureConfig | None = None,
    scratch: Path | None = None,
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
    scratch : pathlib.Path, optional
        Where the levels of a long recording wait, in a file without a name.

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
            meter = _Meter(Pieces(block.shape[1], scratch), config, sample_rate_hz)
        meter.add(block)
    return (meter or _Meter(Pieces(0), config, sample_rate_hz)).finish(sample_rate_hz)


class _Meter:
    """Sums of squares per hop, taken through one kept buffer; windows of them, piece by piece."""

    def __init__(self, pieces: Pieces, config: MeasureConfig, sample_rate_hz: int) -> None:
        self.pieces, self.channels, self.count = pieces, pieces.channels, 0
        self.hop, self.window = config.hop_samples(sample_rate_hz), config.window_samples(sample_rate_hz)
        self._buffer = np.empty((self.hop * max(1, _BUFFER_ROWS // self.hop), self.channels), np.float64)
        self._filled = 0
        self._hops: list[NDArray[np.float64]] = []  # (hops, channels): sums over whole hops ...
        self._heads: list[NDArray[np.float64]] = []  # ... and over the part of them that a window ends in
        self._waiting = 0
        self._high = np.full(self.channels, -FULL_SCALE, np.int64)
        self._low = np.full(self.channels, FULL_SCALE - 1, np.int64)
        self._clipped = np.zeros(self.channels, np.int64)
        self._energy = np.zeros(self.channels)
        self._total = np.zeros(self.channels, np.int64)

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
                if self._waiting > PIECE_FRAMES + self.window // self.hop:
                    self._emit(PIECE_FRAMES)

    def _extremes(self, block: NDArray[np.int16]) -> None:
        folded = len(block) // _FOLD * _FOLD
        parts = [block[folded:]]
        self._total += block[folded:].sum(axis=0, dtype=np.int64)
        if folded:
            rows = np.ascontiguousarray(block[:folded]).reshape(-1, _FOLD * self.channels)
            summed = rows.sum(axis=0, dtype=np.int32 if len(rows) < _INT32_ROWS else np.int64)
            self._total += summed.reshape(_FOLD, -1).sum(axis=0, dtype=np.int64)
            parts += [rows.max(axis=0).reshape(_FOLD, -1), rows.min(axis=0).reshape(_FOLD, -1)]
        small = np.ascontiguousarray(np.concatenate(parts).T)
        high, low = small.max(axis=1), small.min(axis=1)
        self._high, self._low = np.maximum(self._high, high), np.minimum(self._low, low)
        if high.max() >= CLIP_AT or low.min() <= -CLIP_AT:
            self._clipped += np.count_nonzero((block >= CLIP_AT) | (block <= -CLIP_AT), axis=0)

    def _sum(self, rows: int) -> None:
        hops = self._buffer[:rows].reshape(-1, self.hop, self.channels).transpose(0, 2, 1)
        rest = self.window % self.hop
        self._keep(np.vecdot(hops, hops), np.vecdot(hops[..., :rest], hops[..., :rest]) if rest else None)

    def _keep(self, hops: NDArray[np.float64], heads: NDArray[np.float64] | None) -> None:
        self._hops.append(hops)
        if heads is not None:
            self._heads.append(heads)
        self._waiting += len(hops)

    def finish(self, sample_rate_hz: int) -> Levels:
        whole = self._filled // self.hop * self.hop
        if whole:
            self._sum(whole)
        tail = self._buffer[whole : self._filled]
        if len(tail):
            rest = self.window % self.hop
            head = tail[:rest]
            heads = (head * head).sum(axis=0, keepdims=True) if rest else None
            self._keep((tail * tail).sum(axis=0, keepdims=True), heads)
        if self._waiting:
            self._emit(self._waiting)
        return Levels(
            pieces=self.pieces,
            hop_s=self.hop / sample_rate_hz,
            frame_count=self.count,
            sample_rate_hz=sample_rate_hz,
            peak=np.maximum(np.abs(self._high), np.abs(self._low)) / FULL_SCALE,
            clipped_count=self._clipped,
            power=self._energy / max(1, self.count) / FULL_SCALE**2,
            offset=self._total / max(1, self.count) / FULL_SCALE,
        )

    def _emit(self, frames: int) -> None:
        """Turn the first of the waiting hops into frames; all of them only at the end of the recording."""
        energy = np.ascontiguousarray(np.concatenate(self._hops).T)
        full, rest = divmod(self.window, self.hop)
        total = energy[:, :frames].copy() if full else np.zeros((self.channels, frames))
        for step in range(1, full):
            later = energy[:, step : step + frames]
            total[:, : later.shape[1]] += later
        if rest:
            later = np.concatenate(self._heads).T[:, full : full + frames]
            total[:, : later.shape[1]] += later
        first = len(self.pieces)
        if frames == self._waiting:
            total /= np.minimum(self.window, self.count - np.arange(first, first + frames) * self.hop)
        else:
            total /= self.window
        np.sqrt(total, out=total)
        total /= FULL_SCALE
        self.pieces.append(total)
        self._energy += energy[:, :frames].sum(axis=1)
        self._hops = [np.ascontiguousarray(energy[:, frames:].T)]
        self._heads = [np.concatenate(self._heads)[frames:]] if rest else []
        self._waiting -= frames
