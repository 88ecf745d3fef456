"""Files a call names: found beside it whatever the Unicode form of their names."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path


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
    """
    if not name or "\0" in name or "://" in name:
        return None
    path = Path(os.path.normpath(base / name))
    if path.is_file():
        return path
    if name.isascii() or not path.parent.is_dir():
        return None
    wanted = unicodedata.normalize("NFC", path.name)
    for other in sorted(inner.name for inner in path.parent.iterdir()):
        if unicodedata.normalize("NFC", other) == wanted and (path.parent / other).is_file():
            return path.parent / other
    return None
