"""An in-memory archive: the empty tables of the schema as `lake`, with all of `sql/` loaded over them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import duckdb
import pytest

from workbench.archive import views
from workbench.schema import tables

Rows = dict[str, list[dict[str, Any]]]


def empty_archive() -> duckdb.DuckDBPyConnection:
    """Return a connection with empty tables and all macros and views."""
    con = duckdb.connect()
    con.execute("set TimeZone = 'UTC'")
    con.execute("attach ':memory:' as lake")
    for name, table in tables().items():
        columns = ", ".join(f'"{column}" {table.duckdb_type(column)}' for column in table.columns())
        con.execute(f"create table lake.{name} ({columns})")
    views.load(con)
    return con


def fill(con: duckdb.DuckDBPyConnection, given: Rows) -> None:
    """Insert rows; a column that is not named is NULL, a mapping becomes JSON."""
    for table, rows in given.items():
        for row in rows:
            values = [json.dumps(value) if isinstance(value, dict) else value for value in row.values()]
            names = ", ".join(f'"{name}"' for name in row)
            con.execute(f"insert into lake.{table} ({names}) values ({', '.join('?' * len(row))})", values)


@pytest.fixture
def archive_with() -> Iterator[Callable[[Rows], duckdb.DuckDBPyConnection]]:
    """Give a function that builds an archive holding the given rows."""
    opened: list[duckdb.DuckDBPyConnection] = []

    def build(given: Rows) -> duckdb.DuckDBPyConnection:
        con = empty_archive()
        opened.append(con)
        fill(con, given)
        return con

    yield build
    for con in opened:
        con.close()


@pytest.fixture(scope="session")
def empty() -> Iterator[duckdb.DuckDBPyConnection]:
    """Give one empty archive; tests only read it."""
    con = empty_archive()
    yield con
    con.close()
