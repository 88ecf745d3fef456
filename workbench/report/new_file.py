"""A file that is replaced whole or not at all; devices and pipes are written to and stay what they are."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from workbench import commits, unfinished
from workbench.errors import ExportFailed
from workbench.guarded import require_outside
from workbench.report.file_kinds import NAMES, Kind, is_of

_OPEN_ALREADY = re.compile(r"(?:/dev/fd|/proc/self/fd)/(\d+)|/dev/std(in|out|err)")


def write_whole(target: str | Path, text: str, *, kind: Kind) -> int:
    """Write a text to a file beside the target, then give it the target's name.

    Parameters
    ----------
    target : path
        File to make or replace. A device or a pipe is written to directly.
    text : str
        Its content, written as UTF-8 with the line ends it has.
    kind : str
        What it is; a file of another kind is not replaced.

    Returns
    -------
    int
        Bytes written.

    Raises
    ------
    ExportFailed
        As :func:`require_place`, and when the disk refuses. An earlier file is then still there, whole.
    """
    content = text.encode("utf-8")
    with whole(target, kind=kind) as file:
        file.write(content)
    return len(content)


def require_place(target: str | Path, *, kind: Kind) -> None:
    """Refuse a target that must not or cannot become a file, before any work is done for it.

    Parameters
    ----------
    target : path
        Of a device, a pipe or what this process was given open nothing is asked but that it is there.
    kind : str
        What will be written.

    Raises
    ------
    ExportFailed
        When it is a folder, its folder is missing, it lies in an archive or a contract, or an earlier file is of
        another kind or may not be changed.
    """
    path = Path(target)
    try:
        if path.is_dir():
            raise ExportFailed("it is a folder", where=str(path), hint="name a file in it")
        if not path.parent.is_dir():
            raise ExportFailed(
                f"there is no folder {str(path.parent)!r}", where=str(path), hint="make the folder first"
            )
        if path.exists() and not os.access(path, os.W_OK):
            raise PermissionError(0, "no permission to change it")
        if _is_special(path):
            return
        require_outside(path)
        if path.is_file() and not is_of(kind, path):
            raise ExportFailed(
                f"there is a file of this name that is no {NAMES[kind]}", where=str(path), hint="choose another name"
            )
    except OSError as error:
        raise _refused(path, error) from error


@contextmanager
def whole(target: str | Path, *, kind: Kind) -> Iterator[BinaryIO]:
    """Give a file to write; it takes the target's name when the block ends well, and vanishes when not.

    Yields
    ------
    binary file

    Raises
    ------
    ExportFailed
        As :func:`require_place`, and when the disk refuses.
    """
    require_place(target, kind=kind)
    path = Path(target)
    special = _is_special(path)
    try:
        if special:
            content = io.BytesIO()
            yield content
            _write_directly(path, content.getvalue())
        else:
            with _beside(Path(os.path.realpath(path))) as file:
                yield file
    except OSError as error:
        raise _refused(path, error) from error
    if not special:
        commits.written(path)


def _is_special(path: Path) -> bool:
    return bool(_OPEN_ALREADY.fullmatch(str(path.absolute()))) or (path.exists() and not path.is_file())


def _write_directly(path: Path, content: bytes) -> None:
    """Write to a device, a pipe, or a file this process was given open; nobody reading on is no failure."""
    given = _OPEN_ALREADY.fullmatch(str(path.absolute()))
    if given:
        number = int(given[1]) if given[1] else ("in", "out", "err").index(given[2])
        handle = os.dup(number)
    else:
        handle = os.open(path, os.O_WRONLY | os.O_NOCTTY)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
    except BrokenPipeError:
        return


@contextmanager
def _beside(path: Path) -> Iterator[BinaryIO]:
    with unfinished.file(path) as hidden:
        with hidden.open("wb") as file:
            yield file
        hidden.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        hidden.replace(path)


def _refused(path: Path, error: OSError) -> ExportFailed:
    return ExportFailed(
        f"the file cannot be written ({error.strerror or error})",
        where=str(path),
        hint="free disk space, or name a file in a folder you may write to",
    )


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
