"""A file that is replaced whole or not at all."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from workbench.errors import ExportFailed


def write_whole(target: str | Path, text: str) -> int:
    """Write a text to a file beside the target, then give it the target's name.

    Parameters
    ----------
    target : path
        File to make or replace; missing folders above it are made.
    text : str
        Its content, written as UTF-8 with the line ends it has.

    Returns
    -------
    int
        Bytes written.

    Raises
    ------
    ExportFailed
        When the target is a folder or the disk refuses. An earlier file is then still there, whole.
    """
    path = Path(target)
    content = text.encode("utf-8")
    hidden: str | None = None
    try:
        if path.is_dir():
            raise ExportFailed("it is a folder", where=str(path), hint="name a file, such as report.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, hidden = tempfile.mkstemp(prefix=f".{path.name[:100]}.unfinished-", dir=path.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        Path(hidden).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask())
        Path(hidden).replace(path)
        hidden = None
    except OSError as error:
        raise ExportFailed(
            f"the report cannot be written ({error.strerror or error})",
            where=str(path),
            hint="free disk space, or name a file in a folder you may write to",
        ) from error
    finally:
        if hidden is not None:
            Path(hidden).unlink(missing_ok=True)
    return len(content)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
