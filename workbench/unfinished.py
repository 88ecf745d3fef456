"""Hidden files and folders that take their name when they are whole, and what killed processes leave of them.

Each is locked while its maker lives; the kernel releases the lock when that process dies, however it dies. So
what nobody holds is a leftover and may go. Where a file system has no such locks nothing is taken for one.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_MARK, _LONGEST = ".unfinished-", 58
"""With mark and chance a name of so many letters has at most 253 bytes, four each: file systems take 255."""


@contextmanager
def folder(target: Path) -> Iterator[Path]:
    """Give a hidden folder beside the target, which is gone after the block; leftovers beside it go first.

    Parameters
    ----------
    target : pathlib.Path
        What will be made in it and moved out of it. Its parent exists.

    Yields
    ------
    pathlib.Path
        An empty folder.

    Raises
    ------
    OSError
        When it cannot be made.
    """
    sweep(target.parent, like=target.name)
    while True:
        hidden = Path(tempfile.mkdtemp(prefix=_prefix(target), dir=target.parent))
        handle = os.open(hidden, os.O_RDONLY | os.O_DIRECTORY)
        if _hold(handle, hidden):
            break
        os.close(handle)  # another process found it unlocked, took it for a leftover and removed it
    try:
        yield hidden
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
        os.close(handle)


@contextmanager
def file(target: Path) -> Iterator[Path]:
    """Give a hidden file beside the target, which is gone after the block if it still has that name.

    Leftovers beside it go first.

    Parameters
    ----------
    target : pathlib.Path
        Whose name it will take. Its parent exists.

    Yields
    ------
    pathlib.Path
        An empty file, for its owner only.

    Raises
    ------
    OSError
        When it cannot be made.
    """
    sweep(target.parent, like=target.name)
    while True:
        handle, name = tempfile.mkstemp(prefix=_prefix(target), dir=target.parent)
        hidden = Path(name)
        if _hold(handle, hidden):
            break
        os.close(handle)
    try:
        yield hidden
    finally:
        hidden.unlink(missing_ok=True)
        os.close(handle)


def sweep(place: Path, *, like: str) -> int:
    """Remove the leftovers of dead processes.

    Parameters
    ----------
    place : pathlib.Path
        The folder they lie in.
    like : str
        Name of what was to be made. Leftovers of names with the same ending go, as ``.contract`` or ``.html``;
        of a name without an ending those of the same name.

    Returns
    -------
    int
        How many were removed; 0 where there are none, or `place` cannot be read.
    """
    removed = 0
    ending = Path(like).suffix
    with suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            made = _maker(entry.name)
            if made is None or not (made.endswith(ending) if ending else made == like[-_LONGEST:]):
                continue
            with suppress(OSError):  # it is gone already, or somebody else's
                removed += _removed(Path(entry.path), is_folder=entry.is_dir(follow_symlinks=False))
    return removed


def _prefix(target: Path) -> str:
    return f".{target.name[-_LONGEST:]}{_MARK}"


def _maker(name: str) -> str | None:
    """The name that was to be made, of a hidden file or folder; None for anything else."""
    made, mark, rest = name[1:].rpartition(_MARK)
    return made if name.startswith(".") and mark and made and len(rest) == 8 else None


def _hold(handle: int, path: Path) -> bool:
    """Lock what was just made; False where somebody removed it before it was locked."""
    with suppress(OSError):  # a file system without locks: then nothing is ever swept there
        fcntl.flock(handle, fcntl.LOCK_EX)
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(handle), path.lstat())
    return False


def _removed(path: Path, *, is_folder: bool) -> bool:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if not is_folder and not stat.S_ISREG(os.fstat(handle).st_mode):
            return False
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused while its maker lives
        if is_folder:
            shutil.rmtree(path)
        else:
            path.unlink()
    finally:
        os.close(handle)
    return True
