"""Finds out what a sound file is and which reader decodes it, without decoding it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from workbench.audio import stopping
from workbench.audio.file_name import checked_name
from workbench.audio.mp3 import expected_samples, quiet
from workbench.audio.wav import PCM, SUBTYPES, read_wav_header, require_channels
from workbench.errors import ImportFailed, UsageError
from workbench.plural import plural

MIN_RATE_HZ, MAX_RATE_HZ = 4_000, 384_000
"""Sample rates that a recording of speech can have."""

_UNKNOWN_LENGTH = 1 << 48  # what a streamed FLAC without a length claims is larger
LOSSY = {"vorbis", "opus", "mp3", "aac"}
HEADERLESS = {"ulaw": ("ULAW", 8), "alaw": ("ALAW", 8), "pcm_s16le": ("PCM_16", 16)}
_BITS = {
    "PCM_S8": 8,
    "PCM_U8": 8,
    "PCM_16": 16,
    "PCM_24": 24,
    "PCM_32": 32,
    "FLOAT": 32,
    "DOUBLE": 64,
    "ULAW": 8,
    "ALAW": 8,
}
_CODECS = {
    "PCM_S8": "pcm_s8",
    "PCM_U8": "pcm_u8",
    "PCM_16": "pcm_s16",
    "PCM_24": "pcm_s24",
    "PCM_32": "pcm_s32",
    "FLOAT": "pcm_f32",
    "DOUBLE": "pcm_f64",
    "MPEG_LAYER_III": "mp3",
}
_KNOWN = (
    "WAV, FLAC, MP3, OGG (Vorbis, Opus); m4a, mp4 and webm with the extra `m4a`; "
    "headerless ulaw, alaw and pcm_s16le with a sample rate"
)


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """A recognised sound file.

    `promised` is the number of samples per channel its header vouches for, `expected` what
    the header of an MP3 says, which may be off by a few frames.
    """

    path: str
    reader: Literal["pcm16", "raw", "soundfile", "container"]
    container: str
    codec: str
    subtype: str
    sample_rate_hz: int
    sample_width_bits: int | None
    channel_count: int
    promised: int | None
    data_offset: int = 0
    expected: int | None = None


def identify(path: str | Path, *, encoding: str | None = None, sample_rate_hz: int | None = None) -> Source:
    """Recognise a sound file by its content.

    Parameters
    ----------
    path : path
        The file.
    encoding : {'ulaw', 'alaw', 'pcm_s16le'}, optional
        For a headerless file of one channel; ignored when the file turns out to be a WAV, FLAC or OGG.
    sample_rate_hz : int, optional
        Needed with `encoding`.

    Returns
    -------
    Source

    Raises
    ------
    ImportFailed
        ``bad_file_name``, ``empty_file``, ``no_samples``, ``not_audio``, ``sample_rate``, ``too_many_channels``,
        ``truncated_audio`` or ``unsupported_codec``.
    UsageError
        When the encoding is unknown or lacks a sample rate.
    MissingExtra
        For m4a, mp4 and webm without the extra ``m4a``.
    """
    where = checked_name(str(path))
    source = _identified(path, where, encoding=encoding, sample_rate_hz=sample_rate_hz)
    if not MIN_RATE_HZ <= source.sample_rate_hz <= MAX_RATE_HZ:
        raise ImportFailed(
            f"the sample rate is {source.sample_rate_hz} Hz; sound of calls has {MIN_RATE_HZ} to {MAX_RATE_HZ}",
            where=where,
            rule="sample_rate",
            hint="the header is damaged or was written wrong; export or copy the recording again",
        )
    require_channels(source.channel_count, where)
    return source


def _identified(path: str | Path, where: str, *, encoding: str | None, sample_rate_hz: int | None) -> Source:
    try:
        with Path(path).open("rb") as file:
            head = file.read(16)
            if not head:
                raise ImportFailed(
                    "the file is empty (0 bytes)",
                    where=where,
                    rule="empty_file",
                    hint="copy the recording again",
                )
            if head[:4] == b"RIFF" and (len(head) < 12 or head[8:12] == b"WAVE"):
                return _wav(file, where, head)
            size = file.seek(0, 2)
    except OSError as error:
        raise ImportFailed(f"the file cannot be read ({error.strerror})", where=where, hint="check the path") from error
    if encoding is not None and head[:4] not in (b"fLaC", b"OggS"):
        return _headerless(where, size, encoding=encoding, sample_rate_hz=sample_rate_hz)
    if head[4:8] == b"ftyp" or head[:4] == b"\x1aE\xdf\xa3":
        from workbench.audio.container import describe

        return describe(where)
    return _general(where)


def _wav(file: Any, where: str, head: bytes) -> Source:
    if len(head) < 12:
        raise ImportFailed(
            f"the WAV header is cut off after {plural(len(head), 'byte')}",
            where=where,
            rule="truncated_audio",
            hint="export or copy the recording again",
        )
    header = read_wav_header(file, where)
    if header is None:
        return _general(where)
    subtype, codec = SUBTYPES[header.tag, header.bits]
    plain = (header.tag, header.bits) == (PCM, 16)
    return Source(
        path=where,
        reader="pcm16" if plain else "raw" if header.endless else "soundfile",
        container="wav",
        codec=codec,
        subtype=subtype,
        sample_rate_hz=header.sample_rate_hz,
        sample_width_bits=header.bits,
        channel_count=header.channel_count,
        promised=header.frame_count,
        data_offset=header.data_offset,
    )


def _headerless(where: str, size: int, *, encoding: str, sample_rate_hz: int | None) -> Source:
    if encoding not in HEADERLESS:
        raise UsageError(
            f"unknown encoding {encoding!r} for a headerless file",
            where=where,
            hint="use one of " + ", ".join(HEADERLESS),
        )
    if not sample_rate_hz or sample_rate_hz < 1:
        raise UsageError(
            f"a headerless {encoding} file needs its sample rate, got {sample_rate_hz}",
            where=where,
            hint="give sample_rate_hz, 8000 for telephone audio",
        )
    subtype, bits = HEADERLESS[encoding]
    if size * 8 < bits:
        raise ImportFailed(
            "the file holds less than one sample",
            where=where,
            rule="no_samples",
            hint="copy the recording again",
        )
    return Source(
        path=where,
        reader="pcm16" if bits == 16 else "raw",
        container="raw",
        codec=encoding,
        subtype=subtype,
        sample_rate_hz=sample_rate_hz,
        sample_width_bits=bits,
        channel_count=1,
        promised=size * 8 // bits,
    )


def _general(where: str) -> Source:
    import soundfile

    try:
        with stopping.held(), quiet(where), soundfile.SoundFile(where) as file:
            codec = _CODECS.get(file.subtype, file.subtype.lower())
            lossy = codec in LOSSY
            bits = None if lossy else _BITS.get(file.subtype)
            name = file.format.lower()
            if name == "flac":
                codec = "flac"
            elif name == "mpeg":
                name = "mp3"
            return Source(
                path=where,
                reader="soundfile",
                container=name,
                codec=codec,
                subtype=file.subtype,
                sample_rate_hz=file.samplerate,
                sample_width_bits=bits,
                channel_count=file.channels,
                expected=expected_samples(where) if name == "mp3" else None,
                promised=file.frames if not lossy and 0 < file.frames < _UNKNOWN_LENGTH else None,
            )
    except (soundfile.LibsndfileError, TypeError) as error:
        raise _refusal(where, error) from error


def _refusal(where: str, error: Exception) -> ImportFailed:
    with Path(where).open("rb") as file:
        head = file.read(12)
    known = {
        b"RIFF": "WAV",
        b"fLaC": "FLAC",
        b"OggS": "OGG",
        b"FORM": "AIFF",
        b"RF64": "RF64",
        b"RIFX": "WAV",
    }.get(head[:4])
    if known is None and expected_samples(where):
        known = "MP3"
    if known in ("FLAC", "RF64", "AIFF", "MP3"):
        return ImportFailed(
            f"the {known} file cannot be read, it is cut off or damaged ({error})",
            where=where,
            rule="truncated_audio",
            hint="export or copy the recording again",
        )
    if known:
        return ImportFailed(
            f"the {known} file holds a codec that cannot be decoded ({error})",
            where=where,
            rule="unsupported_codec",
            hint=f"convert it with ffmpeg; readable are {_KNOWN}",
        )
    return ImportFailed(
        "this is not a sound file that can be recognised",
        where=where,
        rule="not_audio",
        hint=f"readable are {_KNOWN}",
    )
