"""A page read from one snapshot of an archive, whoever writes to it meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.archive.archive import Archive


class Build(Protocol):
    """Build a page from an archive; `worst` moments are shown with lanes and sound."""

    def __call__(self, archive: Archive, snapshot: int, /, *, worst: int) -> str:
        """Return the whole HTML file."""


def of_one_snapshot(build: Build, archive: Archive, *, worst: int) -> str:
    """Build a page, and again from the snapshot it began with where somebody wrote meanwhile.

    Parameters
    ----------
    build : callable
        Takes the archive and the number of the snapshot it is at.
    archive : Archive
        The archive.
    worst : int
        Moments shown with lanes and sound.

    Returns
    -------
    str
        The whole HTML file.

    Raises
    ------
    UsageError
        When `worst` is below 0, and whatever `build` raises.
    """
    from workbench.archive.archive import Archive

    if worst < 0:
        raise UsageError(f"{worst} moments cannot be shown", hint="give 0 or more")
    snapshot = archive.snapshot
    text = build(archive, snapshot, worst=worst)
    if archive.snapshot != snapshot:
        with Archive(archive.path, as_of=snapshot) as pinned:
            text = build(pinned, snapshot, worst=worst)
    return text
