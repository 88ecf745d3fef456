"""Reading an archive: every result drained, nothing outside it in reach."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import threading
import weakref
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from workbench.archive.lake import catalogue, fence, lost_file
from workbench.archive.lake.connection import attach, connect, quote
from workbench.archive.lake.literals import arguments
from workbench.archive.layout import Layout
from workbench.errors import ArchiveFailed, QueryRefused, SnapshotGone

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

T = TypeVar("T")

_OPEN: weakref.WeakSet[Reader] = weakref.WeakSet()

_BARE_OVERLAPS = re.compile(r"\b(from|join)\s+overlaps\b", re.IGNORECASE)

_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
"""What SQLite says of a file that it cannot read as a database."""

_TABLES = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake' LIMIT 1"

_MISPUT = (duckdb.BinderException, duckdb.CatalogException, duckdb.InvalidInputException, duckdb.ParserException)
"""What DuckDB raises before a prepared query runs, and so at once."""


class Reader:
    """A read-only, fenced connection to an archive.

    SQL users see a view for each table and the views of `sql/views`. Nothing outside the archive's
    Parquet files can be read, nothing can be written. It reads a copy of the catalogue taken when it was
    opened, so it never holds up a writer and sees one snapshot for as long as it lives. Threads take turns.

    Parameters
    ----------
    layout : Layout
        The archive.
    as_of : int, optional
        Snapshot to read instead of the newest.
    threads : int, optional
        Threads of a query. One makes sums and ties come out the same every time.
    """

    def __init__(self, layout: Layout, *, as_of: int | None = None, threads: int | None = None) -> None:
        from workbench.archive import views

        layout.require()
        self._layout = layout
        self._con = connect()
        folder = Path(mkdtemp(prefix="workbench-"))
        self._clean_up = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        catalog = folder / "catalog.sqlite"
        _copy(layout, catalog)
        attach(self._con, layout, catalog=catalog, as_of=as_of)
        self._as_of = as_of
        self._turn = threading.RLock()
        try:
            views.load(self._con)
        except duckdb.Error as error:
            if as_of is not None and not self._con.execute(_TABLES).fetchall():
                raise SnapshotGone(
                    f"snapshot {as_of} is from before the tables were made",
                    where=str(layout.root),
                    hint=f"{layout.command('workbench history')} lists the later ones",
                ) from error
            raise ArchiveFailed(
                f"the views do not fit this archive ({error})",
                where=str(layout.root),
                hint="another version wrote it; use that version, or import the sources into a new archive",
            ) from error
        if threads is not None:
            self._con.execute(f"SET threads = {threads:d}")
        folders = {f"{folder}/" for folder in (layout.data, layout.data.resolve())}
        files = [f"{catalog}{ending}" for ending in ("", "-wal", "-journal", "-shm")]
        for setting in (
            f"allowed_directories = [{', '.join(map(quote, sorted(folders)))}]",
            f"allowed_paths = [{', '.join(map(quote, files))}]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._con.execute(f"SET {setting}")
        _OPEN.add(self)

    def close(self) -> None:
        """Close the connection; it cannot be used afterwards."""
        _OPEN.discard(self)
        self._con.close()
        self._clean_up()

    @property
    def snapshot(self) -> int:
        """Number of the snapshot this connection reads now."""
        if self._as_of is not None:
            return self._as_of
        return int(self.rows("select max(snapshot_id) from lake.snapshots()")[1][0][0])

    def _result(self, query: str, params: Mapping[str, Any] | None) -> duckdb.DuckDBPyConnection:
        return self._drain(lambda: self._executed(query, params))

    def _executed(self, query: str, params: Mapping[str, Any] | None) -> duckdb.DuckDBPyConnection:
        given = arguments(params) if params else None
        if given is not None and self._prepared(query):
            with suppress(*_MISPUT):  # said below in terms of the query as it was written
                return self._con.execute(f"EXECUTE asked({given})")
        return self._con.execute(query, dict(params) if params else None)

    def _prepared(self, query: str) -> bool:
        try:
            self._con.execute(f"PREPARE asked AS {query}")
        except duckdb.InterruptException:
            raise
        except duckdb.Error:
            return False
        return True

    def rows(self, query: str, params: Mapping[str, Any] | None = None) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run a query; return column names and all rows."""
        with self._turn:
            result = self._result(query, params)
            names = [column[0] for column in result.description or []]
            return names, self._drain(result.fetchall)

    def arrow(self, query: str, params: Mapping[str, Any] | None = None) -> pa.Table:
        """Run a query; return an Arrow table."""
        with self._turn:
            return self._drain(self._result(query, params).to_arrow_table)

    def frame(self, query: str, params: Mapping[str, Any] | None = None) -> pl.DataFrame:
        """Run a query; return a polars frame (no rows for an empty result, types kept)."""
        import polars as pl

        frame = pl.from_arrow(self.arrow(query, params))
        assert isinstance(frame, pl.DataFrame)
        return frame

    def _drain(self, fetch: Callable[[], T]) -> T:
        try:
            return fetch()
        except duckdb.InterruptException as error:
            raise KeyboardInterrupt from error
        except duckdb.Error as error:
            gone = lost_file.is_gone(error)
            missing = lost_file.lost(error, self._layout) if gone else None
            refused = SnapshotGone if gone else QueryRefused
            raise missing or refused(str(error), where="query", hint=_query_hint(error)) from error
        except RuntimeError as error:  # how DuckDB tells a signal that came while it worked
            if "interrupted" not in str(error).lower():
                raise
            raise KeyboardInterrupt from error

    def statement(self, query: str) -> str:
        """Return the one SELECT of a query without what closes it: semicolons, and comments behind them."""
        self.check_select(query)
        raw, end = query.encode(), None
        for start, kind in reversed(duckdb.tokenize(query)):  # places are counted in bytes
            if kind != duckdb.token_type.comment:
                if raw[start : start + 1] != b";":
                    break
                end = start
        return raw[:end].decode()

    def check_select(self, query: str) -> None:
        """Refuse anything but one SELECT-like statement (WITH, FROM, DESCRIBE, SUMMARIZE, VALUES too).

        Raises
        ------
        QueryRefused
            With the parser's message, or the kind of statement that was found.
        """
        try:
            statements = self._con.extract_statements(query)
        except duckdb.Error as error:
            raise QueryRefused(str(error), where="query", hint=_query_hint(error, query)) from error
        if not statements:
            raise QueryRefused("the query is empty", where="query", hint='for instance "from call_overview"')
        if len(statements) == 2 and statements[0].type == duckdb.StatementType.CREATE and not statements[0].query:
            raise QueryRefused(
                "a PIVOT that looks for its columns itself is not allowed: it makes a type first",
                where="query",
                hint="name the columns: pivot T on COLUMN in ('a', 'b') using count(*)",
            )
        if len(statements) != 1:
            raise QueryRefused(
                f"one statement is allowed, {len(statements)} were found",
                where="query",
                hint="run them one by one",
            )
        if statements[0].type != duckdb.StatementType.SELECT:
            raise QueryRefused(
                f"only SELECT is allowed, found {statements[0].type.name}",
                where="query",
                hint="write a SELECT, or WITH, FROM, VALUES, DESCRIBE, SUMMARIZE, SHOW; commands change an archive",
            )
        serialized = self.rows("select json_serialize_sql($query::varchar)", {"query": query})[1][0][0]
        fence.check(json.loads(serialized))

    def interrupt(self) -> None:
        """Stop the query that is running in another thread."""
        self._con.interrupt()


