"""An extension that is not there is never fetched: one error says why it cannot be loaded."""

from __future__ import annotations

import sys
from typing import Any

import duckdb
import duckdb_extensions
import pytest

from workbench.archive.lake import connection
from workbench.errors import ArchiveFailed


class Recording:
    """A connection that notes its statements and refuses what would need the network or a file."""

    def __init__(self) -> None:
        self.statements: list[str] = []

    def execute(self, statement: str) -> None:
        self.statements.append(statement)
        if statement.startswith(("INSTALL", "LOAD")):
            raise duckdb.IOException("Extension not found")


def refused(con: Any) -> ArchiveFailed:
    with pytest.raises(ArchiveFailed) as failed:
        connection._install(con, "ducklake")
    assert not any("INSTALL" in statement for statement in con.statements)
    return failed.value


@pytest.mark.parametrize("error", [PermissionError(13, "Permission denied"), duckdb.IOException("Permission denied")])
def test_the_true_cause_is_told(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def denied(*_given: object, **_more: object) -> None:
        raise error

    monkeypatch.setattr(connection, "_own_folder", lambda: "own")
    monkeypatch.setattr(duckdb_extensions, "import_extension", denied)
    failed = refused(Recording())
    assert "cannot be loaded" in failed.what
    assert "Permission denied" in failed.what


def test_a_package_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb_extension_ducklake", None)
    failed = refused(Recording())
    assert "is not installed" in failed.what
    assert f"pip install duckdb-extension-ducklake=={duckdb.__version__}" in str(failed.hint)


def test_duckdb_itself_fetches_none() -> None:
    con = connection.connect()
    assert con.execute("SELECT current_setting('autoinstall_known_extensions')").fetchall() == [(False,)]
