"""What the disk says when it refuses, as one clear error that says what is kept and what was not changed."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.errors import ArchiveFailed, WorkbenchError

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


class Refused(ArchiveFailed):
    """The disk, or the catalogue on it, refuses what a command wants to write.

    Parameters
    ----------
    cause : str
        What happened, without a word on what was changed.
    kept : str
        What is so now: that nothing was changed, or what a command had committed before that.
    remedy : str
        What to do about the cause.
    where, hint
        As for every error; without a hint it is the remedy.
    """

    def __init__(
        self, cause: str, *, kept: str = "nothing was changed", remedy: str, where: str, hint: str | None = None
    ) -> None:
        self.cause = cause
        self.kept = kept
        self.remedy = remedy
        super().__init__(f"{cause}; {kept}", where=where, hint=hint or remedy)


def explained(text: str, root: Path) -> Refused | None:
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
        return Refused(
            f"the disk is full or refuses writes ({line.strip()})",
            remedy="free space",
            where=str(root),
            hint="free space and run the same command again",
        )
    if any(sign in lowered for sign in _LOCKED_OUT):
        return Refused(
            f"the archive cannot be written ({line.strip()})",
            remedy="give write permission to the folder",
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


@contextmanager
def kept(root: Path, what: str, *, hint: str) -> Iterator[None]:
    """Say of a failure inside the block what had been committed before it: then something was changed.

    Parameters
    ----------
    root : pathlib.Path
        The archive folder.
    what : str
        What is kept, and what is not done.
    hint : str
        The command that does what is left.

    Raises
    ------
    ArchiveFailed
        For whatever fails in the archive. Of one block in another, both say what is kept, and the hint is the inner's.
    """
    from polars.exceptions import PolarsError

    try:
        yield
    except (ArchiveFailed, OSError, PolarsError, sqlite3.Error) as error:
        refusal = error if isinstance(error, ArchiveFailed) else explained(str(error), root)
        if refusal is None:
            raise
        if not isinstance(refusal, Refused):
            refusal = Refused(refusal.what, remedy=refusal.hint or "", where=refusal.where or str(root))
        inner = isinstance(refusal, _Kept)
        raise _Kept(
            refusal.cause,
            kept=f"{what}; {refusal.kept}" if inner else what,
            remedy=refusal.remedy,
            where=refusal.where or str(root),
            hint=refusal.hint if inner else "; then ".join(filter(None, (refusal.remedy, hint))),
        ) from error


def both(first: BaseException, second: ArchiveFailed | OSError, root: Path, *, stays: str, then: str) -> BaseException:
    """Return one error for what stopped a command, and what kept it from undoing what it had begun.

    Parameters
    ----------
    first : BaseException
        What stopped it.
    second : ArchiveFailed or OSError
        What failed while it was being undone.
    root : pathlib.Path
        The archive folder.
    stays : str
        What is left, as a clause: "the mark of the deletion stays".
    then : str
        What to do about that.

    Returns
    -------
    BaseException
        An :class:`ArchiveFailed` with both; a KeyboardInterrupt that says what is left; `first` itself, with a note,
        where it is a bug.
    """
    told = explained(str(first), root) or first if isinstance(first, OSError) else first
    stays = f"{stays} ({second.what if isinstance(second, ArchiveFailed) else second})"
    if isinstance(told, WorkbenchError):
        hint = f"{told.hint}; {then}" if told.hint else then
        return ArchiveFailed(f"{told.what}; {stays}", where=told.where or str(root), hint=hint)
    if isinstance(told, SystemExit):  # the command has said what stopped it
        return ArchiveFailed(stays, where=str(root), hint=then)
    if isinstance(told, KeyboardInterrupt):
        return KeyboardInterrupt(f"{stays}; {then}")
    told.add_note(f"{stays}; {then}")  # a bug: told with its traceback
    return told


class _Kept(Refused):
    """Something was committed before."""
