"""A process killed at any point of an import leaves the archive whole, and a rerun completes it."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import workbench
from workbench.archive.archive import Archive
from workbench.archive.retention import compact
from workbench.archive.verifying import verify

SCRIPT = Path(__file__).parent / "importer_process.py"
CALLS = 40
TABLES = (
    "calls",
    "turns",
    "words",
    "tool_calls",
    "spans",
    "stage_timings",
    "state_rows",
    "recordings",
    "scenarios",
)


def start(root: Path, sounds: Path, place: str = "never", count: int = 1) -> subprocess.Popen[str]:
    command = [sys.executable, str(SCRIPT), str(root), str(sounds), str(CALLS), place, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def counts(root: Path) -> dict[str, int]:
    with workbench.open(root) as archive:
        return {name: archive.sql(f"select count(*) as n from {name}").item() for name in TABLES}


EMPTY = dict.fromkeys(TABLES, 0)
FULL = dict.fromkeys(TABLES, CALLS) | {"turns": 2 * CALLS}


@pytest.mark.parametrize(
    ("place", "count", "kept"),
    [
        ("spooled", 1, EMPTY),
        ("placed", 1, EMPTY),
        ("inserted", 1, EMPTY),
        ("inserted", 9, EMPTY),
        ("locked", 1, EMPTY),  # all rows are written, COMMIT has not come
    ],
)
def test_killed_at_a_named_point(tmp_path: Path, place: str, count: int, kept: dict[str, int]) -> None:
    Archive.create(tmp_path / "a").close()
    process = start(tmp_path / "a", tmp_path / "sounds", place, count)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == -signal.SIGKILL, errors
    assert counts(tmp_path / "a") == kept
    assert verify(workbench.open(tmp_path / "a").layout).problems == []
    again = start(tmp_path / "a", tmp_path / "sounds")
    out, errors = again.communicate(timeout=120)
    assert out.split()[1:] == [str(CALLS), "0"], errors
    assert counts(tmp_path / "a") == FULL
    compact(workbench.open(tmp_path / "a").layout)
    whole = verify(workbench.open(tmp_path / "a").layout)
    assert (whole.problems, whole.notes, whole.media) == ([], [], CALLS)


def test_killed_at_many_moments(tmp_path: Path) -> None:
    """Kills spread over the time an undisturbed import takes: each leaves all of it or nothing."""
    Archive.create(tmp_path / "timed").close()
    process = start(tmp_path / "timed", tmp_path / "sounds")
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    begin = time.monotonic()
    process.communicate(timeout=120)
    whole_s = time.monotonic() - begin
    assert counts(tmp_path / "timed") == FULL

    Archive.create(tmp_path / "a").close()
    seen = []
    for part in range(1, 9):
        process = start(tmp_path / "a", tmp_path / "sounds")
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(whole_s * part / 9)
        process.kill()
        process.communicate(timeout=120)
        found = counts(tmp_path / "a")
        assert found in (EMPTY, FULL)
        seen.append(found == FULL)
    assert seen[0] is False  # the first kill came before the commit, so something was at stake
    assert verify(workbench.open(tmp_path / "a").layout).problems == []
    start(tmp_path / "a", tmp_path / "sounds").communicate(timeout=120)
    assert counts(tmp_path / "a") == FULL
