"""A stretch of a file as a file of its own."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any


def section(path: str, *, offset: int, length: int) -> io.RawIOBase:
    """Open `length` bytes of a file from `offset` on, as if there were nothing else in it.

    Parameters
    ----------
    path : str
        The file.
    offset, length : int
        In bytes; what the file does not have is missing at the end.

    Returns
    -------
    io.RawIOBase
        Open for reading and seeking.

    Raises
    ------
    OSError
        When the file cannot be opened.
    """
    return _Section(path, offset, length)


class _Section(io.RawIOBase):
    def __init__(self, path: str, offset: int, length: int) -> None:
        self._file = Path(path).open("rb")  # noqa: SIM115 - closed with this object, at the latest when it is dropped
        self._offset, self._length, self._at = offset, length, 0

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset + (0, self._at, self._length)[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        self._file.seek(self._offset + self._at)
        got = self._file.readinto(view[: max(0, min(len(view), self._length - self._at))])
        self._at += got
        return got

    def close(self) -> None:
        self._file.close()
        super().close()
