"""A data file that a query did not find: a deletion or a compaction took it meanwhile, or the archive lacks it."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import DataFileMissing

if TYPE_CHECKING:
    import duckdb

    from workbench.archive.layout import Layout

_SIGNS = ("Cannot open file", "No such file", "No files found")
"""How DuckDB says that a file of the snapshot is not there."""

_PATH = re.compile(r'"([^"\n]+\.parquet)"')
_NAMED = "SELECT path FROM ducklake_data_file UNION ALL SELECT path FROM ducklake_delete_file"


def is_gone(error: duckdb.Error) -> bool:
    """Tell whether a query failed because a file of its snapshot could not be opened.

    Parameters
    ----------
    error : duckdb.Error
        What DuckDB raised.
    """
    import duckdb

    return isinstance(error, duckdb.IOException) and any(sign in str(error) for sign in _SIGNS)


def lost(error: duckdb.Error, layout: Layout) -> DataFileMissing | None:
    """Return the error for a file that the catalogue, as it stands now, still names: to open it again is no help.

    What a deletion or a compaction takes away is first taken out of the catalogue.

    Parameters
    ----------
    error : duckdb.Error
        For which :func:`is_gone` holds.
    layout : Layout
        The archive.

    Returns
    -------
    DataFileMissing or None
        None where no snapshot names the file any more, or the catalogue cannot be read.
    """
    found = _PATH.search(str(error))
    if found is None:
        return None
    path = Path(found[1])
    try:
        uri = f"{layout.catalog.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=60)) as con:
            if path.name not in {Path(name).name for (name,) in con.execute(_NAMED)}:
                return None
    except sqlite3.Error:  # what the query itself met is said
        return None
    if path.exists():
        why = str(error).rpartition(": ")[2]
        return DataFileMissing(
            f"a data file cannot be opened ({why}): {path}",
            where=str(layout.root),
            hint="give read permission to it; raise the limit of open files where that is reached",
        )
    return DataFileMissing(
        f"a data file is missing: {path}",
        where=str(layout.root),
        hint=f"{layout.command('workbench verify')} says more; restore the archive from a backup",
    )
