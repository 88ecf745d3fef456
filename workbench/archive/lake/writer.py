"""Writing to an archive: one transaction at a time, under its lock."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from workbench import commits
from workbench.archive import failures, lock
from workbench.archive.lake.connection import attach, borrow, explain, give_back, quote
from workbench.archive.layout import Layout

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")

_WRITER_MEMORY = "128MB"
_CONFLICTS = ("conflict", "database is locked")
_NOT_COMMITTED = "failed to commit"


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
        self._locked = False
        self._spools = ExitStack()
        self._spool: Path | None = None
        self.con = borrow()
        self.con.execute("SET preserve_insertion_order = false")
        if bounded:
            self.con.execute("SET threads = 1")
            self.con.execute(f"SET memory_limit = '{_WRITER_MEMORY}'")
        with lock.held(layout.lock):
            attach(self.con, layout)

    def close(self) -> None:
        """Let go of the archive."""
        self._spools.close()
        give_back(self.con)

    def transaction(
        self, work: Callable[[duckdb.DuckDBPyConnection], T], *, message: str, told: str | None = None
    ) -> T:
        """Run `work` in one transaction over all tables, under the archive's write lock.

        Parameters
        ----------
        work : callable
            Takes the connection. It may run again after a conflict with a writer that takes no lock.
        message : str
            Commit message kept with the snapshot.
        told : str, optional
            What a user is told of it where the report of the command is lost; the message by default.

        Returns
        -------
        object
            What `work` returned.

        Raises
        ------
        ArchiveFailed
            When the disk is full, the folder cannot be written or the conflicts do not end.
        """
        with nullcontext() if self._locked else lock.held(self._layout.lock):
            for attempt in range(10):
                try:
                    self.con.execute("BEGIN TRANSACTION")
                    result = work(self.con)
                    self.con.execute(f"CALL lake.set_commit_message('workbench', {quote(message)})")
                    self.con.execute("COMMIT")
                    commits.committed(told or message)
                    return result
                except duckdb.InterruptException as error:
                    self._rollback()
                    raise KeyboardInterrupt from error
                except duckdb.Error as error:
                    undone = self._rollback()
                    if not undone or attempt == 9 or not _passes(str(error), self._layout.root):
                        raise explain(error, self._layout) from error
                    time.sleep(0.05 * 2**attempt)
                except BaseException:
                    self._rollback()
                    raise
        raise AssertionError("unreachable")

    def _rollback(self) -> bool:
        """End the transaction; tell whether another one may begin on the connection."""
        try:
            self.con.execute("ROLLBACK")
        except duckdb.Error as error:
            if "no transaction is active" not in str(error):  # else the failed statement has already ended it
                self.con.close()  # which ends it: nothing is committed on this connection any more
                return False
        return True

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Run a query; return all its rows.

        Raises
        ------
        ArchiveFailed
            When the catalogue cannot be read.
        """
        try:
            return self.con.execute(query).fetchall()
        except duckdb.InterruptException as error:
            raise KeyboardInterrupt from error
        except duckdb.Error as error:
            raise explain(error, self._layout) from error

    def add(self, table: str, rows: list[dict[str, Any]]) -> int:
        """Check rows against their table's schema and insert them, inside the running transaction."""
        from workbench.schema import tables

        return self.insert(table, tables()[table].checked(rows)) if rows else 0

    def insert(self, table: str, frame: pl.DataFrame) -> int:
        """Insert a frame that satisfies its table's schema, inside the running transaction, by way of a Parquet file.

        Returns
        -------
        int
            Rows inserted; 0 for an empty frame, which touches nothing.

        Raises
        ------
        ArchiveFailed
            When the disk is full or the folder cannot be written.
        """
        from workbench.schema import tables

        if frame.is_empty():
            return 0
        schema = tables()[table]
        with failures.disk(self._layout.root):
            if self._spool is None:
                self._spool = self._spools.enter_context(lock.spool(self._layout.root))
            spooled = self._spool / f"{table}.parquet"
            frame.sort(schema.primary_key()).write_parquet(spooled, compression="uncompressed")
        source = f"read_parquet({quote(spooled)})"
        self.con.execute(f"INSERT INTO lake.{table} ({_columns(table)}) SELECT {_casts(table)} FROM {source}")
        spooled.unlink()
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
        self.con.execute(f"CALL ducklake_add_data_files('lake', {quote(table)}, {quote(target)})")

    def maintain(self, statements: list[str]) -> None:
        """Run catalogue maintenance outside any transaction; the caller holds the lock (see `exclusive`)."""
        for statement in statements:
            try:
                self.con.execute(statement).fetchall()
            except duckdb.Error as error:
                raise explain(error, self._layout) from error

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        """Hold the archive's write lock over several transactions and what belongs between them."""
        with lock.held(self._layout.lock):
            self._locked = True
            try:
                yield
            finally:
                self._locked = False


def _passes(told: str, root: Path) -> bool:
    """Whether what kept a transaction from its commit may soon be gone, as another writer is and a full disk is not."""
    lowered = told.lower()
    if any(sign in lowered for sign in _CONFLICTS):
        return True
    return _NOT_COMMITTED in lowered and failures.explained(told, root) is None


def _columns(table: str) -> str:
    from workbench.schema import tables

    return ", ".join(tables()[table].column_names())


def _casts(table: str) -> str:
    """Select list that turns the columns of a spooled file into the table's DuckDB types."""
    from workbench.schema import tables

    schema = tables()[table]
    return ", ".join(
        f"map_from_entries({name})" if schema.meta(name).get("map") else name for name in schema.column_names()
    )


@contextmanager
def making(layout: Layout) -> Iterator[duckdb.DuckDBPyConnection]:
    """Give a connection with an archive that is being made, outside any transaction; the caller holds its lock.

    Raises
    ------
    ArchiveFailed
        For whatever DuckDB refuses inside the block.
    """
    con = borrow()
    try:
        attach(con, layout, making=True)
        yield con
    except duckdb.Error as error:
        raise explain(error, layout) from error
    finally:
        give_back(con)
