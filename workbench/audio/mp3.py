"""What the header of an MP3 says of its length, and a decoder that keeps its remarks to itself.

The first frame may carry a Xing, Info (LAME) or VBRI header with the number of frames that follow. Layout of
a frame: ISO/IEC 11172-3 and 13818-3, 2.4.1.3; of the headers: the *MP3 Info Tag* revision 1 of LAME, and VBRI
as Fraunhofer's encoders write it, 32 bytes after the frame header.
"""

from __future__ import annotations

import contextlib
import os
import re
import struct
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

FRAMES_FLAG, BYTES_FLAG, SEEK_FLAG, QUALITY_FLAG = 1, 2, 4, 8
SEARCHED_BYTES: Final = 65_536
SHORT_FRACTION, SHORT_S = 0.02, 0.1
"""An MP3 is cut off when more than both of these are missing; encoders and decoders differ by a few frames."""

_REMARK: Final = re.compile(rb"^(?:Note|Warning): |libmpg123|^\s*$")
MOST_HELD_S = 0.1
"""Seconds that standard error is led away while further threads may join."""


def expected_samples(path: str) -> int | None:
    """Return how many samples per channel the header of an MP3 promises.

    Parameters
    ----------
    path : str
        The file.

    Returns
    -------
    int or None
        Frames times samples a frame, less the delay and padding where LAME states them. None where the first
        frame has no such header, as in most files of a constant bit rate.
    """
    with Path(path).open("rb") as file:
        head = file.read(10)
        if head[:3] == b"ID3" and len(head) == 10:
            file.seek(10 + sum((byte & 0x7F) << shift for byte, shift in zip(head[6:], (21, 14, 7, 0), strict=True)))
        else:
            file.seek(0)
        data = file.read(SEARCHED_BYTES)
    at = data.find(b"\xff")
    while at >= 0:
        if _is_layer_3(data[at : at + 4]):
            return _promise(data[at : at + 4096])
        at = data.find(b"\xff", at + 1)
    return None


def _is_layer_3(header: bytes) -> bool:
    if len(header) < 4 or header[1] & 0xE6 != 0xE2 or header[1] & 0x18 == 0x08:
        return False
    return header[2] & 0xF0 != 0xF0 and header[2] & 0x0C != 0x0C


def _promise(frame: bytes) -> int | None:
    first_version = frame[1] & 0x18 == 0x18
    mono = frame[3] & 0xC0 == 0xC0
    samples = 1152 if first_version else 576
    side = (17 if mono else 32) if first_version else (9 if mono else 17)
    tag = frame[4 + side :]
    if tag[:4] in (b"Xing", b"Info") and len(tag) >= 12:
        flags, frames = struct.unpack(">II", tag[4:12])
        if not flags & FRAMES_FLAG:
            return None
        at = 12 + 4 * bool(flags & BYTES_FLAG) + 100 * bool(flags & SEEK_FLAG) + 4 * bool(flags & QUALITY_FLAG)
        gaps = tag[at + 21 : at + 24]  # after the encoder's name (9), 12 bytes of settings
        unheard = (gaps[0] << 4 | gaps[1] >> 4) + ((gaps[1] & 15) << 8 | gaps[2]) if len(gaps) == 3 else 0
        return max(0, int(frames) * samples - unheard)
    if frame[36:40] == b"VBRI" and len(frame) >= 54:
        return int(struct.unpack(">I", frame[50:54])[0]) * samples
    return None


def clearly_shorter(count: int, expected: int, *, sample_rate_hz: int) -> bool:
    """Return whether more than 2 % and more than 0.1 s of the promised samples are missing.

    Parameters
    ----------
    count : int
        Samples per channel that decode.
    expected : int
        Samples per channel that the file promises, above 0.
    sample_rate_hz : int
        In Hz.

    Returns
    -------
    bool
        False for a file that is whole, or short by no more than an encoder's padding.
    """
    missing = expected - count
    return missing > SHORT_FRACTION * expected and missing > SHORT_S * sample_rate_hz


class _Shared:
    """Standard error led into a file, for as many threads as decode at the time."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._users = 0
        self._since = 0.0
        self._stack = contextlib.ExitStack()

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        with self._changed:
            while self._users and time.monotonic() - self._since > MOST_HELD_S:
                self._changed.wait()
            if not self._users:
                self._lead_away()
            self._users += 1
        try:
            yield
        finally:
            with self._changed:
                self._users -= 1
                if not self._users:
                    try:
                        self._stack.close()
                    finally:
                        self._changed.notify_all()

    def _lead_away(self) -> None:
        with contextlib.ExitStack() as stack:
            kept = os.dup(2)
            stack.callback(os.close, kept)
            held = stack.enter_context(tempfile.TemporaryFile())
            os.dup2(held.fileno(), 2)
            stack.callback(_restore, kept, held.fileno())
            self._stack = stack.pop_all()
        self._since = time.monotonic()


_STANDARD_ERROR = _Shared()


@contextlib.contextmanager
def quiet(path: str) -> Iterator[None]:
    """Hold back what the MP3 decoder prints about a file while the block runs.

    The decoder is C code without a switch for it and writes to file descriptor 2, so the descriptor is led
    into a file for that time. What anybody else wrote there is passed on afterwards; threads that decode
    side by side give it back every tenth of a second, so that a progress bar goes on.

    Parameters
    ----------
    path : str
        The file. Nothing is done where it is FLAC, OGG or a RIFF or AIFF file, which other decoders read.

    Returns
    -------
    context manager
        Gives nothing.
    """
    with Path(path).open("rb") as file:
        other = file.read(4) in (b"fLaC", b"OggS", b"RIFF", b"RF64", b"RIFX", b"FORM")
    if other or sys.__stderr__ is None:  # started without standard error, so descriptor 2 may be any file
        yield
        return
    with _STANDARD_ERROR.held():
        yield


def _restore(kept: int, held: int) -> None:
    os.dup2(kept, 2)
    size = os.lseek(held, 0, os.SEEK_END)
    if size:
        lines = os.pread(held, size, 0).splitlines(keepends=True)
        others = b"".join(line for line in lines if not _REMARK.search(line))
        if others:
            with contextlib.suppress(OSError):  # nobody reads it any more; that is no fault of the sound
                os.write(kept, others)
