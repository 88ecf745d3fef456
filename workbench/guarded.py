"""Folders of evidence: nothing that a user asks for is written into an archive or a contract."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.archive.layout import Layout
from workbench.errors import ExportFailed


def require_outside(target: str | os.PathLike[str]) -> None:
    """Refuse a file or folder to make that would lie in an archive or in a contract's folder.

    Parameters
    ----------
    target : path
        What will be made or replaced; it need not be there. Links are followed, its own too.

    Raises
    ------
    ExportFailed
        When a folder above it is an archive, whole or not, or a contract.
    """
    path = Path(target)
    places = {Path(os.path.realpath(path)), Path(os.path.realpath(path.parent)) / path.name}
    for folder in sorted({above for place in places for above in place.parents}, reverse=True):
        what = _evidence(folder)
        if what is not None:
            raise ExportFailed(
                f"it would lie in the {what} {str(folder)!r}, which holds evidence and nothing else",
                where=str(target),
                hint="name a place outside it",
            )


def _evidence(folder: Path) -> str | None:
    """What a folder is, of the two that are never written into; None for any other."""
    from workbench.timing.contracts.document import FORMAT
    from workbench.timing.contracts.members import DOCUMENT, SUFFIX

    layout = Layout(folder)
    try:
        if layout.making.exists() or (layout.catalog.is_file() and layout.data.is_dir()):
            return "archive"
        if _holds(layout.marker, "workbench.archive/"):
            return "archive"
        document = folder / DOCUMENT
        if document.is_file() and (folder.suffix == SUFFIX or _holds(document, FORMAT)):
            return "contract"
    except OSError:  # it may not be looked into, and so not be written into either
        return None
    return None


def _holds(path: Path, word: str) -> bool:
    """Whether a small file names a format."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return word.encode() in file.read(1 << 20)
