"""Files inside folders that are read as a whole: what is used, what is passed over, what is said of one alone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from workbench import ingest
from workbench.ingest.intake.discovery import importers
from workbench.ingest.intake.folder_parts import parts_of
from workbench.schema.call import Call, Refusal

CALLS = Path(__file__).parents[3] / "data" / "calls"
FOLDERS = [name for name, one in importers().items() if one.CLAIMS == "folder"]


def refusals(path: Path, name: str = "auto") -> list[Refusal]:
    return [item for item in ingest.read([path], format=name) if isinstance(item, Refusal) and item.scope != "note"]


@pytest.mark.parametrize("name", FOLDERS)
def test_every_folder_importer_says_what_it_reads(name: str) -> None:
    assert parts_of(CALLS, importers()[name]) is not None


@pytest.mark.parametrize(
    ("folder", "unused"),
    [
        ("harper-valley-bank", ["LICENSE-CC-BY-4.0.txt", "NOTICE.md", "calls.json"]),
        ("ami-floor-exchange", ["NOTICE.md", "manifest.json"]),
        ("vapi-defaults", ["NOTICE.md"]),
        ("tau2-voice", ["NOTICE.md"]),
        ("eva-airline", ["NOTICE.md"]),
    ],
)
def test_files_of_a_claimed_folder_that_are_not_read_are_counted(folder: str, unused: list[str]) -> None:
    """Listed by hand: all other files of these folders are a call's own."""
    reading = ingest.read([CALLS / folder])
    assert [path.name for path in reading.survey.skipped] == unused
    assert sum(isinstance(item, Call) for item in reading) > 0


def test_what_is_in_no_scenario_and_what_is_hidden_is_counted(tmp_path: Path) -> None:
    shutil.copytree(CALLS / "vapi-defaults", tmp_path / "v")
    wav = next((tmp_path / "v" / "audio").glob("*.wav"))
    shutil.copy(wav, wav.with_name("extra.wav"))
    (tmp_path / "v" / ".git" / "objects").mkdir(parents=True)
    for name in (".git/objects/a", ".git/objects/b", ".git/HEAD"):
        (tmp_path / "v" / name).write_bytes(b"x")
    skipped = ingest.read([tmp_path / "v"]).survey.skipped
    assert [path.name for path in skipped] == [".git", "NOTICE.md", "extra.wav"]


def test_subfolders_of_others_are_walked_or_with_a_stated_format_counted(tmp_path: Path) -> None:
    shutil.copytree(CALLS / "tau2-voice", tmp_path / "run")
    (tmp_path / "run" / "utterances").mkdir()
    shutil.copy(CALLS / "voiceeval-fixtures" / "good_call.json", tmp_path / "run" / "utterances")
    assert ingest.read([tmp_path / "run"]).skipped == 1
    skipped = ingest.read([tmp_path / "run"], format="tau2").survey.skipped
    assert [path.name for path in skipped] == ["NOTICE.md", "good_call.json"]


@pytest.mark.parametrize("name", ["auto", "tau2"])
@pytest.mark.parametrize("kind", ["folder", "file"])
def test_a_part_alone_is_told_to_name_the_folder_above(name: str, kind: str) -> None:
    path = CALLS / "tau2-voice" / "simulations"
    (refusal,) = refusals(path if kind == "folder" else next(path.glob("*.json")), name)
    assert refusal.rule == "part_of_folder"
    assert "tau2 reads from a folder as a whole" in refusal.message
    assert refusal.hint == f"name the folder: workbench import {CALLS / 'tau2-voice'}"


def test_many_parts_of_a_folder_are_told_once() -> None:
    for kind in ("transcript", "metadata"):
        (refusal,) = refusals(CALLS / "harper-valley-bank" / kind)
        assert refusal.source_uri == str(CALLS / "harper-valley-bank" / kind)
        assert "its 8 files are parts of calls" in refusal.message
        assert refusal.hint.endswith(str(CALLS / "harper-valley-bank"))


def test_a_file_beside_the_parts_is_not_taken_for_one(tmp_path: Path) -> None:
    shutil.copytree(CALLS / "tau2-voice", tmp_path / "a run")
    inside = tmp_path / "a run" / "simulations"
    shutil.copy(next(inside.glob("*.json")), inside / "again.json")
    (inside / "x.xyz").write_bytes(b"hello")
    rules = {Path(item.source_uri).name: item for item in refusals(tmp_path / "a run" / "simulations")}
    assert {name: item.rule for name, item in rules.items()} == {
        "x.xyz": "unknown_format",
        "simulations": "part_of_folder",
    }
    assert rules["simulations"].hint == f"name the folder: workbench import '{tmp_path.resolve() / 'a run'}'"


def test_a_folder_format_given_for_a_file_says_what_it_reads(tmp_path: Path) -> None:
    (tmp_path / "x.json").write_bytes(b'{"a": 1}')
    (refusal,) = refusals(tmp_path / "x.json", "tau2")
    assert refusal.rule == "unknown_format"
    assert "--format" not in refusal.hint
    assert "results.json" in refusal.hint
