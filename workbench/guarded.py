"""Folders of evidence: nothing that a user asks for is written into an archive or a contract."""

from __future__ import annotations

import os
from pathlib import Path

from workbench.errors import ExportFailed

MARKER, MAKING, CATALOG, DATA = "archive.json", "archive.making", "catalog.sqlite", "data"
"""What lies in the folder of an archive: its marker, that of one being made, its catalogue, its Parquet files."""

DOCUMENT, SUFFIX = "contract.json", ".contract"
"""The document in the folder of a contract, and how the name of that folder ends."""

ARCHIVE, CONTRACT = "workbench.archive/", "workbench.contract/"
"""How the format that their documents name begins; a version follows."""


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
    try:
        if (folder / MAKING).exists() or ((folder / CATALOG).is_file() and (folder / DATA).is_dir()):
            return "archive"
        if _holds(folder / MARKER, ARCHIVE):
            return "archive"
        document = folder / DOCUMENT
        if document.is_file() and (folder.suffix == SUFFIX or _holds(document, CONTRACT)):
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
