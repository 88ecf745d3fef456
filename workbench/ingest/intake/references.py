"""Files a call names: found beside it whatever the Unicode form of their names.

A name comes from a document, so it may be one that no system takes (too long, a loop of links, behind a folder that
may not be entered). That is a matter of the row that names it, and never an error of the file the row stands in.
"""

from __future__ import annotations

import os
import stat
import unicodedata
from pathlib import Path

from workbench.errors import ImportFailed
from workbench.ingest.intake.refusing import shown


def resolve(base: Path, name: str) -> Path | None:
    """Return the file that a call in the folder `base` names.

    Parameters
    ----------
    base : Path
        Folder the name is relative to. An absolute name stands for itself.
    name : str
        Path as written in the call. Addresses such as ``https://...`` are never files.

    Returns
    -------
    Path or None
        An existing file. A name with accents is found in either Unicode form (composed as most systems
        write it, decomposed as macOS did). None when there is no such file.

    Raises
    ------
    ImportFailed
        With the rule ``audio_inlined`` where the sound itself stands in place of its name, and ``bad_audio_path``
        where the system cannot look the name up. The message shows at most 80 letters of it.
    """
    if inlined(name):
        raise ImportFailed(
            f"inlined audio is not read ({len(name):,} letters that begin with {name[:24]!r})",
            hint="write it to a file, and name that file here",
            rule="audio_inlined",
        )
    if not name or "\0" in name or "://" in name:
        return None
    try:
        return _found(Path(os.path.normpath(base / name)))
    except OSError as error:
        raise ImportFailed(
            f"the file {shown(name)} cannot be looked up ({error.strerror or error})",
            hint="name a file that is there and may be read, with names of at most 255 bytes",
            rule="bad_audio_path",
        ) from error


def inlined(name: str) -> bool:
    """Return whether the bytes of a file stand where its name belongs: a ``data:`` address."""
    return name[:5].lower() == "data:"


def is_there(path: Path) -> bool:
    """Return whether a file is there; a path that the system does not take, or may not look into, is none."""
    try:
        return _is_file(path)
    except OSError:
        return False


def _is_file(path: Path) -> bool:
    """Return whether a file is there, where `Path.is_file` raises or not by the version of Python."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # the last for a NUL, which no name has
        return False


def _found(path: Path) -> Path | None:
    if _is_file(path):
        return path
    if path.name.isascii() or not path.parent.is_dir():
        return None
    wanted = unicodedata.normalize("NFC", path.name)
    for other in sorted(inner.name for inner in path.parent.iterdir()):
        if unicodedata.normalize("NFC", other) == wanted and _is_file(path.parent / other):
            return path.parent / other
    return None
