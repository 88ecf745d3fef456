"""A data file that is missing is told as missing, not as one that a deletion took since the archive was opened."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from workbench.archive.archive import Archive
from workbench.archive.lake import lost_file
from workbench.archive.verifying import verify
from workbench.errors import ArchiveFailed, DataFileMissing


@pytest.fixture
def without_frames(small_archive: Path, tmp_path: Path) -> Path:
    """A copy of an archive whose files of frames are gone."""
    root = Path(shutil.copytree(small_archive, tmp_path / "a"))
    shutil.rmtree(root / "data" / "main" / "frames")
    return root


@pytest.mark.parametrize(
    "command",
    [["sql", "from frames limit 1"], ["report", "archive", "-o", "{}.html"], ["export", "{}", "--tables", "frames"]],
    ids=lambda words: words[0],
)
def test_a_missing_file_is_named_with_what_finds_the_others(
    without_frames: Path, tmp_path: Path, at: Callable[..., tuple[int, str, str]], command: list[str]
) -> None:
    words = [word.format(tmp_path / "out") for word in command]
    code, _, err = at(*words, "--archive", without_frames)
    assert code == 2
    assert "a data file is missing: " in err
    assert str(without_frames / "data" / "main" / "frames") in err
    assert "workbench verify" in err
    assert "again" not in err


def test_a_missing_file_of_an_older_snapshot_too(without_frames: Path) -> None:
    with Archive(without_frames) as newest:
        snapshot = newest.snapshot
    with Archive(without_frames, as_of=snapshot) as held, pytest.raises(DataFileMissing):
        held.sql("from frames")


def test_verify_says_so_of_every_audit_that_reads_it(without_frames: Path) -> None:
    with Archive(without_frames) as archive:
        problems = verify(archive.layout).problems
    assert any(problem.startswith("frames: the data file is missing") for problem in problems)
    assert any("cannot be run: a data file is missing: " in problem for problem in problems)


def test_a_missing_file_of_recordings_is_a_problem_too(small_archive: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(small_archive, tmp_path / "a"))
    shutil.rmtree(root / "data" / "main" / "recordings")
    with Archive(root) as archive:
        assert any("recordings" in problem for problem in verify(archive.layout).problems)


def test_a_writer_says_so_too(small_archive: Path, tmp_path: Path, at: Callable[..., tuple[int, str, str]]) -> None:
    root = Path(shutil.copytree(small_archive, tmp_path / "a"))
    shutil.rmtree(root / "data" / "main" / "recordings")
    code, _, err = at("measure", "--archive", root)
    assert code == 2
    assert "a data file is missing: " in err
    assert "SELECT" not in err


def test_a_file_that_is_there_but_cannot_be_opened_is_not_called_missing(small_archive: Path) -> None:
    file = next((small_archive / "data" / "main" / "frames").glob("*.parquet"))
    error = duckdb.IOException(f'IO Error: Cannot open file "{file}": Permission denied')
    with Archive(small_archive) as archive:
        told = lost_file.lost(error, archive.layout)
    assert isinstance(told, ArchiveFailed)
    assert "cannot be opened (Permission denied)" in told.what
    assert "read permission" in str(told.hint)
