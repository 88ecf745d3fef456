"""A reader that leaves early costs no verdict, and is no failure."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def unread() -> Iterator[int]:
    """The writing end of a pipe whose reader has left."""
    reading, writing = os.pipe()
    os.close(reading)
    yield writing
    os.close(writing)


@pytest.mark.parametrize(
    "words", [("tables",), ("--help",), ("sql", "from turns", "--format", "csv"), ("history",), ("verify",)]
)
def test_a_report_cut_by_its_reader_ends_with_0(
    words: tuple[str, ...], failing_archive: Path, unread: int, run: Run
) -> None:
    env = {"WORKBENCH_ARCHIVE": str(failing_archive)}
    code, _, err = run(*words, stdout=unread, env=env)
    assert "Traceback" not in err
    assert "Error" not in err
    assert code == 0


def test_a_failed_gate_is_still_one(
    failing_archive: Path, packs: dict[str, Path], tmp_path: Path, unread: int, run: Run
) -> None:
    archive = tmp_path / "archive"
    shutil.copytree(failing_archive, archive)
    env = {"WORKBENCH_ARCHIVE": str(archive)}
    for words, passes in [
        (("diff", "before", "after", "--strict"), False),
        (("diff", "before", "before", "--strict"), True),
        (("assert", packs["after"], "--strict"), False),
        (("assert", packs["before"], "--strict"), True),
    ]:
        assert run(*words, stdout=unread, env=env)[0] == (0 if passes else 1), words


def test_an_archive_that_is_not_whole_is_still_told(small_archive: Path, unread: int, run: Run) -> None:
    """Its made assertion result belongs to no run, which an audit finds."""
    assert "problem: audit" in run("verify", "--archive", small_archive)[1]
    assert run("verify", "--archive", small_archive, stdout=unread)[0] == 1


def test_an_unread_error_keeps_its_code(tmp_path: Path, unread: int, run: Run) -> None:
    assert run("verify", "--archive", tmp_path / "none", stdout=unread, stderr=unread)[0] == 2


def test_a_full_disk_behind_stdout_is_told(run: Run) -> None:
    with Path("/dev/full").open("wb") as full:
        code, _, err = run("tables", stdout=full)
    assert code == 2
    assert err.startswith("workbench: standard output: it cannot be written (No space left on device)\nHint: ")
    assert "Traceback" not in err
