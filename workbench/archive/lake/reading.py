"""One reading of an archive, begun again on the newest snapshot where another process took what it read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from workbench.archive.lake.reader import Reader
from workbench.errors import SnapshotGone

if TYPE_CHECKING:
    from workbench.archive.layout import Layout

T = TypeVar("T")

TRIES = 5
"""How often a reading begins, at most: each time another deletion must have come in between."""


def read_once(layout: Layout, work: Callable[[Reader], T]) -> T:
    """Read the newest snapshot by a connection of its own.

    A deletion takes the files of older snapshots away at once. All of `work` then runs again, so that what it
    returns is of one snapshot.

    Parameters
    ----------
    layout : Layout
        The archive.
    work : callable
        Takes the connection; reads, and changes nothing.

    Returns
    -------
    object
        What `work` returned.

    Raises
    ------
    SnapshotGone
        When every one of `TRIES` readings met a deletion.
    """
    for left in reversed(range(TRIES)):
        reader = Reader(layout)
        try:
            return work(reader)
        except SnapshotGone:
            if not left:
                raise
        finally:
            reader.close()
    raise AssertionError("unreachable")
