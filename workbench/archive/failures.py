"""What the disk says when it refuses, as one clear error; nothing was changed then."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.errors import ArchiveFailed

_FULL = (
    "no space left",
    "is full",
    "disk full",
    "quota exceeded",
    "file too large",
    "could not write",
    "disk i/o error",
    "transport error",  # what polars says when its Parquet writer meets a full disk
    "cannot rollback - no transaction is active",  # SQLite rolled back by itself after a refused write
)
_LOCKED_OUT = ("readonly", "read-only", "permission denied", "not permitted")


def explained(text: str, root: Path) -> ArchiveFailed | None:
    """Return the error for a disk's refusal, or None when the text is about something else.

    Parameters
    ----------
    text : str
        Message of an operating system, DuckDB, SQLite, polars or pyarrow error.
    root : pathlib.Path
        The archive folder.
    """
    lowered = text.lower()
    line = next((part for part in reversed(text.strip().splitlines()) if part.strip()), text)
    if any(sign in lowered for sign in _FULL):
        return ArchiveFailed(
            f"the disk is full or refuses writes; nothing was changed ({line.strip()})",
            where=str(root),
            hint="free space and run the same command again",
        )
    if any(sign in lowered for sign in _LOCKED_OUT):
        return ArchiveFailed(
            f"the archive cannot be written ({line.strip()})",
            where=str(root),
            hint="give write permission to the folder, or work on a copy of it",
        )
    return None


def is_full(error: OSError) -> bool:
    """Tell whether the disk that is written to is full, over its quota or read-only, whatever was being read."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS)


@contextmanager
def disk(root: Path) -> Iterator[None]:
    """Turn a disk's refusal inside the block into an ArchiveFailed; let every other error pass.

    Parameters
    ----------
    root : pathlib.Path
        The archive folder.

    Raises
    ------
    ArchiveFailed
        For a full disk, a read-only folder, a quota.
    """
    from polars.exceptions import PolarsError

    try:
        yield
    except (OSError, PolarsError) as error:
        refusal = explained(str(error), root)
        if refusal is None:
            raise
        raise refusal from error
