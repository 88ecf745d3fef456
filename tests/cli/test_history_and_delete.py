"""What happened to an archive in words, and a deletion that nobody agreed to."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.archive.archive import Archive
from workbench.archive.asserting import assert_pack
from workbench.assertions import load_pack
from workbench.cli.history import counted, told
from workbench.errors import SnapshotGone
from workbench.schema.call import Call, Turn

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    turns = [Turn(role="caller", text="Hello.", start_s=0.0, end_s=1.0)]
    with Archive.create(tmp_path / "archive") as archive:
        for name in ("c1", "c2"):
            source = {"source_format": "made", "source_uri": name, "source_sha256": f"{len(name):064x}"}
            archive.add([Call(id=name, turn_clock="reported", turns=turns, **source)])
        archive.label("c1", onset_s=0.5, expect="yield", author="ann")
    return tmp_path / "archive"


def test_history_says_what_made_a_snapshot_and_how_much(run: Run, place: Path) -> None:
    code, out, _ = run("history", "--archive", place)
    assert code == 0
    head, _, *rows = out.splitlines()
    assert head.split("  ")[0] == "snapshot"
    said = [row.split(maxsplit=4)[3:] for row in rows]
    assert said == [
        ["init", "archive made; no tables to read yet"],
        ["init", "tables made"],
        ["import", "1 call new"],
        ["import", "1 call new"],
        ["label", "1 label (c1)"],
    ]
    assert "tables_" not in out
    assert run("compact", "--archive", place)[0] == 0
    assert "clean-up" in run("history", "--archive", place)[1].splitlines()[-1]


def test_a_snapshot_from_before_the_tables_is_told_as_that(place: Path) -> None:
    with Archive(place, as_of=0) as archive, pytest.raises(SnapshotGone, match="snapshot 0 is from before the tables"):
        archive.sql("from calls")
    with Archive(place, as_of=1) as archive:
        assert archive.sql("from calls").is_empty()


def test_history_as_json_keeps_the_names_of_the_lake(run: Run, place: Path) -> None:
    rows = json.loads(run("history", "--archive", place, "--json")[1])
    assert set(rows[0]) == {"snapshot_id", "snapshot_time", "commit_message", "changes"}
    assert "tables_created" in rows[1]["changes"]


def test_counts_are_told_in_words() -> None:
    refused = {"new": 52, "refused": {"file": 1, "note": 6}, "replaced": 0, "unchanged": 1}
    assert counted(refused) == "52 calls new, 1 file refused, 6 notes, 1 call unchanged"
    assert counted({"recordings": 1, "problems": 0}) == "1 recording"
    assert counted({"FAIL": 1200, "PASS": 7}) == "1,200 FAIL, 7 PASS"
    assert counted({"rows": 0}) == "nothing"
    assert told({"commit_message": None, "changes": {"new_kind": ["1"]}}, []) == ("", "new kind")


def test_a_no_deletes_nothing_and_says_so(place: Path, start: Callable[..., subprocess.Popen[bytes]]) -> None:
    process = start("delete", "c1", "--archive", place, stdin=subprocess.PIPE)
    _, err = process.communicate(b"n\n", timeout=60)
    assert process.returncode == 2
    assert b"nothing was deleted" in err
    with Archive(place) as archive:
        assert archive.sql("from calls").height == 2


def test_a_no_at_a_terminal_is_told_apart_from_a_stop(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from workbench.cli import delete, main

    class Terminal:
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(delete.sys, "stdin", Terminal())
    monkeypatch.setattr(delete.click, "confirm", lambda *_args, **_more: False)
    with pytest.raises(SystemExit) as ended:
        main(["delete", "c1", "--archive", str(place)])
    assert ended.value.code == 2
    assert "nothing was deleted" in capsys.readouterr().err
    with Archive(place) as archive:
        assert archive.sql("from calls").height == 2


def test_after_a_deletion_history_says_what_became_of_it(run: Run, place: Path) -> None:
    assert run("delete", "c1", "--yes", "--archive", place)[0] == 0
    _, _, first, *rest = run("history", "--archive", place)[1].splitlines()
    kept = int(rest[0].split()[0])
    assert first.split("  ")[0].strip() == f"0 to {kept - 1}"
    assert "delete" in first
    assert "1 deletion, " in first
    assert "the snapshots until then ended with it" in first
    assert run("history", "--archive", place, "--json")[1].count("snapshot_id") == len(rest)


def test_an_assertion_run_tells_verdicts_and_findings_apart(run: Run, tmp_path: Path) -> None:
    """Two late answers in one call: two findings, and one verdict of the check."""
    times = ((0.0, 1.0), (4.0, 5.0), (6.0, 7.0), (10.0, 11.0))
    turns = [
        Turn(role=role, text="Well.", start_s=start, end_s=end)
        for role, (start, end) in zip(("caller", "agent") * 2, times, strict=True)
    ]
    source = {"source_format": "made", "source_uri": "x", "source_sha256": "0" * 64}
    with Archive.create(tmp_path / "a") as archive:
        archive.add([Call(id="slow", turn_clock="reported", turns=turns, **source)])
        assert_pack(archive.layout, load_pack("caller-experience"))
        archive.refresh()
        failed = archive.sql("select assertion_id from assertion_results where status = 'FAIL'")["assertion_id"]
    assert failed.len() > failed.n_unique()
    told_last = run("history", "--archive", tmp_path / "a")[1].splitlines()[-1]
    assert f"a verdict a check and call: {failed.n_unique()} FAIL" in told_last
    assert told_last.endswith(f"{failed.len()} findings")


def test_compact_says_what_became_of_a_killed_deletion(at: Run, place: Path) -> None:
    mark = place / "purge.pending"
    with Archive(place) as archive:
        mark.write_text(json.dumps({"after": archive.snapshot, "call_id": "c1"}), encoding="ascii")
    code, out, err = at("verify", "-q", "--archive", place)
    assert (code, out) == (1, "")
    assert "the deletion of the call 'c1' was begun and never done" in err
    code, _, err = at("compact", "-q", "--archive", place)
    assert code == 1
    assert f"workbench delete c1 --archive {place} repeats it" in err
    assert at("compact", "-q", "--archive", place) == (0, "", "")
    assert at("verify", "-q", "--archive", place) == (0, "", "")
