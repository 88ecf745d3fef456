"""What `workbench import` prints of notes, refusals and files passed over."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from workbench.cli import root

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
