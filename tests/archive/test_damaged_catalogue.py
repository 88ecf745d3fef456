"""A catalogue that is none: every command says so in the same words, and changes no byte of the archive."""

from __future__ import annotations

import hashlib
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from workbench.archive.archive import Archive
from workbench.archive.lake import Writer
from workbench.archive.lake.connection import connect
from workbench.errors import ArchiveFailed

DATA = Path(__file__).parents[2] / "data" / "calls"
At = Callable[..., tuple[int, str, str]]


def emptied(catalog: Path) -> None:
    catalog.write_bytes(b"")


def halved(catalog: Path) -> None:
    content = catalog.read_bytes()
    catalog.write_bytes(content[: len(content) // 2])


def overwritten(catalog: Path) -> None:
    catalog.write_bytes(b"0123456789abcdef" * 512)


def of_another_program(catalog: Path) -> None:
    catalog.unlink()
    with closing(sqlite3.connect(catalog)) as con:
        con.execute("create table notes (text)")
        con.commit()


def an_empty_lake(catalog: Path) -> None:
    catalog.unlink()
    con = connect()
    con.execute(f"attach 'ducklake:sqlite:{catalog}' as lake (data_path '{catalog.parent / 'data'}/')")
    con.close()


def removed(catalog: Path) -> None:
    catalog.unlink()


def a_folder(catalog: Path) -> None:
    catalog.unlink()
    catalog.mkdir()


BROKEN = [emptied, halved, overwritten, of_another_program, an_empty_lake, removed, a_folder]


def sums(root: Path) -> dict[str, str]:
    """What lies in an archive, but for the file that is locked."""
    files = [path for path in root.rglob("*") if path.is_file() and path.name != "write.lock"]
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.fixture
def whole(small_archive: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(small_archive, tmp_path / "a"))


@pytest.mark.parametrize("break_it", BROKEN, ids=lambda function: function.__name__)
def test_no_command_fills_or_changes_a_broken_catalogue(whole: Path, at: At, break_it: Callable[[Path], None]) -> None:
    catalog = whole / "catalog.sqlite"
    break_it(catalog)
    before = sums(whole)
    commands = [
        ["sql", "from calls"],
        ["verify"],
        ["import", str(DATA / "punchin")],
        ["measure"],
        ["acoustics"],
        ["score"],
        ["compact"],
        ["delete", "plain-1", "--yes"],
    ]
    told = set()
    for command in commands:
        code, _, err = at(*command, "--archive", whole)
        assert code == 2, (command, err)
        assert "restore catalog.sqlite from a backup" in err
        assert "nothing was changed" in err
        assert "SELECT" not in err
        assert "LINE" not in err
        assert sums(whole) == before, command
        told.add(err)
    assert len(told) == 1, told


def test_a_catalogue_without_one_table_is_that_of_another_version(whole: Path, at: At) -> None:
    with closing(sqlite3.connect(whole / "catalog.sqlite")) as con:
        con.execute("update ducklake_table set end_snapshot = 1 where table_name = 'moments'")
        con.commit()
    before = sums(whole)
    code, _, err = at("measure", "--archive", whole)
    assert code == 2
    assert "another version wrote it" in err
    assert "SELECT" not in err
    assert sums(whole) == before


def test_a_catalogue_that_vanishes_between_two_looks_is_not_made(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckLake itself makes none either, whatever was there when it was asked."""
    from workbench.archive.lake import catalogue
    from workbench.archive.lake.writer import Writer
    from workbench.errors import ArchiveFailed

    monkeypatch.setattr(catalogue, "require", lambda *_: emptied(whole / "catalog.sqlite"))
    with Archive(whole) as archive, pytest.raises(ArchiveFailed, match="cannot be opened") as failed:
        Writer(archive.layout)
    assert isinstance(failed.value.__cause__, duckdb.Error)
    assert (whole / "catalog.sqlite").stat().st_size == 0


def test_an_archive_of_another_version_is_named_by_what_it_lacks(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    writer = Writer(archive.layout)
    writer.transaction(lambda con: con.execute("ALTER TABLE lake.segments DROP COLUMN faint"), message="older")
    writer.close()
    with pytest.raises(ArchiveFailed, match="no column faint in the table segments") as caught:
        archive.measure()
    assert "another version wrote it" in (caught.value.hint or "")
