"""Whether a file is the catalogue of an archive, asked before DuckLake opens it: DuckLake would fill an empty one."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import ArchiveFailed

if TYPE_CHECKING:
    from workbench.archive.layout import Layout

_ELSEWHERE = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR)
"""What SQLite says of a disk or of another process, and not of the catalogue."""

_TABLES = "SELECT table_id, table_name FROM ducklake_table WHERE end_snapshot IS NULL"
_COLUMNS = "SELECT table_id, column_name FROM ducklake_column WHERE end_snapshot IS NULL"
_NO_TABLES = "it has none of an archive's tables"

_ALWAYS = {"calls", "runs"}
"""Tables of every archive there ever was."""


def require(layout: Layout, catalog: Path | None = None) -> None:
    """Refuse a catalogue that is empty, damaged, or of something else than an archive; no byte is changed.

    Parameters
    ----------
    layout : Layout
        The archive.
    catalog : pathlib.Path, optional
        A copy of its catalogue, to ask that; without it the catalogue itself is asked, as one that is written to: it
        has to hold every table and column.

    Raises
    ------
    ArchiveFailed
        With what it is instead.
    """
    path = catalog or layout.catalog
    try:
        if not layout.catalog.stat().st_size:
            raise damaged(layout, "it is empty")
        uri = f"{path.absolute().as_uri()}?mode=rw"  # which ends what a killed writer began, and makes no file
        with closing(sqlite3.connect(uri, uri=True, timeout=60)) as con:
            names = dict(con.execute(_TABLES).fetchall())
            columns = {(names.get(table_id, ""), column) for table_id, column in con.execute(_COLUMNS)}
    except OSError as error:
        raise damaged(layout, error.strerror or str(error)) from error
    except sqlite3.Error as error:
        raise refused(layout, error) from error
    if not _ALWAYS & set(names.values()):
        raise damaged(layout, _NO_TABLES)
    if catalog is None and (lost := _lacking(columns)):
        raise ArchiveFailed(
            f"the archive has no {lost}",
            where=str(layout.root),
            hint="another version wrote it; use that version, or import the sources into a new archive",
        )


def _lacking(columns: set[tuple[str, str]]) -> str | None:
    """The first table or column that is not there; asked by writers alone, since the tables take longer to load."""
    from workbench.schema import tables

    there = {table for table, _ in columns}
    for table, schema in sorted(tables().items()):
        if table not in there:
            return f"table {table}"
        for column in schema.column_names():
            if (table, column) not in columns:
                return f"column {column} in the table {table}"
    return None


def refused(layout: Layout, error: sqlite3.Error) -> ArchiveFailed:
    """Return the error for a catalogue that SQLite cannot read.

    Parameters
    ----------
    layout : Layout
        The archive.
    error : sqlite3.Error
        What SQLite says.
    """
    code = error.sqlite_errorcode & 0xFF
    if code == sqlite3.SQLITE_ERROR:
        return damaged(layout, _NO_TABLES)
    if code in _ELSEWHERE:
        return ArchiveFailed(
            f"the catalogue cannot be read ({error})",
            where=str(layout.catalog),
            hint="see that the disk works and has space, and that no other program holds the file",
        )
    return damaged(layout, str(error))


def damaged(layout: Layout, why: str) -> ArchiveFailed:
    """Return the error for a catalogue that is none, or that may not be read.

    Parameters
    ----------
    layout : Layout
        The archive.
    why : str
        What is wrong with it.
    """
    readable = os.access(layout.catalog, os.R_OK)
    remedy = "restore catalog.sqlite from a backup if it is damaged" if readable else "give read permission to it"
    return ArchiveFailed(
        f"the catalogue cannot be opened ({why})", where=str(layout.catalog), hint=f"{remedy}; nothing was changed"
    )
