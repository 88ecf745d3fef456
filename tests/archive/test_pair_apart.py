"""Two files of a call that never sound at the same time, as with offsets in milliseconds: the import says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.timing.made_voices import AGENT, CALLER, RATE, write
from workbench.archive.archive import Archive
from workbench.archive.import_commit import ImportReport
from workbench.cli import root
from workbench.ingest import read

# Both files last 10 s (made_voices); the agent's sounds from 1,900 s on where 1.9 s was meant.
SAID = "the caller's file lasts from 0 to 10 s and the agent's file lasts from 1900 to 1910 s"


def imported(folder: Path, offsets: dict[str, float], *, document: bool = False) -> tuple[Archive, ImportReport]:
    place = folder / "c"
    place.mkdir()
    write(place, CALLER, AGENT)
    said: dict[str, object] = {"offset_s": offsets}
    if document:
        audio = [{"path": f"{role}.wav", "channels": [role], "offset_s": at} for role, at in offsets.items()]
        said = {"format": "workbench.call/1", "id": "c", "audio": audio}
    (place / ("call.json" if document else "c.json")).write_text(json.dumps(said), encoding="utf-8")
    archive = Archive.create(folder / "archive")
    return archive, archive.add(read([place]))


@pytest.mark.parametrize("document", [False, True])
def test_files_that_never_meet_are_told_at_the_import(tmp_path: Path, document: bool) -> None:
    _, report = imported(tmp_path, {"caller": 0.0, "agent": 1900.0}, document=document)
    (note,) = report.refusals
    assert (note.rule, note.scope, note.call_id) == ("pair_apart", "note", "c")
    assert note.message == f"{SAID}, so the two never sound at the same time"
    assert "if it is in milliseconds, divide it by 1000" in note.hint
    assert report.new == 1


@pytest.mark.parametrize(("late_s", "apart"), [(9.99, 0), (10.0, 1)])
def test_files_that_meet_for_a_moment_are_not(tmp_path: Path, late_s: float, apart: int) -> None:
    _, report = imported(tmp_path, {"caller": late_s, "agent": 0.0})
    assert [note.rule for note in report.refusals] == ["pair_apart"] * apart


def test_two_recordings_of_one_party_are_no_pair(tmp_path: Path) -> None:
    write(tmp_path, CALLER[: 2 * RATE], AGENT)
    audio = [
        {"path": f"{name}.wav", "channels": ["caller"], "offset_s": at} for name, at in (("caller", 0), ("agent", 9))
    ]
    (tmp_path / "call.json").write_text(json.dumps({"format": "workbench.call/1", "id": "c", "audio": audio}))
    assert Archive.create(tmp_path / "archive").add(read([tmp_path / "call.json"])).refusals == []


def test_the_command_prints_it(tmp_path: Path) -> None:
    write(tmp_path, CALLER, AGENT)
    (tmp_path / f"{tmp_path.name}.json").write_text('{"offset_s": {"caller": 0.0, "agent": 1900}}')
    found = CliRunner().invoke(root, ["import", str(tmp_path), "--archive", str(tmp_path / "archive")])
    assert "note: pair_apart x 1\n" in found.output
    assert SAID in found.output
