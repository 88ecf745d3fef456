"""What `workbench import` prints of notes, refusals and files passed over."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from workbench.archive import importing
from workbench.archive.archive import Archive
from workbench.cli import root

if TYPE_CHECKING:
    import pytest

CALLS = Path(__file__).parents[2] / "data" / "calls"


def run(*paths: Path, archive: Path) -> list[str]:
    found = CliRunner().invoke(root, ["import", *map(str, paths), "--archive", str(archive)])
    assert found.exit_code == 0, found.output
    return found.stdout.splitlines()


def test_each_kind_of_note_prints_its_count_and_its_first_one(tmp_path: Path) -> None:
    for name in ("a", "b"):
        turn = {"role": "agent", "text": "hi", "start": 0.2}
        call = {"format": "workbench.call/1", "id": name, "turns": [turn]}
        (tmp_path / f"{name}.json").write_text(json.dumps(call))
    lines = run(tmp_path / "a.json", tmp_path / "b.json", archive=tmp_path / "archive")
    at = lines.index("note: unknown_field x 2, the first:")
    assert lines[at + 1].endswith("a.json: document: turns[0].start is no field of the format; did you mean start_s?")
    assert lines[at + 2].startswith("  hint: rename it")
    assert not any("b.json" in line for line in lines)


def test_a_hint_that_several_refusals_share_is_printed_once(tmp_path: Path) -> None:
    (tmp_path / "calls").mkdir()
    (tmp_path / "calls" / "c.json").write_text('{"format": "workbench.call/1", "id": "c", "turns": []}')
    (tmp_path / "calls" / "empty.json").write_bytes(b"")
    for name in ("x.json", "z.json"):
        (tmp_path / "calls" / name).write_text('{"files": []}')
    lines = run(tmp_path / "calls", archive=tmp_path / "archive")
    refused = [line for line in lines if line.startswith(("refused", "  hint"))]
    assert [line.rpartition("[")[2] for line in refused if line.startswith("refused")] == [
        "empty_file]",
        "unknown_format]",
        "unknown_format]",
    ]
    assert sum(line.startswith("  hint: say what it is") for line in refused) == 1
    assert len(refused) == 5


def test_files_passed_over_are_counted_and_named(tmp_path: Path) -> None:
    lines = run(CALLS / "harper-valley-bank", archive=tmp_path / "archive")
    assert "passed over: 3 files of which no call is made (LICENSE-CC-BY-4.0.txt, NOTICE.md, calls.json)" in lines


def one_call(folder: Path) -> Path:
    path = folder / "c.json"
    path.write_text('{"format": "workbench.call/1", "id": "c", "turns": [{"role": "agent", "text": "hi"}]}')
    return path


def test_a_first_import_that_is_stopped_leaves_no_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_args: object, **_options: object) -> None:
        raise KeyboardInterrupt

    call = one_call(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(importing, "commit", stopped)
        found = CliRunner().invoke(root, ["import", str(call), "--archive", str(tmp_path / "a")])
    assert found.exit_code != 0
    assert not (tmp_path / "a").exists()
    run(call, archive=tmp_path / "a")


def test_an_import_that_is_stopped_leaves_the_archive_that_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Archive.create(tmp_path / "a")

    def stopped(*_args: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(importing, "commit", stopped)
    assert CliRunner().invoke(root, ["import", str(one_call(tmp_path)), "--archive", str(tmp_path / "a")]).exit_code
    assert Archive(tmp_path / "a").sql("from calls").is_empty()


def test_what_brings_nothing_makes_no_archive(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    found = CliRunner().invoke(root, ["import", str(tmp_path / "empty"), "--archive", str(tmp_path / "a")])
    assert found.exit_code == 2
    assert "nothing was accepted" in found.stderr
    assert not (tmp_path / "a").exists()
