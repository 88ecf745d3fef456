"""One writer at a time: a file lock that the kernel releases when its holder dies."""

from __future__ import annotations

import fcntl
import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from workbench.errors import ArchiveFailed


def _open(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise ArchiveFailed(
            f"the archive cannot be written ({error.strerror})",
            where=str(path.parent),
            hint="give write permission to the folder, or work on a copy of it",
        ) from error


@contextmanager
def held(path: Path, *, timeout_s: float = 600.0) -> Iterator[None]:
    """Hold the lock of `path` while the block runs.

    Parameters
    ----------
    path : pathlib.Path
        Lock file; made when missing.
    timeout_s : float
        How long to wait for another holder, in seconds.

    Raises
    ------
    ArchiveFailed
        When the folder is not writable or the lock stays taken.
    """
    end = time.monotonic() + timeout_s
    handle = _taken(path, end, timeout_s=timeout_s)
    while not _is_there(handle, path):  # whoever held it has removed it, as an archive that is not made after all
        os.close(handle)
        handle = _taken(path, end, timeout_s=timeout_s)
    try:
        yield
    finally:
        os.close(handle)


def _taken(path: Path, end: float, *, timeout_s: float) -> int:
    """Open the file and wait for its lock."""
    handle = _open(path)
    try:
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                return handle
            except BlockingIOError as error:
                if time.monotonic() > end:
                    raise ArchiveFailed(
                        f"another process has been writing to the archive for {timeout_s:.0f} s",
                        where=str(path.parent),
                        hint="wait for it, or end it; a killed process releases the lock by itself",
                    ) from error
                time.sleep(0.02)
    except BaseException:
        os.close(handle)
        raise


def _is_there(handle: int, path: Path) -> bool:
    """Whether others who open the path get the file that is locked."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


@contextmanager
def spool(root: Path) -> Iterator[Path]:
    """Give a private folder inside the archive that vanishes afterwards.

    Folders left by killed writers are removed first: a living writer holds a lock on its own.

    Parameters
    ----------
    root : pathlib.Path
        The archive folder.

    Yields
    ------
    pathlib.Path
        An empty folder on the archive's own file system, so that a rename out of it is atomic.
    """
    sweep(root)
    name = f"{os.getpid()}-{os.urandom(4).hex()}"
    forming, folder = root / f".forming-{name}", root / f".spool-{name}"
    try:
        forming.mkdir()
    except OSError as error:
        raise ArchiveFailed(
            f"the archive cannot be written ({error.strerror})",
            where=str(root),
            hint="free disk space or give write permission to the folder",
        ) from error
    handle = _open(forming / "lock")
    fcntl.flock(handle, fcntl.LOCK_EX)
    forming.rename(folder)  # a spool is seen by others only once its lock is held
    try:
        yield folder
    finally:
        os.close(handle)
        shutil.rmtree(folder, ignore_errors=True)


def sweep(root: Path) -> int:
    """Remove the folders that killed writers left behind.

    Parameters
    ----------
    root : pathlib.Path
        The archive folder.

    Returns
    -------
    int
        How many were removed; 0 when there are none.
    """
    removed = 0
    for folder in root.glob(".forming-*"):
        with suppress(FileNotFoundError):  # it has just become a spool
            if time.time() - folder.stat().st_mtime > 60:
                shutil.rmtree(folder, ignore_errors=True)
                removed += 1
    for folder in root.glob(".spool-*"):
        try:
            handle = os.open(folder / "lock", os.O_RDWR)
        except FileNotFoundError:
            continue  # its writer is just removing it
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
            removed += 1
        except BlockingIOError:
            pass  # its writer is alive
        finally:
            os.close(handle)
    return removed
