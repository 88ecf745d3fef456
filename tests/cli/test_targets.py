"""-o: a file is replaced whole or not at all, a device stays what it is."""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.errors import ExportFailed
from workbench.report.new_file import write_whole

Run = Callable[..., tuple[int, str, str]]
COMMANDS = {
    "csv": ("sql", "select hash(range) as h from range(100000)", "--format", "csv"),
    "parquet": ("sql", "select hash(range) as h from range(200000)", "--format", "parquet"),
    "report": ("report", "archive"),
}


@pytest.mark.parametrize("words", COMMANDS.values(), ids=COMMANDS)
def test_places_that_cannot_be_written(words: tuple[str, ...], small_archive: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "file").touch()
    for target in (tmp_path / "none" / "x", tmp_path / "file" / "x", Path("/proc/x"), Path("/dev/full")):
        code, out, err = run(*words, "-o", target, "--archive", small_archive)
        assert (code, out) == (2, ""), err
        assert err.startswith(f"workbench: {target}: ")
        assert err.count("Hint: ") == 1
        assert "Traceback" not in err
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)
    assert sorted(tmp_path.iterdir()) == [tmp_path / "file"]


@pytest.mark.parametrize("words", [COMMANDS["csv"], COMMANDS["parquet"]], ids=["csv", "parquet"])
def test_an_earlier_file_outlives_a_full_disk(
    words: tuple[str, ...], small_archive: Path, tmp_path: Path, run: Run
) -> None:
    """A limit on the size of files stands for the disk: the kernel refuses in the middle of the file."""
    target = tmp_path / "earlier"
    content = "PAR1 earlier" if "parquet" in words else "earlier"
    target.write_text(content, encoding="utf-8")
    most = 1_000_000
    assert (small_archive / "catalog.sqlite").stat().st_size < most
    limit = (most, resource.RLIM_INFINITY)
    code, _, err = run(
        *words,
        "-o",
        target,
        "--archive",
        small_archive,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
        env={"TMPDIR": str(tmp_path.parent)},
    )
    assert code == 2, err
    assert "File too large" in err
    assert "Traceback" not in err
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_text(encoding="utf-8") == content


def test_what_is_given_open_is_written_to(small_archive: Path, tmp_path: Path, run: Run) -> None:
    words = ("sql", "select 1 as a", "--archive", small_archive)
    assert run(*words, "--format", "csv", "-o", "/dev/stdout")[:2] == (0, "a\n1\n")
    target = tmp_path / "log"
    target.write_text("kept\n", encoding="utf-8")
    with target.open("ab") as log:
        assert run(*words, "--format", "csv", "-o", "/dev/stdout", stdout=log)[0] == 0
    assert target.read_text(encoding="utf-8") == "kept\na\n1\n"


def test_nobody_reading_on_is_no_failure(small_archive: Path, run: Run) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    code, _, err = run("sql", "from calls", "--archive", small_archive, "-o", "/dev/stdout", stdout=writing)
    os.close(writing)
    assert code == 0, err


def test_a_pipe_in_a_folder_stays_one(tmp_path: Path) -> None:
    target = tmp_path / "pipe"
    os.mkfifo(target)
    reading = os.open(target, os.O_RDONLY | os.O_NONBLOCK)
    assert write_whole(target, "text\n", kind="csv") == 5
    assert os.read(reading, 99) == b"text\n"
    os.close(reading)
    assert stat.S_ISFIFO(target.stat().st_mode)


def test_a_link_keeps_pointing(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old", encoding="utf-8")
    (tmp_path / "link").symlink_to("real")
    write_whole(tmp_path / "link", "new", kind="csv")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text(encoding="utf-8") == "new"


def test_a_missing_folder_is_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(ExportFailed, match=r"there is no folder .*\nHint: make the folder first"):
        write_whole(tmp_path / "none" / "x", "text", kind="csv")
    assert not list(tmp_path.iterdir())
