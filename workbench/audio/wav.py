"""What a RIFF/WAVE header says, checked against the size of the file.

Chunk layout: Microsoft and IBM, *Multimedia Programming Interface and Data Specifications 1.0* (1991), and
*Multiple channel audio data and WAVE files* (2001) for the extensible header.
"""

from __future__ import annotations

import os
import struct
from typing import BinaryIO

import msgspec

from workbench.errors import ImportFailed
from workbench.plural import plural

PCM, FLOAT, ALAW, ULAW, EXTENSIBLE = 1, 3, 6, 7, 0xFFFE
SUBTYPES = {
    (PCM, 8): ("PCM_U8", "pcm_u8"),
    (PCM, 16): ("PCM_16", "pcm_s16le"),
    (PCM, 24): ("PCM_24", "pcm_s24le"),
    (PCM, 32): ("PCM_32", "pcm_s32le"),
    (FLOAT, 32): ("FLOAT", "pcm_f32le"),
    (FLOAT, 64): ("DOUBLE", "pcm_f64le"),
    (ALAW, 8): ("ALAW", "alaw"),
    (ULAW, 8): ("ULAW", "ulaw"),
}
_ENDLESS = 0x7FFF_F000
_CHUNKS_AFTER_DATA = {
    b"LIST",
    b"fact",
    b"cue ",
    b"bext",
    b"smpl",
    b"id3 ",
    b"ID3 ",
    b"JUNK",
    b"inst",
    b"iXML",
}


class WavHeader(msgspec.Struct, frozen=True, kw_only=True):
    """Format and place of the samples of a WAV file; `endless`: a streaming recorder left the size open."""

    tag: int
    channel_count: int
    sample_rate_hz: int
    bits: int
    data_offset: int
    data_bytes: int
    endless: bool

    @property
    def frame_count(self) -> int:
        """Whole samples per channel in the data chunk."""
        return self.data_bytes // (self.channel_count * self.bits // 8)


MOST_CHANNELS = 64
"""More are no recording of a call: the header is damaged."""


def _cut_short(where: str, what: str) -> ImportFailed:
    return ImportFailed(what, where=where, hint="export or copy the recording again", rule="truncated_audio")


def require_channels(count: int, where: str) -> None:
    """Refuse more channels than a recording of a call has.

    Parameters
    ----------
    count : int
        Channels.
    where : str
        Name of the file, for the error.

    Returns
    -------
    None

    Raises
    ------
    ImportFailed
        ``too_many_channels`` above 64.
    """
    if count > MOST_CHANNELS:
        raise ImportFailed(
            f"{count:,} channels; a recording of a call has at most {MOST_CHANNELS}",
            where=where,
            rule="too_many_channels",
            hint="the header is damaged or was written wrong; export or copy the recording again",
        )


def read_wav_header(file: BinaryIO, where: str) -> WavHeader | None:
    """Walk the chunks of a WAV file up to its samples.

    Parameters
    ----------
    file : binary file
        Open for reading; its position is moved.
    where : str
        Name of the file, for errors.

    Returns
    -------
    WavHeader or None
        None where the format is not plain PCM, float, A-law or mu-law; a general reader may know it.

    Raises
    ------
    ImportFailed
        ``truncated_audio`` when the header is cut or promises more samples than the file has, ``no_samples``
        when there are none, ``too_many_channels`` above 64, ``not_audio`` when the header makes no sense.
    """
    size = os.fstat(file.fileno()).st_size
    position, riff = 12, b""
    file.seek(0)
    riff = file.read(12)
    promised = 8 + struct.unpack("<I", riff[4:8])[0]
    shape: tuple[int, int, int, int] | None = None
    while True:
        file.seek(position)
        head = file.read(8)
        if len(head) < 8:
            if size < 44 or (promised > size and promised < _ENDLESS):
                raise _cut_short(
                    where, f"the WAV header is cut off: the file ends after {plural(size, 'byte')}, before any samples"
                )
            raise ImportFailed(
                "the WAV file has no data chunk, so no samples",
                where=where,
                rule="no_samples",
                hint="check the recorder: nothing was written",
            )
        name, length = head[:4], struct.unpack("<I", head[4:])[0]
        if name == b"fmt ":
            body = file.read(min(length, 40))
            if len(body) < min(length, 16) or length < 16:
                raise _cut_short(
                    where, f"the WAV header is cut off inside its format chunk ({plural(size, 'byte')} in all)"
                )
            tag, channels, rate, _, _, bits = struct.unpack("<HHIIHH", body[:16])
            if tag == EXTENSIBLE and len(body) >= 26:
                tag = struct.unpack("<H", body[24:26])[0]
            shape = (tag, channels, rate, bits)
        elif name == b"data":
            break
        position += 8 + length + length % 2
    if shape is None or shape[1] == 0 or shape[2] == 0:
        raise ImportFailed(
            f"the WAV header gives no usable format (channels and rate: {shape and shape[1:3]})",
            where=where,
            rule="not_audio",
            hint="convert the file to WAV, FLAC, MP3 or OGG first",
        )
    require_channels(shape[1], where)
    return _place_of_samples(file, where, shape, declared=length, offset=position + 8, size=size)


def _place_of_samples(
    file: BinaryIO, where: str, shape: tuple[int, int, int, int], *, declared: int, offset: int, size: int
) -> WavHeader | None:
    tag, channels, rate, bits = shape
    there = max(0, size - offset)
    file.seek(offset)
    empty = declared == 0 and (there < 8 or file.read(4) in _CHUNKS_AFTER_DATA)
    endless = (declared == 0 and not empty) or (declared >= _ENDLESS and declared > there)
    if empty or (there == 0 and endless):
        raise ImportFailed(
            "the WAV file has a header and 0 samples",
            where=where,
            rule="no_samples",
            hint="check the recorder: nothing was written",
        )
    if (tag, bits) not in SUBTYPES:
        return None
    align = channels * bits // 8
    used = there if endless else declared
    if used // align > there // align:
        raise _cut_short(
            where,
            f"the header promises {plural(declared // align, 'sample')} per channel "
            f"and the file has {there // align:,}",
        )
    if used // align == 0:
        raise ImportFailed(
            "the WAV file has 0 whole samples",
            where=where,
            rule="no_samples",
            hint="check the recorder: nothing was written",
        )
    return WavHeader(
        tag=tag,
        channel_count=channels,
        sample_rate_hz=rate,
        bits=bits,
        data_offset=offset,
        data_bytes=used // align * align,
        endless=endless,
    )
