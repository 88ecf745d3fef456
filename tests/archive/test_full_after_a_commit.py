"""A disk that refuses after something was committed: the error says what is kept, and what to run."""

from __future__ import annotations

import errno
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from made_calls import made_call

from workbench.archive import purging
from workbench.archive.archive import Archive
from workbench.archive.lake import Writer, connection
from workbench.archive.layout import Layout
from workbench.archive.retention import compact, delete
from workbench.cli import main
from workbench.errors import ArchiveFailed

FULL = (
    duckdb.IOException("Could not write file: No space left on device"),
    OSError(errno.ENOSPC, "No space left on device"),
    sqlite3.OperationalError("database or disk is full"),
)


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(ix, tmp_path / "sounds") for ix in range(2)])
    return archive


def raising(error: BaseException) -> Callable[..., Any]:
    def raises(*_given: object, **_more: object) -> None:
        raise error

    return raises


def full_after(monkeypatch: pytest.MonkeyPatch, commits: int) -> None:
    """Refuse every commit but the first ones."""
    transaction, left = Writer.transaction, [commits]

    def refused(self: Writer, work: Any, *, message: str, **more: Any) -> Any:
        if not left[0]:
            work = raising(FULL[0])
        left[0] -= 1
        return transaction(self, work, message=message, **more)

    monkeypatch.setattr(Writer, "transaction", refused)


def test_a_catalogue_that_finds_no_space_is_no_damaged_one(tmp_path: Path) -> None:
    """What DuckDB says on a file system without a free page: workbench verify would be no help."""

    class Full:
        def execute(self, _statement: str) -> None:
            raise duckdb.IOException('Failed to initialize DuckLake: Failed to execute "...": database or disk is full')

    with pytest.raises(ArchiveFailed, match="the disk is full") as failed:
        connection.attach(Full(), Layout(tmp_path), making=True)  # type: ignore[arg-type]
    assert failed.value.hint == "free space and run the same command again"


def only_kept(error: ArchiveFailed, *parts: str) -> None:
    assert "disk is full" in error.what
    assert "nothing was changed" not in str(error)
    assert "same command again" not in str(error)
    assert all(part in str(error) for part in parts), str(error)


@pytest.mark.parametrize("error", FULL[1:], ids=["file system", "catalogue"])
def test_a_deletion_whose_files_cannot_be_cleaned_up(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(purging, "_scrub", raising(error))
        with pytest.raises(ArchiveFailed) as failed:
            delete(archive.layout, made_call(1).id)
    only_kept(failed.value, f"the call '{made_call(1).id}' was deleted", "free space", "workbench compact")
    assert archive.sql("from calls").height == 1
    with monkeypatch.context() as patch:
        patch.setattr(purging, "_scrub", raising(error))
        with pytest.raises(ArchiveFailed) as failed:
            compact(archive.layout)
    only_kept(failed.value, f"the deletion of the call '{made_call(1).id}' is not cleaned up yet", "workbench compact")
    done = compact(archive.layout)
    assert done.finished is not None
    assert done.finished.call_id == made_call(1).id


def test_a_deletion_that_was_not_committed_changes_nothing(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    full_after(monkeypatch, 0)
    with pytest.raises(ArchiveFailed, match=r"disk is full .*; nothing was changed") as failed:
        delete(archive.layout, made_call(1).id)
    assert "same command again" in str(failed.value)
    assert archive.sql("from calls").height == 2
    assert not archive.layout.purge_mark.exists()


def test_a_label_that_cannot_be_scored_is_kept(
    archive: Archive, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    full_after(monkeypatch, 1)
    command = ["label", made_call(1).id, "--at", "0.2", "--expect", "yield", "--archive", str(archive.path)]
    with pytest.raises(SystemExit) as stop:
        main(command)
    assert stop.value.code == 2
    told = capsys.readouterr().err
    only_kept(ArchiveFailed(told), "what was said in labels is kept, and not scored", "workbench score")
    assert archive.sql("from labels where kind = 'expectation'").height == 1


def test_a_measurement_whose_labels_cannot_be_scored_is_kept(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    archive.label(made_call(1).id, onset_s=0.2, expect="yield", author="ann")
    full_after(monkeypatch, 1)
    with pytest.raises(ArchiveFailed) as failed:
        archive.measure(workers=1)
    only_kept(failed.value, "what was measured is kept, the labels are not scored anew", "workbench score")
    assert archive.sql("from input_health").height


def test_an_import_that_cannot_be_measured_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    made_call(1, tmp_path / "sounds")
    place = tmp_path / "a"
    full_after(monkeypatch, 1)
    with pytest.raises(SystemExit) as stop:
        main(["import", str(tmp_path / "sounds"), "--measure", "--archive", str(place), "--workers", "1"])
    assert stop.value.code == 2
    only_kept(ArchiveFailed(capsys.readouterr().err), "the calls are imported", "workbench measure")
    monkeypatch.undo()
    assert Archive(place).sql("from calls").height == 1


def test_a_compaction_changes_no_row(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Writer, "maintain", raising(OSError(errno.ENOSPC, "No space left on device")))
    with pytest.raises(ArchiveFailed) as failed:
        compact(archive.layout)
    only_kept(failed.value, "no row was changed", "workbench compact")
