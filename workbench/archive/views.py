"""Loads `sql/` into a connection and says what lies there: macros, staging, views, queries, audits.

A file is one thing and its name is the file's name. The header of a file is parsed by
:mod:`workbench.archive.headers`; here the files become macros and views of the in-memory catalogue, in
the order in which they need each other.
"""

from __future__ import annotations

from functools import lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from workbench import assets
from workbench.archive.headers import (
    AuditFile,
    MacroFile,
    QueryFile,
    ViewFile,
    read_audit,
    read_macro,
    read_query,
    read_view,
)
from workbench.errors import ArchiveFailed, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    import duckdb

    from workbench.schema.table import Table


class _Named(Protocol):
    @property
    def name(self) -> str: ...


class _Reading(_Named, Protocol):
    @property
    def reads(self) -> tuple[str, ...]: ...


N = TypeVar("N", bound=_Named)
R = TypeVar("R", bound=_Reading)


def load(con: duckdb.DuckDBPyConnection) -> None:
    """Create the macros, one staging view a table, and the views, in a connection.

    Parameters
    ----------
    con : duckdb.DuckDBPyConnection
        In-memory connection to which the archive is attached as ``lake``; no transaction is open in it.

    Raises
    ------
    ArchiveFailed
        When a file's header is broken. A file that does not fit the archive raises DuckDB's own error.
    """
    created = False
    con.begin()  # one transaction reads the catalogue once, not once a statement
    try:
        for macro in macros():
            con.execute(macro.sql)
        _stage(con)
        for view in catalogue():
            con.execute(f'create or replace view "{view.name}" as {view.sql}')
        created = True
    finally:
        if created:
            con.commit()
        else:
            con.rollback()


def _stage(con: duckdb.DuckDBPyConnection) -> None:
    """Create a view for each table of the archive: from `sql/staging`, or the table as it is."""
    staged = {path.stem: path.read_text(encoding="utf-8") for path in _files("staging", None)}
    # not duckdb_tables(): that estimates the size of every table, which takes longer than all of this
    found = con.execute("select distinct table_name from duckdb_columns() where database_name = 'lake' order by all")
    for (name,) in found.fetchall():
        sql = staged.get(name, f'from lake."{name}"')
        con.execute(f'create or replace view "{name}" as {sql}')


def catalogue(folder: Path | None = None) -> list[ViewFile]:
    """Return every view of `sql/views`, each after those it reads.

    Parameters
    ----------
    folder : pathlib.Path, optional
        Another folder of view files.

    Returns
    -------
    list of ViewFile
        Never empty.

    Raises
    ------
    ArchiveFailed
        For an empty folder, a broken header, or views that need each other in a circle.
    """
    return list(_ordered(folder or assets.folder("sql") / "views", read_view))


def macros(folder: Path | None = None) -> list[MacroFile]:
    """Return every file of `sql/macros`, each after those it reads; raises as :func:`catalogue`."""
    return list(_ordered(folder or assets.folder("sql") / "macros", read_macro))


def queries(folder: Path | None = None) -> list[QueryFile]:
    """Return every ready-made query of `sql/queries` by name; raises as :func:`catalogue`."""
    return [read_query(path) for path in _files("queries", folder)]


def query(name: str) -> str:
    """Return the SQL of a ready-made query.

    Parameters
    ----------
    name : str
        File name without ``.sql``; :func:`queries` lists them with their parameters.

    Raises
    ------
    UsageError
        When there is no such query.
    """
    known = {item.name: item.sql for item in queries()}
    if name not in known:
        raise UsageError(f"there is no ready-made query {name!r}", hint=f"one of {', '.join(known)}")
    return known[name]


def audits(folder: Path | None = None) -> list[AuditFile]:
    """Return every audit of `sql/audits`: a query that must return no row; raises as :func:`catalogue`."""
    return [read_audit(path) for path in _files("audits", folder)]


def duplicate_keys(table: type[Table]) -> str:
    """Return the audit of a table's key: one row per key that more than one row has.

    Parameters
    ----------
    table : type of Table
        A table class of `workbench.schema`.

    Returns
    -------
    str
        SQL that must return no row.
    """
    key = ", ".join(table.primary_key())
    return f"select {key}, count(*) as row_count from {table.table()} group by all having count(*) > 1"


def _files(kind: str, folder: Path | None) -> list[Path]:
    folder = folder or assets.folder("sql") / kind
    found = sorted(folder.glob("*.sql"))
    if not found:
        raise ArchiveFailed("there is no .sql file here", where=str(folder), hint="install callbench again")
    return found


@lru_cache(maxsize=8)
def _ordered(folder: Path, read: Callable[[Path], R]) -> tuple[R, ...]:
    """Read all files of a folder and order them so that each comes after those it reads."""
    read_files = {item.name: item for item in (read(path) for path in _files(folder.name, folder))}
    needs = {name: [other for other in item.reads if other in read_files] for name, item in read_files.items()}
    try:
        order = tuple(TopologicalSorter(needs).static_order())
    except CycleError as error:
        raise ArchiveFailed(
            f"these files of SQL need each other in a circle: {', '.join(error.args[1])}",
            where=str(folder),
            hint="a view may only read tables and views that do not read it",
        ) from error
    return tuple(read_files[name] for name in order)
