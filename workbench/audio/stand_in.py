"""A temporary file that stands for one of the user's: what is wrong with it is said of the user's file."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.errors import WorkbenchError


@contextmanager
def standing_for(name: str | Path, copy: str | Path) -> Iterator[None]:
    """Let errors of the block name another file than the one that was read.

    Parameters
    ----------
    name : path
        What the user knows it as.
    copy : path
        The temporary file that the block reads.

    Yields
    ------
    None

    Raises
    ------
    WorkbenchError
        Whatever the block raises, with `name` where the copy was named, or no place at all.
    """
    try:
        yield
    except WorkbenchError as error:
        error.what = error.what.replace(str(copy), str(name))
        error.where = str(name) if error.where is None else error.where.replace(str(copy), str(name))
        error.hint = error.hint and error.hint.replace(str(copy), str(name))
        error.args = (str(error),)
        raise
