"""m4a, mp4 and webm through PyAV (extra `m4a`), which brings its own FFmpeg libraries."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.audio.source import Source
from workbench.errors import ImportFailed, MissingExtra

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _av() -> Any:
    try:
        import av
    except ImportError as error:
        raise MissingExtra("av", "m4a") from error
    return av


def describe(path: str) -> Source:
    """Return what a container file holds, from its header.

    Parameters
    ----------
    path : str
        An m4a, mp4 or webm file.

    Returns
    -------
    Source
        With `promised` None: the number of samples is known only by decoding.

    Raises
    ------
    ImportFailed
        ``truncated_audio`` when the container cannot be opened, ``not_audio`` when it has no sound track.
    MissingExtra
        Without PyAV.
    """
    av = _av()
    try:
        with av.open(path, metadata_errors="ignore") as container:
            if not container.streams.audio:
                raise ImportFailed(
                    "the file has no sound track",
                    where=path,
                    rule="not_audio",
                    hint="export the sound of the call",
                )
            stream = container.streams.audio[0]
            name = "webm" if "webm" in container.format.name else "mp4"
            return Source(
                path=path,
                reader="container",
                container=name,
                codec=stream.codec_context.name.removeprefix("lib"),
                subtype="",
                sample_rate_hz=stream.sample_rate,
                sample_width_bits=None,
                channel_count=stream.codec_context.layout.nb_channels,
                promised=None,
            )
    except av.FFmpegError as error:
        raise ImportFailed(
            f"the container cannot be opened, it is cut off or damaged ({error.strerror})",
            where=path,
            rule="truncated_audio",
            hint="export or copy the recording again",
        ) from error


def decode(path: str, block_frames: int) -> Iterator[NDArray[np.int16]]:
    """Yield the samples of the first sound track as 16-bit blocks.

    Parameters
    ----------
    path : str
        An m4a, mp4 or webm file.
    block_frames : int
        Least length of a block in samples per channel, but for the last.

    Yields
    ------
    numpy.ndarray of int16, shape (samples, channels)

    Raises
    ------
    ImportFailed
        ``truncated_audio`` when decoding fails half-way.
    """
    av = _av()
    held: list[NDArray[np.int16]] = []
    count = 0
    try:
        with av.open(path, metadata_errors="ignore") as container:
            stream = container.streams.audio[0]
            channels = stream.codec_context.layout.nb_channels
            resampler = av.AudioResampler(format="s16", layout=stream.codec_context.layout, rate=stream.sample_rate)
            for frame in container.decode(stream):
                for part in resampler.resample(frame):
                    held.append(part.to_ndarray().reshape(-1, channels))
                    count += held[-1].shape[0]
                if count >= block_frames:
                    yield np.concatenate(held)
                    held, count = [], 0
            for part in resampler.resample(None):
                held.append(part.to_ndarray().reshape(-1, channels))
    except av.FFmpegError as error:
        raise ImportFailed(
            f"the sound track stops decoding half-way ({error.strerror})",
            where=path,
            rule="truncated_audio",
            hint="export or copy the recording again",
        ) from error
    if held:
        yield np.concatenate(held)
