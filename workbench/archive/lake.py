"""The DuckDB home: every DuckDB call of the project is made here.

Results are always drained: a half-read one would keep the SQLite catalogue locked for every writer.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from workbench.archive import failures, lock
from workbench.archive.layout import Layout
from workbench.errors import ArchiveFailed, QueryRefused, UsageError

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

T = TypeVar("T")

_WRITER_MEMORY = "128MB"
_CONFLICTS = ("conflict", "database is locked", "failed to commit")


def _connect() -> duckdb.DuckDBPyConnection:
    con = duckdb.connect(":memory:", config={"python_enable_replacements": "false"})
    for name in ("ducklake", "sqlite"):
        try:
            import duckdb_extensions

            duckdb_extensions.import_extension(name, con=con)
            con.execute(f"LOAD {name}")
        except (ImportError, OSError, duckdb.Error):
            try:
                con.execute(f"INSTALL {name}; LOAD {name}")
            except duckdb.Error as error:
                raise ArchiveFailed(
                    f"the DuckDB extension {name!r} cannot be loaded ({error})",
                    hint=f"pip install duckdb-extension-{name}=={duckdb.__version__}",
                ) from error
    con.execute("SET TimeZone = 'UTC'")
    con.execute(f"SET temp_directory = {_quote(Path(gettempdir()) / f'workbench-{os.getpid()}')}")
    return con


_spare: list[duckdb.DuckDBPyConnection] = []
"""Connections that wrote and were closed; loading the extensions again would cost 0.2 s each time."""


def _borrow() -> duckdb.DuckDBPyConnection:
    return _spare.pop() if _spare else _connect()


def _give_back(con: duckdb.DuckDBPyConnection) -> None:
    try:
        con.execute("DETACH lake")
        con.execute("RESET threads; RESET memory_limit")
    except duckdb.Error:
        con.close()  # what a failed statement left behind goes with it
    else:
        _spare.append(con)


def _quote(value: str | Path) -> str:
    return "'" + str(value).replace("'", "''") + "'"


def _attach(con: duckdb.DuckDBPyConnection, layout: Layout, *, read_only: bool, as_of: int | None = None) -> None:
    options = [f"DATA_PATH {_quote(str(layout.data) + '/')}", "OVERRIDE_DATA_PATH TRUE"]
    if read_only:
        options.append("READ_ONLY")
    if as_of is not None:
        options.append(f"SNAPSHOT_VERSION {as_of}")
    uri = f"ducklake:sqlite:{layout.catalog}"
    try:
        con.execute(f"ATTACH {_quote(uri)} AS lake ({', '.join(options)})")
    except duckdb.Error as error:
        if as_of is not None and "snapshot" in str(error).lower():
            raise UsageError(
                f"the archive has no snapshot {as_of}",
                where=str(layout.root),
                hint="workbench history lists them",
            ) from error
        raise ArchiveFailed(
            f"the catalogue cannot be opened ({error})",
            where=str(layout.catalog),
            hint="workbench verify says more; restore catalog.sqlite from a backup if it is damaged",
        ) from error


class Reader:
    """A read-only, fenced connection to an archive.

    SQL users see a view for each table and the views of `sql/views`. Nothing outside the archive's
    Parquet files can be read, nothing can be written.

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
        self._con = _connect()
        _attach(self._con, layout, read_only=True, as_of=as_of)
        self._as_of = as_of
        try:
            views.load(self._con)
        except duckdb.Error as error:
            raise ArchiveFailed(
                f"the views do not fit this archive ({error})",
                where=str(layout.root),
                hint="another version wrote it; use that version, or import the sources into a new archive",
            ) from error
        if threads is not None:
            self._con.execute(f"SET threads = {threads:d}")
        root = layout.root.resolve()
        for setting in (
            f"allowed_directories = [{_quote(str(root / 'data') + '/')}, {_quote(str(layout.data) + '/')}]",
            "allowed_paths = ["
            + ", ".join(
                _quote(str(path) + ending)
                for path in {root / "catalog.sqlite", layout.catalog}
                for ending in ("", "-wal", "-journal", "-shm")
            )
            + "]",
            "enable_external_access = false",
            "lock_configuration = true",
        ):
            self._con.execute(f"SET {setting}")

    def close(self) -> None:
        """Close the connection; it cannot be used afterwards."""
        self._con.close()

    @property
    def snapshot(self) -> int:
        """Number of the snapshot this connection reads now."""
        if self._as_of is not None:
            return self._as_of
        return int(self.rows("select max(snapshot_id) from lake.snapshots()")[1][0][0])

    def _result(self, query: str, params: Mapping[str, Any] | None) -> duckdb.DuckDBPyConnection:
        try:
            return self._con.execute(query, dict(params) if params else None)
        except duckdb.Error as error:
            raise QueryRefused(str(error), where="query", hint=_query_hint(error)) from error

    def rows(self, query: str, params: Mapping[str, Any] | None = None) -> tuple[list[str], list[tuple[Any, ...]]]:
        """Run a query; return column names and all rows."""
        result = self._result(query, params)
        names = [column[0] for column in result.description or []]
        return names, self._drain(result.fetchall)

    def arrow(self, query: str, params: Mapping[str, Any] | None = None) -> pa.Table:
        """Run a query; return an Arrow table."""
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
        except duckdb.Error as error:
            raise QueryRefused(str(error), where="query", hint=_query_hint(error)) from error

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
            raise QueryRefused(str(error), where="query", hint="the SQL dialect is DuckDB's") from error
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
                hint="an archive is changed by import, measure, assert and delete only",
            )

    def interrupt(self) -> None:
        """Stop the query that is running in another thread."""
        self._con.interrupt()