def interrupt() -> None:
    """Stop the queries of every open reader of this process."""
    for reader in list(_OPEN):
        reader.interrupt()


def _query_hint(error: duckdb.Error, query: str = "") -> str:
    text = str(error)
    if "disabled by configuration" in text or "external access" in text.lower() or "file system operations" in text:
        return "queries read the archive only; import a file to query it"
    if lost_file.is_gone(error):
        return "the archive was compacted, or a call deleted, since it was opened: open it again"
    if 'near "overlaps"' in text or (isinstance(error, duckdb.ParserException) and _BARE_OVERLAPS.search(query)):
        return 'overlaps is a word of SQL itself: write "overlaps" in quotes'
    if "does not exist" in text:
        return "workbench tables lists tables, views and columns"
    if "parameter" in text.lower():
        return "give a value for each $name with --param name=value"
    return "the SQL dialect is DuckDB's"


def _copy(layout: Layout, target: Path) -> None:
    """Copy the catalogue as it stands after its newest commit."""
    try:
        with (
            closing(sqlite3.connect(f"{layout.catalog.absolute().as_uri()}?mode=ro", uri=True, timeout=60)) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            source.backup(copy)
    except sqlite3.Error as error:
        if error.sqlite_errorcode in _DAMAGED or not os.access(layout.catalog, os.R_OK):
            raise catalogue.damaged(layout, str(error)) from error
        raise ArchiveFailed(
            f"the catalogue cannot be copied for reading ({error})",
            where=str(layout.catalog),
            hint=f"free space in {target.parent.parent}, or restore catalog.sqlite from a backup if it is damaged",
        ) from error
