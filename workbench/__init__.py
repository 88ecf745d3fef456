"""A data-science workbench for voice-agent calls.

`open` gives an archive: SQL over calls, tables as polars frames, calls as objects.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.archive.archive import Archive

__all__ = ["open"]


def open(path: str | Path = "archive", *, as_of: int | None = None) -> Archive:
    """Open an existing archive for reading and adding.

    Parameters
    ----------
    path : str or pathlib.Path
        Folder of the archive.
    as_of : int, optional
        Snapshot to read instead of the newest.

    Returns
    -------
    Archive
        With `.sql(query, params)`, `.table(name)`, `.call(call_id)` and `.snapshot`.

    Raises
    ------
    ArchiveFailed
        When the folder is not an archive.
    """
    from workbench.archive.archive import Archive

    return Archive(path, as_of=as_of)
