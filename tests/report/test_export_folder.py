"""An export appears whole or not at all."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import workbench
from workbench.errors import ExportFailed
from workbench.report.export import export
from workbench.report.new_folder import new_folder

LIMITED = """
import os, resource, sys
import workbench
from workbench.report.export import export
from workbench.report.wanted import queries
limit = os.path.getsize(sys.argv[1] + "/catalog.sqlite") + 4096  # a reader copies the catalogue
resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
export(workbench.open(sys.argv[1]), sys.argv[2], queries=queries(["select range from range(200000)"], {}))
"""
WAITING = """
import sys, time
from pathlib import Path
from workbench.report.new_folder import new_folder
with new_folder(Path(sys.argv[1])) as folder:
    (folder / "half.csv").write_text("a")
    print("ready", flush=True)
    time.sleep(60)
"""


def test_a_folder_with_something_in_it_is_left_alone(small_archive: Path, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    with workbench.open(small_archive) as archive, pytest.raises(ExportFailed, match="not empty") as failed:
        export(archive, tmp_path)
    assert failed.value.hint
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
    with workbench.open(small_archive) as archive, pytest.raises(ExportFailed, match="it is a file"):
        export(archive, tmp_path / "mine.txt")
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_an_empty_folder_and_missing_parents_are_fine(small_archive: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with workbench.open(small_archive) as archive:
        export(archive, tmp_path / "empty", tables=["words"])
        export(archive, tmp_path / "a/b c/\u00fc", tables=["words"])
    assert {path.name for path in (tmp_path / "empty").iterdir()} == {
        path.name for path in (tmp_path / "a/b c/\u00fc").iterdir()
    }
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "empty"]


def test_where_nothing_can_be_written_is_said_once(small_archive: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with workbench.open(small_archive) as archive, pytest.raises(ExportFailed, match="cannot be written"):
        export(archive, tmp_path / "file" / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a process are POSIX")
def test_a_full_disk_leaves_nothing(small_archive: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: writes fail in the same way, part way through."""
    target = tmp_path / "out"
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED, str(small_archive), str(target)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert "ExportFailed" in ended.stderr.splitlines()[-2]
    assert "cannot be written (File too large)" in ended.stderr
    assert not list(tmp_path.iterdir())


def test_a_killed_export_leaves_no_folder_and_the_next_one_works(small_archive: Path, tmp_path: Path) -> None:
    target = tmp_path / "out"
    with subprocess.Popen([sys.executable, "-c", WAITING, str(target)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        process.send_signal(signal.SIGKILL)
    assert not target.exists()
    with workbench.open(small_archive) as archive:
        export(archive, target, tables=["words"])
    assert (target / "words.csv").is_file()
    assert not (target / "half.csv").exists()


def test_any_error_takes_the_hidden_folder_with_it(tmp_path: Path) -> None:
    def stopped() -> None:
        with new_folder(tmp_path / "out") as folder:
            (folder / "half.csv").write_text("a")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stopped()
    assert not list(tmp_path.iterdir())
