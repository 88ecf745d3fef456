"""Every audit is empty over a clean archive and finds the fault that is planted for it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from workbench.archive import views
from workbench.schema import tables
from workbench.schema.table import Table

Build = Callable[[dict[str, Any]], duckdb.DuckDBPyConnection]
TINY = yaml.safe_load((Path(__file__).parent / "tiny.yaml").read_text(encoding="utf-8"))
AUDITS = {audit.name: audit for audit in views.audits()}

FAULTS = yaml.safe_load((Path(__file__).parent / "audit_faults.yaml").read_text(encoding="utf-8"))


def _rows(con: duckdb.DuckDBPyConnection, name: str) -> list[tuple[Any, ...]]:
    result = con.execute(AUDITS[name].sql)
    assert [column[0] for column in result.description] == ["table_name", "row_key", "finding"]
    return result.fetchall()


def test_every_audit_has_a_planted_fault() -> None:
    assert set(AUDITS) == set(FAULTS)


@pytest.mark.parametrize("name", AUDITS)
def test_audit_is_empty_over_a_clean_archive(name: str, archive_with: Build, empty: duckdb.DuckDBPyConnection) -> None:
    assert _rows(archive_with(TINY), name) == []
    assert _rows(empty, name) == []


@pytest.mark.parametrize(
    ("name", "fault", "table"),
    [(name, planted["fault"], planted["table"]) for name, faults in FAULTS.items() for planted in faults],
)
def test_audit_finds_the_planted_fault(name: str, fault: str, table: str, archive_with: Build) -> None:
    con = archive_with(TINY)
    con.execute(fault)
    rows = _rows(con, name)
    assert table in {row[0] for row in rows}
    assert None not in [value for row in rows for value in row]


@pytest.mark.parametrize("table", tables().values(), ids=lambda table: table.table())
def test_a_repeated_key_is_found_in_every_table(table: type[Table], archive_with: Build) -> None:
    key = table.primary_key()
    assert key
    row = dict.fromkeys(key, 0) | {name: "k" for name in key if table.duckdb_type(name) == "VARCHAR"}
    con = archive_with({table.table(): [row]})
    assert con.execute(views.duplicate_keys(table)).fetchall() == []
    con = archive_with({table.table(): [row, row]})
    assert con.execute(views.duplicate_keys(table)).fetchall() == [(*row.values(), 2)]
