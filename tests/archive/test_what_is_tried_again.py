"""A commit that failed is tried again where another writer may be the cause, and never where the disk is."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from workbench.archive.archive import Archive
from workbench.archive.failures import Refused
from workbench.archive.lake import Writer, writer

LOCKED = "Failed to commit DuckLake transaction: database is locked"
CONFLICT = "Failed to commit DuckLake transaction. Transaction conflict - attempting to insert into table"
UNEXPLAINED = "Failed to commit: something else"
# what DuckDB 1.5 says of SQLite on a file system with 16 to 48 KB left
ROLLED_BACK = 'Failed to commit: Failed to execute query "ROLLBACK": cannot rollback - no transaction is active'
FULL = "Failed to commit DuckLake transaction: database or disk is full"
READ_ONLY = "Failed to commit: attempt to write a readonly database"
IO = "Failed to commit: disk I/O error"


def tries(archive: Archive, monkeypatch: pytest.MonkeyPatch, told: str, *, fails: int) -> tuple[int, str | None]:
    """How often a transaction ran whose first runs fail so, and what is said of it at the end."""
    ran, slept = [], []
    monkeypatch.setattr(writer.time, "sleep", slept.append)

    def work(_: duckdb.DuckDBPyConnection) -> None:
        ran.append(told)
        if len(ran) <= fails:
            raise duckdb.TransactionException(told)

    writing = Writer(archive.layout)
    try:
        writing.transaction(work, message="made")
    except Refused as refused:
        assert len(slept) == len(ran) - 1
        return len(ran), refused.what
    finally:
        writing.close()
    assert len(slept) == len(ran) - 1
    return len(ran), None


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return Archive.create(tmp_path / "archive")


@pytest.mark.parametrize("told", [LOCKED, CONFLICT, UNEXPLAINED])
def test_what_another_writer_may_cause_is_tried_again(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, told: str
) -> None:
    assert tries(archive, monkeypatch, told, fails=2) == (3, None)
    ran, said = tries(archive, monkeypatch, told, fails=99)
    assert ran == 10
    assert told in str(said)


@pytest.mark.parametrize("told", [ROLLED_BACK, FULL, READ_ONLY, IO])
def test_what_the_disk_refuses_is_refused_at_once(archive: Archive, monkeypatch: pytest.MonkeyPatch, told: str) -> None:
    ran, said = tries(archive, monkeypatch, told, fails=99)
    assert ran == 1
    assert told in str(said)
    assert "nothing was changed" in str(said)


def test_a_lock_is_waited_for_whatever_else_is_told_of_it(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    assert tries(archive, monkeypatch, f"{ROLLED_BACK}\n{LOCKED}", fails=1) == (2, None)


def test_what_stopped_a_transaction_that_cannot_be_rolled_back_is_told_and_not_tried_again(
    archive: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is closed then; a second try would say of it that it is closed, and nothing else."""
    ran = []
    monkeypatch.setattr(writer.time, "sleep", ran.append)
    writing = Writer(archive.layout)
    connection = writing.con

    class Refusing:
        def execute(self, query: str) -> object:
            if query == "ROLLBACK":
                raise duckdb.IOException("IO Error: cannot roll back")
            return connection.execute(query)

        def close(self) -> None:
            connection.close()

    def work(_: object) -> None:
        raise duckdb.TransactionException(LOCKED)

    writing.con = Refusing()  # type: ignore[assignment]
    with pytest.raises(Refused) as told:
        writing.transaction(work, message="made")
    writing.close()
    assert LOCKED in told.value.what
    assert ran == []
