"""Reads sound as 16-bit blocks, whatever the file holds, without ever keeping a whole call in memory.

Integer codecs stay integers. Float files and lossy codecs are decoded as floats, scaled by 32,768, rounded
and clipped; float samples are never read as integers, which would give silence. Nothing is resampled and no
channels are mixed.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from workbench.audio import stopping
from workbench.audio.file_digest import pcm16_sha256
from workbench.audio.mp3 import clearly_shorter, quiet
from workbench.audio.section import section
from workbench.audio.source import LOSSY, Source, identify
from workbench.errors import ImportFailed, UsageError
from workbench.plural import plural

if TYPE_CHECKING:
    from numpy.typing import NDArray

BLOCK_FRAMES = 320_000
"""Samples per channel read at a time: 2.5 MB of a stereo file, few steps in Python, and still in the cache."""

NON_FINITE_SHARE = 0.001
"""Share of float samples that may be no finite number; a file with more is refused."""


BEYOND = 2.0**31
"""Times full scale, what no float sample of a sound is: even one that is scaled as a 32-bit whole number is less."""


class Tally(msgspec.Struct):
    """Counts while a file is read: float samples, over all channels, and those not finite or beyond all scale."""

    samples: int = 0
    non_finite: int = 0


class AudioInfo(msgspec.Struct, frozen=True, kw_only=True):
    """What a sound file holds. `frame_count` is the number of samples per channel that really decode."""

    container: str
    codec: str
    sample_rate_hz: int
    sample_width_bits: int | None
    channel_count: int
    frame_count: int
    duration_s: float


def probe(path: str | Path, *, encoding: str | None = None, sample_rate_hz: int | None = None) -> AudioInfo:
    """Return what a sound file holds.

    Parameters
    ----------
    path : path
        The file; its content decides, not its name.
    encoding : {'ulaw', 'alaw', 'pcm_s16le'}, optional
        For a headerless file of one channel.
    sample_rate_hz : int, optional
        Needed with `encoding`, in Hz.

    Returns
    -------
    AudioInfo
        For MP3, OGG and containers the samples are counted by decoding, since their headers can be wrong;
        an MP3 clearly
        shorter than its Xing or VBRI header promises is refused. For PCM the header is checked against the
        size of the file, for FLAC by decoding the last sample.

    Raises
    ------
    ImportFailed
        By rule: ``bad_file_name``, ``empty_file``, ``no_samples``, ``not_audio``, ``sample_rate``,
        ``too_many_channels``, ``truncated_audio``, ``unsupported_codec``. ``non_finite_samples`` and what a
        decoder finds half-way are found where a file is read to its end, as by :func:`pcm_sha256`.
    UsageError
        When `encoding` is unknown or lacks a sample rate.
    MissingExtra
        For m4a, mp4 and webm without the extra ``m4a``.
    """
    source = identify(path, encoding=encoding, sample_rate_hz=sample_rate_hz)
    if source.promised is None:
        count = sum(len(block) for block in iterate(source))
    else:
        count = source.promised
        if source.reader == "soundfile" and source.container != "wav":
            excerpt(source, count - 1, count)
    return AudioInfo(
        container=source.container,
        codec=source.codec,
        sample_rate_hz=source.sample_rate_hz,
        sample_width_bits=source.sample_width_bits,
        channel_count=source.channel_count,
        frame_count=count,
        duration_s=count / source.sample_rate_hz,
    )


def blocks(
    path: str | Path,
    *,
    block_frames: int = BLOCK_FRAMES,
    encoding: str | None = None,
    sample_rate_hz: int | None = None,
) -> Iterator[NDArray[np.int16]]:
    """Yield the samples of a file block by block.

    Parameters
    ----------
    path : path
        The file.
    block_frames : int
        Samples per channel in a block; the last is shorter, those of a container may be longer.
    encoding, sample_rate_hz : optional
        As for :func:`probe`.

    Yields
    ------
    numpy.ndarray of int16, shape (samples, channels)
        Never empty; at least one block, or an error.

    Raises
    ------
    ImportFailed, UsageError, MissingExtra
        As for :func:`probe`; ``truncated_audio`` also half-way, where decoding stops before the promised end.
    """
    if block_frames < 1:
        raise UsageError(f"block_frames must be at least 1, got {block_frames}")
    return iterate(identify(path, encoding=encoding, sample_rate_hz=sample_rate_hz), block_frames)


def iterate(
    source: Source, block_frames: int = BLOCK_FRAMES, *, tally: Tally | None = None
) -> Iterator[NDArray[np.int16]]:
    """Yield the samples of a recognised file block by block.

    Parameters
    ----------
    source : Source
        From :func:`~workbench.audio.source.identify`.
    block_frames : int
        Samples per channel in a block; the last is shorter, those of a container may be longer.
    tally : Tally, optional
        Is counted up while the file is read.

    Yields
    ------
    numpy.ndarray of int16, shape (samples, channels)
        Never empty; at least one block, or an error.

    Raises
    ------
    ImportFailed, MissingExtra
        As :func:`blocks`.
    """
    count = 0
    tally = Tally() if tally is None else tally
    for block in _reader(source, block_frames, tally):
        stopping.check()
        count += len(block)
        yield block
    if tally.non_finite > NON_FINITE_SHARE * tally.samples:
        raise ImportFailed(
            f"{tally.non_finite:,} of {plural(tally.samples, 'sample')} are no finite numbers (NaN or infinite), "
            "or beyond all scale",
            where=source.path,
            rule="non_finite_samples",
            hint="write the recording again: what made it divides by zero or left memory unset",
        )
    if source.expected and clearly_shorter(count, source.expected, sample_rate_hz=source.sample_rate_hz):
        raise _cut_short(source, count)
    if source.promised is not None and count < source.promised:
        raise _cut_short(source, count)
    if count == 0:
        raise ImportFailed(
            "the file decodes to 0 samples",
            where=source.path,
            rule="no_samples",
            hint="check the recorder: nothing was written",
        )


def _cut_short(source: Source, count: int) -> ImportFailed:
    return ImportFailed(
        f"the header promises {plural(source.promised or source.expected or 0, 'sample')} per channel "
        f"and only {count:,} decode",
        where=source.path,
        rule="truncated_audio",
        hint="export or copy the recording again",
    )


def _reader(source: Source, block_frames: int, tally: Tally) -> Iterator[NDArray[np.int16]]:
    if source.reader == "pcm16":
        return _pcm16(source, block_frames)
    if source.reader == "container":
        from workbench.audio.container import decode

        return decode(source.path, block_frames)
    return _soundfile(source, block_frames, tally)


def _pcm16(source: Source, block_frames: int) -> Iterator[NDArray[np.int16]]:
    left = source.promised or 0
    width = 2 * source.channel_count
    with Path(source.path).open("rb", buffering=0) as file:
        file.seek(source.data_offset)
        while left:
            want = min(left, block_frames)
            samples = np.empty((want, source.channel_count), "<i2")
            got = _fill(file, samples)
            if got < want * width:
                raise _cut_short(source, (source.promised or 0) - left + got // width)
            left -= want
            yield samples.astype(np.int16, copy=False)


def _fill(file: io.FileIO, array: NDArray[Any]) -> int:
    """Read into an array as much as there is; return the bytes. `numpy.fromfile` takes half as long again."""
    view, at = array.reshape(-1).view(np.uint8).data, 0
    while at < len(view) and (got := file.readinto(view[at:])):
        at += got
    return at


def _open(source: Source) -> Any:
    import soundfile

    if source.reader == "raw":
        width = (source.sample_width_bits or 8) // 8 * source.channel_count
        return soundfile.SoundFile(
            section(source.path, offset=source.data_offset, length=(source.promised or 0) * width),
            format="RAW",
            subtype=source.subtype,
            endian="LITTLE",
            samplerate=source.sample_rate_hz,
            channels=source.channel_count,
        )
    if source.codec not in LOSSY:
        return soundfile.SoundFile(source.path)

    class Straight(soundfile.SoundFile):  # type: ignore[misc]  # soundfile has no types
        """Reads from start to end: the wrapper seeks after each block, and MP3 decodes differently after a seek."""

        def seekable(self) -> bool:
            return False

    return Straight(source.path)


def _soundfile(source: Source, block_frames: int, tally: Tally) -> Iterator[NDArray[np.int16]]:
    import soundfile

    exact = source.subtype not in ("FLOAT", "DOUBLE") and source.codec not in LOSSY
    count = 0
    silenced = quiet if source.codec == "mp3" else contextlib.nullcontext
    try:
        with stopping.held(), silenced(source.path):
            opened = _open(source)
        with opened as file:
            while True:
                with stopping.held(), silenced(source.path):
                    read = file.read(block_frames, dtype="int16" if exact else "float32", always_2d=True)
                if not len(read):
                    return
                count += len(read)
                if not exact:
                    tally.samples += read.size
                    tally.non_finite += read.size - int((np.abs(read) <= BEYOND).sum())  # of NaN nothing holds
                yield read if exact else to_int16(read)
    except soundfile.LibsndfileError as error:
        raise ImportFailed(
            f"decoding stops after {plural(count, 'sample')} per channel ({error})",
            where=source.path,
            rule="truncated_audio",
            hint="export or copy the recording again",
        ) from error


def to_int16(samples: NDArray[np.float32]) -> NDArray[np.int16]:
    """Return float samples as 16-bit ones: times 32,768, rounded half to even, clipped.

    Parameters
    ----------
    samples : numpy.ndarray of float32
        Full scale 1.0, any shape; empty gives empty. Not-a-number becomes 0, infinity full scale;
        :func:`iterate` counts both and refuses a file with more than a few.

    Returns
    -------
    numpy.ndarray of int16
        Same shape.
    """
    with np.errstate(over="ignore"):  # what is that large becomes full scale as infinity does
        scaled = np.nan_to_num(samples * np.float32(32768), nan=0.0, posinf=32767, neginf=-32768)
    whole: NDArray[np.int16] = np.clip(np.rint(scaled), -32768, 32767).astype(np.int16)
    return whole


def excerpt(source: Source, first: int, last: int) -> NDArray[np.int16]:
    """Return the samples `first` up to but not including `last` of a recognised file.

    Parameters
    ----------
    source : Source
        From :func:`~workbench.audio.source.identify`.
    first, last : int
        Sample positions; cut to the file. Lossy files are decoded from their start: positions are exact.

    Returns
    -------
    numpy.ndarray of int16, shape (samples, channels)
        Shape (0, channels) where nothing of the file lies between.

    Raises
    ------
    ImportFailed
        ``truncated_audio`` when the samples asked for do not decode.
    """
    import soundfile

    if source.promised is not None:
        last = min(last, source.promised)
    first = max(0, first)
    if first >= last:
        return np.zeros((0, source.channel_count), np.int16)
    if source.reader == "pcm16":
        width = 2 * source.channel_count
        part = msgspec.structs.replace(source, data_offset=source.data_offset + first * width, promised=last - first)
        return np.concatenate(list(_pcm16(part, BLOCK_FRAMES)))
    if source.promised is not None:
        exact = source.subtype not in ("FLOAT", "DOUBLE")
        try:
            with stopping.held(), _open(source) as file:
                file.seek(first)
                read = file.read(last - first, dtype="int16" if exact else "float32", always_2d=True)
        except soundfile.LibsndfileError as error:
            raise _cut_short(source, 0) from error
        if len(read) < last - first:
            raise _cut_short(source, first + len(read))
        return read if exact else to_int16(read)
    kept, at = [np.zeros((0, source.channel_count), np.int16)], 0
    for block in iterate(source):
        kept.append(block[max(0, first - at) : max(0, last - at)])
        at += len(block)
        if at >= last:
            break
    return np.concatenate(kept)


def pcm_sha256(path: str | Path, *, encoding: str | None = None, sample_rate_hz: int | None = None) -> str:
    """Return the SHA-256 of the decoded samples, 16-bit little-endian, interleaved.

    Parameters
    ----------
    path, encoding, sample_rate_hz
        As for :func:`probe`.

    Returns
    -------
    str
        64 hex digits; equal for a WAV and a FLAC of the same samples.

    Raises
    ------
    ImportFailed, UsageError, MissingExtra
        As for :func:`blocks`.
    """
    if encoding is None:
        at_once = pcm16_sha256(Path(path))
        if at_once is not None:
            return at_once
    digest = hashlib.sha256()
    for block in blocks(path, encoding=encoding, sample_rate_hz=sample_rate_hz):
        digest.update(np.ascontiguousarray(block, dtype="<i2").data)
    return digest.hexdigest()
