"""A deletion takes the files of older snapshots away: one reading begins anew, an open archive says so."""

from __future__ import annotations

import io
import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_calls import made_call

import workbench
from workbench import commits
from workbench.archive import acoustics, measuring
from workbench.archive.archive import Archive
from workbench.archive.labelling import expectation
from workbench.archive.lake import Reader, read_once
from workbench.archive.retention import delete
from workbench.archive.scoring import score
from workbench.archive.verifying import verify
from workbench.cli import main
from workbench.errors import QueryRefused, SnapshotGone, WorkbenchError

GONE, KEPT = "unmistakable-0001", "unmistakable-0000"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three measured calls, two of them with a labelled moment."""
    folder = tmp_path_factory.mktemp("made")
    archive = Archive.create(folder / "a")
    archive.add([made_call(ix, folder / "sounds") for ix in range(3)])
    archive.measure(workers=1)
    for name in (KEPT, GONE):
        expectation(archive.layout, name, onset_s=0.1, expect="yield", author="a")
    return archive.path


@pytest.fixture
def filled(made: Path, tmp_path: Path) -> Archive:
    """A copy of it."""
    return Archive(shutil.copytree(made, tmp_path / "a"))


@pytest.fixture
def deleting(filled: Archive, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """Delete a call as soon as the nth reader is open; return the snapshots that were opened."""

    def arrange(nth: int = 1) -> list[int]:
        opened: list[int] = []
        init = Reader.__init__

        def then(self: Reader, *given: Any, **named: Any) -> None:
            init(self, *given, **named)
            opened.append(self.snapshot)
            if len(opened) == nth:
                before = commits.count()
                delete(filled.layout, GONE)
                monkeypatch.setattr(commits, "_MESSAGES", ["import"] * before)  # as if another process had done it

        monkeypatch.setattr(Reader, "__init__", then)
        return opened

    return arrange


def test_an_open_archive_says_that_it_is_to_be_opened_again(filled: Archive) -> None:
    held = workbench.open(filled.path)
    assert held.snapshot
    delete(filled.layout, GONE)
    with pytest.raises(QueryRefused, match="open it again"):
        held.sql("from turns")
    assert workbench.open(filled.path).sql("from turns").height == 4


COMMANDS = {
    "score": ["score", "--json"],
    "sql": ["sql", "select count(distinct text) as n from turns", "--format", "json"],
    "show": ["show", KEPT, "--json"],
    "export": ["export", "{out}/research"],
    "export-calls": ["export", "{out}/calls", "--format", "calls"],
    "report": ["report", "archive", "-o", "{out}/report.html"],
    "assert": ["assert", "--pack", "caller-experience", "--json"],
    "label": ["label", KEPT, "--at", "0.2", "--expect", "hold", "--json"],
    "retract": ["label", KEPT, "--channels", "caller,agent"],
    "clocks": ["clocks", KEPT, "--json"],
    "sweep-timing": ["sweep-timing", "--grid", "abs_gate_db=-60", "--json"],
    "verify": ["verify"],
    "history": ["history"],
}


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_begins_anew(
    name: str, nth: int, filled: Archive, deleting: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    opened = deleting(nth)
    args = [part.format(out=tmp_path) for part in COMMANDS[name]]
    with pytest.raises(SystemExit):
        main([*args, "--archive", str(filled.path)])
    out, err = capfd.readouterr()
    assert "open it again" not in err
    assert "Cannot open file" not in out + err
    assert "meanwhile" not in err
    assert opened
    if name == "sql":
        assert json.loads(out) == [{"n": 3 if nth == 1 else 4}]
    if name == "label":  # begun anew as a whole it would stand twice
        assert filled.sql("from labels where call_id = $id and expect = 'hold'", {"id": KEPT}).height == 1


def test_a_query_from_stdin_is_read_once(
    filled: Archive, deleting: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    opened = deleting()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"select count(distinct text) as n from turns")))
    with pytest.raises(SystemExit) as end:
        main(["sql", "-", "--format", "csv", "--archive", str(filled.path)])
    assert (end.value.code, capfd.readouterr().out) == (0, "n\n3\n")
    assert len(opened) == 2


def test_a_snapshot_that_was_asked_for_is_not_exchanged(
    filled: Archive, deleting: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    snapshot = Archive(filled.path).snapshot
    deleting()
    with pytest.raises(SystemExit) as end:
        main(["sql", "from turns", "--as-of", str(snapshot), "--archive", str(filled.path)])
    assert end.value.code == 2
    assert "open it again" in capfd.readouterr().err


def test_functions_that_read_for_themselves_begin_anew(filled: Archive, deleting: Any) -> None:
    deleting()
    assert {event["call_id"] for event in score(filled.layout).events} == {KEPT}


def test_a_reading_gives_up(filled: Archive) -> None:
    begun = []

    def read(reader: Reader) -> None:
        begun.append(reader)
        raise SnapshotGone("again")

    with pytest.raises(SnapshotGone):
        read_once(filled.layout, read)
    assert len(begun) == 5


def test_an_archive_from_which_a_call_is_deleted_while_it_is_verified_is_whole(filled: Archive, deleting: Any) -> None:
    deleting()
    found = verify(filled.layout)
    assert (found.problems, found.media) == ([], 2)


@pytest.mark.parametrize("backends", [(), ("silero",)])
def test_a_recording_deleted_before_it_was_measured_is_not_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backends: tuple[str, ...]
) -> None:
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(ix, tmp_path / "sounds") for ix in range(3)])
    run = measuring._run

    def then(*given: Any) -> Any:
        delete(archive.layout, GONE)
        path = archive.layout.media_path(archive.sql("from recordings")["uri"][-1])
        path.write_bytes(path.read_bytes()[:-1])
        return run(*given)

    monkeypatch.setattr(measuring, "_run", then)
    report = archive.measure(workers=1, backends=backends)
    assert (report.measured, report.gone, len(report.problems)) == (1, 1, 1)
    assert "bytes differ" in report.problems[0]


def test_a_recording_deleted_before_it_was_described_is_not_missing(
    filled: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    side_by_side = acoustics.side_by_side

    def then(*given: Any, **named: Any) -> Any:
        delete(filled.layout, GONE)
        return side_by_side(*given, **named)

    monkeypatch.setattr(acoustics, "side_by_side", then)
    report = acoustics.describe(filled.layout, workers=1)
    assert (report.problems, report.gone) == ([], 1)
    assert report.described


def test_a_missing_file_is_still_a_problem(filled: Archive, tmp_path: Path) -> None:
    uri = filled.sql("select uri from recordings where call_id = $id", {"id": KEPT}).item()
    filled.layout.media_path(uri).unlink()
    assert len(acoustics.describe(filled.layout, workers=1).problems) == 1
    from workbench.report.export import export

    with pytest.raises(WorkbenchError, match="the audio file is missing"):
        export(filled, tmp_path / "calls", form="calls")
