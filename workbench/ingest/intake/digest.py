"""SHA-256 of what a call came from: a row, a file, several files or a folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from workbench.audio.file_digest import file_sha256


def of_bytes(data: bytes) -> str:
    """Return the hexadecimal SHA-256 of some bytes."""
    return hashlib.sha256(data).hexdigest()


def of_file(path: Path) -> str:
    """Return the hexadecimal SHA-256 of a file; see :mod:`workbench.audio.file_digest`.

    Raises
    ------
    OSError
        When the file cannot be read.
    """
    return file_sha256(path)


def of_files(paths: Iterable[Path]) -> str:
    """Return one SHA-256 over the digests of several files, in the order given."""
    return of_bytes("\n".join(of_file(path) for path in paths).encode())


def of_folder(folder: Path) -> str:
    """Return one SHA-256 over the relative names and digests of all files under a folder.

    Files are taken in byte order of their relative names, so copies of a folder have the same digest. An
    empty folder gives the digest of no bytes.
    """
    files = [path for path in folder.rglob("*") if path.is_file()]
    named = sorted((os.fsencode(path.relative_to(folder).as_posix()), path) for path in files)
    return of_bytes(b"\n".join(name + b"\0" + of_file(path).encode() for name, path in named))


def of_path(path: Path) -> str:
    """Return the SHA-256 of a file or of a folder."""
    return of_folder(path) if path.is_dir() else of_file(path)