def _query_hint(error: duckdb.Error) -> str:
    text = str(error)
    if "disabled by configuration" in text or "external access" in text.lower() or "file system operations" in text:
        return "queries read the archive only; import a file to query it"
    if 'near "overlaps"' in text:
        return 'overlaps is a word of SQL itself: write "overlaps" in quotes'
    if "does not exist" in text:
        return "workbench tables lists tables, views and columns"
    if "parameter" in text.lower():
        return "give a value for each $name with --param name=value"
    return "the SQL dialect is DuckDB's"


class Writer:
    """A connection that may write. Use :meth:`transaction` for every change.

    Parameters
    ----------
    layout : Layout
        The archive.
    bounded : bool
        Hold memory down, however much is written, at the price of speed.
    """

    def __init__(self, layout: Layout, *, bounded: bool = False) -> None:
        layout.require()
        self._layout = layout
        self.con = _borrow()
        self.con.execute("SET preserve_insertion_order = false")
        if bounded:
            self.con.execute("SET threads = 1")
            self.con.execute(f"SET memory_limit = '{_WRITER_MEMORY}'")
        with lock.held(layout.lock):
            _attach(self.con, layout, read_only=False)

    def close(self) -> None:
        """Let go of the archive."""
        _give_back(self.con)

    def transaction(self, work: Callable[[duckdb.DuckDBPyConnection], T], *, message: str) -> T:
        """Run `work` in one transaction over all tables, under the archive's write lock.

        Parameters
        ----------
        work : callable
            Takes the connection. It may run again after a conflict with a writer that takes no lock.
        message : str
            Commit message kept with the snapshot.

        Returns
        -------
        object
            What `work` returned.

        Raises
        ------
        ArchiveFailed
            When the disk is full, the folder cannot be written or the conflicts do not end.
        """
        with lock.held(self._layout.lock):
            for attempt in range(10):
                try:
                    self.con.execute("BEGIN TRANSACTION")
                    result = work(self.con)
                    self.con.execute(f"CALL lake.set_commit_message('workbench', {_quote(message)})")
                    self.con.execute("COMMIT")
                    return result
                except duckdb.Error as error:
                    self._rollback()
                    if attempt == 9 or not any(sign in str(error).lower() for sign in _CONFLICTS):
                        raise _explain(error, self._layout) from error
                    time.sleep(0.05 * 2**attempt)
                except BaseException:
                    self._rollback()
                    raise
        raise AssertionError("unreachable")

    def _rollback(self) -> None:
        try:
            self.con.execute("ROLLBACK")
        except duckdb.Error:
            return  # the failed statement already ended the transaction

    def add(self, table: str, rows: list[dict[str, Any]]) -> int:
        """Check rows against their table's schema and insert them, inside the running transaction."""
        from workbench.schema import tables

        schema = tables()[table]
        return self.insert(table, schema.validate(schema.frame(rows))) if rows else 0

    def insert(self, table: str, frame: pl.DataFrame) -> int:
        """Insert a frame that satisfies its table's schema, inside the running transaction.

        Returns
        -------
        int
            Rows inserted; 0 for an empty frame, which touches nothing.
        """
        from workbench.schema import tables

        if frame.is_empty():
            return 0
        schema = tables()[table]
        self.con.register("incoming", frame.sort(schema.primary_key()).to_arrow())
        try:
            self.con.execute(f"INSERT INTO lake.{table} ({_columns(table)}) SELECT {_casts(table)} FROM incoming")
        finally:
            self.con.unregister("incoming")
        return frame.height

    def adopt(self, table: str, spooled: Path, *, name: str) -> None:
        """Make a spooled Parquet file part of a table as it is, inside the running transaction.

        Encoding a file again would cost more than measuring it did. A process killed before the commit
        leaves a file that no snapshot names; `compact` removes it.

        Parameters
        ----------
        table : str
            Table whose columns the file has.
        spooled : pathlib.Path
            The file, on the archive's file system; it is moved.
        name : str
            Name it gets in the table's folder.
        """
        target = self._layout.data / "main" / table / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if spooled.exists():  # not so when the transaction runs again after a conflict
            spooled.replace(target)
        self.con.execute(f"CALL ducklake_add_data_files('lake', {_quote(table)}, {_quote(target)})")

    def maintain(self, statements: list[str]) -> None:
        """Run catalogue maintenance outside any transaction, under the write lock."""
        with lock.held(self._layout.lock):
            for statement in statements:
                try:
                    self.con.execute(statement).fetchall()
                except duckdb.Error as error:
                    raise _explain(error, self._layout) from error


def _columns(table: str) -> str:
    from workbench.schema import tables

    return ", ".join(tables()[table].column_names())


def _casts(table: str) -> str:
    """Select list that turns Arrow columns into the table's DuckDB types."""
    from workbench.schema import tables

    schema = tables()[table]
    return ", ".join(
        f"map_from_entries({name})" if schema.meta(name).get("map") else name for name in schema.column_names()
    )


def _explain(error: duckdb.Error, layout: Layout) -> ArchiveFailed:
    return failures.explained(str(error), layout.root) or ArchiveFailed(
        str(error), where=str(layout.root), hint="nothing was changed; workbench verify checks the archive"
    )


@contextmanager
def writing(layout: Layout) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection with the archive attached for writing, under its lock, outside any transaction.

    Raises
    ------
    ArchiveFailed
        For whatever DuckDB refuses inside the block.
    """
    con = _borrow()
    try:
        with lock.held(layout.lock):
            _attach(con, layout, read_only=False)
            yield con
    except duckdb.Error as error:
        raise _explain(error, layout) from error
    finally:
        _give_back(con)
