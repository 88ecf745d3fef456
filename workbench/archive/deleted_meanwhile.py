"""What another process deleted while this one read: its sound is gone because the call is, and nothing is missing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.archive import media
from workbench.archive.lake.reading import read_once
from workbench.errors import ArchiveFailed, SnapshotGone

if TYPE_CHECKING:
    from workbench.archive.layout import Layout

Problem = tuple[str, str, str]
"""A call, a recording of it, and what is wrong with that."""


def there(layout: Layout) -> set[tuple[str, str]]:
    """Return the call and the recording of every row of `recordings`, as the archive has them now.

    Parameters
    ----------
    layout : Layout
        The archive.

    Returns
    -------
    set of (str, str)
    """
    _, rows = read_once(layout, lambda reader: reader.rows("select call_id, recording_id from recordings"))
    return {(str(call_id), str(recording_id)) for call_id, recording_id in rows}


def standing(layout: Layout, problems: Iterable[Problem]) -> list[str]:
    """Return what is wrong with recordings that the archive still has.

    Parameters
    ----------
    layout : Layout
        The archive.
    problems : iterable of (str, str, str)
        What a pass met, in any order; without any the archive is not read.

    Returns
    -------
    list of str
        In the order of the alphabet.
    """
    met = list(problems)
    known = there(layout) if met else set()
    return sorted(text for call_id, recording_id, text in met if (call_id, recording_id) in known)


def require(layout: Layout, recording: dict[str, Any]) -> Path:
    """Return the path of a recording's audio, as :func:`workbench.archive.media.require` does.

    Parameters
    ----------
    layout : Layout
        The archive.
    recording : dict
        Its row.

    Raises
    ------
    SnapshotGone
        When its call was deleted since the row was read: what is made of the archive is to be made anew.
    ArchiveFailed
        When the file is gone or its bytes are not the ones that were imported.
    """
    try:
        return media.require(layout, recording)
    except ArchiveFailed as error:
        if (recording["call_id"], recording["recording_id"]) in there(layout):
            raise
        raise SnapshotGone(
            f"the call {recording['call_id']!r} was deleted meanwhile", where=str(layout.root), hint="open it again"
        ) from error
