"""Digests of a file, taken in one reading and remembered while the file stays as it is.

An import needs the digest of a recording's bytes twice and that of its samples once. The samples of a 16-bit
PCM file are a stretch of its bytes, so one reading gives both.
"""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path
from typing import Any

from workbench.audio import stopping
from workbench.errors import ImportFailed

PIECE = 1 << 20
REMEMBERED = 4096


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hex.

    A file of the same size and time of change is not read again by this process; to find out whether stored
    audio is still what it was, hash it with `hashlib`.

    Parameters
    ----------
    path : pathlib.Path
        Any file; an empty one has a digest too.

    Returns
    -------
    str
        64 hex digits.

    Raises
    ------
    OSError
        When the file cannot be read.
    """
    return _remembered(path)[0]


def pcm16_sha256(path: Path) -> str | None:
    """Return the SHA-256 of the samples of a 16-bit PCM WAV file.

    Parameters
    ----------
    path : pathlib.Path
        Any file.

    Returns
    -------
    str or None
        64 hex digits; None for any other file, and for one that holds fewer samples than it promises.
    """
    return _remembered(path)[1]


def _remembered(path: Path) -> tuple[str, str | None]:
    status = path.stat()
    return _digests(os.fspath(path.absolute()), status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=REMEMBERED)
def _digests(path: str, _size: int, _changed_ns: int) -> tuple[str, str | None]:
    first, after = _samples(path)
    whole, samples = hashlib.sha256(), hashlib.sha256()
    at = 0
    buffer = bytearray(PIECE)
    view = memoryview(buffer)
    with Path(path).open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            whole.update(view[:count])
            inside = view[max(0, first - at) : max(0, min(count, after - at))]
            if inside:
                samples.update(inside)
            at += count
            stopping.check()
    return whole.hexdigest(), samples.hexdigest() if at >= after > first else None


def _samples(path: str) -> tuple[int, int]:
    """Return where the samples of a 16-bit PCM WAV file begin and end; (0, 0) for any other file."""
    if not path.lower().endswith((".wav", ".wave")):
        return 0, 0
    source: Any
    from workbench.audio.source import identify

    try:
        source = identify(path)
    except ImportFailed:
        return 0, 0
    if source.reader != "pcm16" or not source.promised:
        return 0, 0
    return source.data_offset, source.data_offset + source.promised * source.channel_count * 2
