"""A deleted call leaves no byte behind; compaction keeps every snapshot readable."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from made_calls import made_call

import workbench
from workbench.archive.archive import Archive
from workbench.archive.creating import create
from workbench.archive.retention import compact, delete
from workbench.archive.verifying import verify
from workbench.errors import ArchiveFailed, UsageError
from workbench.schema.call import Call, Refusal


def files_with(root: Path, needle: bytes) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file() and needle in path.read_bytes()]


def test_a_deleted_call_leaves_no_byte_behind(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    for first in (0, 2):  # two imports, so that files with and without the call exist
        archive.add([made_call(ix, tmp_path / "sounds") for ix in range(first, first + 2)])
    archive.measure(workers=1)
    name = b"unmistakable-0001"
    sound = (tmp_path / "sounds" / "unmistakable-0001.wav").read_bytes()[100:400]
    recording = archive.sql("select recording_id from recordings where call_id = 'unmistakable-0001'").item()
    needles = [name, sound, recording.encode()]
    assert all(files_with(tmp_path / "a", needle) for needle in (name, sound))
    gone = delete(archive.layout, "unmistakable-0001")
    assert {"calls", "turns", "words", "tool_calls", "recordings", "frames", "scenarios"} <= set(gone.rows)
    assert gone.media == 1
    for needle in needles:
        assert files_with(tmp_path / "a", needle) == []
    archive.refresh()
    assert archive.sql("select count(*) as n from calls").item() == 3
    assert verify(archive.layout).problems == []
    back = archive.add([made_call(1, tmp_path / "sounds")])
    assert back.new == 1


def test_audio_of_two_calls_stays_until_the_last_is_deleted(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    one, two = made_call(1, tmp_path / "sounds"), made_call(2)
    two.audio = one.audio
    archive.add([one, two])
    archive.measure(workers=1)
    assert delete(archive.layout, one.id).media == 0
    archive.refresh()
    assert archive.sql("select count(*) as n from frames").item() > 0
    assert verify(archive.layout).problems == []
    assert delete(archive.layout, two.id).media == 1
    archive.refresh()
    assert archive.sql("select count(*) as n from frames").item() == 0


def test_deleting_an_unknown_call_changes_nothing(archive: Archive) -> None:
    before = archive.snapshot
    with pytest.raises(UsageError, match="no call 'x'"):
        delete(archive.layout, "x")
    archive.refresh()
    assert archive.snapshot == before


def test_compaction_merges_files_and_keeps_snapshots(archive: Archive) -> None:
    for ix in range(6):
        archive.add([made_call(ix)])
    early = archive.snapshot - 3
    done = compact(archive.layout)
    assert done.files_after <= done.files_before
    archive.refresh()
    assert archive.sql("select count(*) as n from calls").item() == 6
    with workbench.open(archive.path, as_of=early) as old:
        assert old.sql("select count(*) as n from calls").item() == 3


def test_a_moved_archive_opens(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(1, tmp_path / "sounds")])
    archive.close()
    shutil.move(tmp_path / "a", tmp_path / "b c é")
    with workbench.open(tmp_path / "b c é") as moved:
        assert moved.sql("select call_id from calls").item() == "unmistakable-0001"
        moved.add([made_call(2)])
        assert moved.sql("select count(*) as n from calls").item() == 2
    assert verify(moved.layout).problems == []


def test_missing_and_changed_audio_is_noticed(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(ix, tmp_path / "sounds") for ix in (1, 2)], storage="reference")
    assert verify(archive.layout).problems == []
    (tmp_path / "sounds" / "unmistakable-0001.wav").unlink()
    changed = tmp_path / "sounds" / "unmistakable-0002.wav"
    changed.write_bytes(changed.read_bytes()[:-1] + b"\x55")
    problems = verify(archive.layout).problems
    assert len(problems) == 2
    assert "missing" in problems[0]
    assert "bytes differ" in problems[1]
    report = archive.measure(workers=1)
    assert (report.measured, len(report.problems)) == (0, 2)
    assert archive.sql("select count(*) as n from frames").item() == 0


def test_an_unknown_snapshot_is_refused(archive: Archive) -> None:
    with pytest.raises(UsageError, match="no snapshot 99"):
        workbench.open(archive.path, as_of=99).sql("select 1")


def test_folders_that_are_no_archive(tmp_path: Path) -> None:
    with pytest.raises(ArchiveFailed, match="no such archive"):
        workbench.open(tmp_path / "nothing")
    with pytest.raises(ArchiveFailed, match="not an archive"):
        workbench.open(tmp_path)
    (tmp_path / "file").write_text("x")
    with pytest.raises(ArchiveFailed, match="not empty"):
        create(workbench.archive.layout.Layout(tmp_path))


def test_after_a_deletion_and_more_imports_every_call_is_found(tmp_path: Path) -> None:
    """The catalogue's statistics must not be left half cleared: queries would skip rows that are there."""
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(ix, tmp_path / "sounds") for ix in range(4)])
    archive.measure(workers=1)
    delete(archive.layout, made_call(1).id)
    archive.refresh()
    archive.add([made_call(9)])
    archive.add([made_call(5, tmp_path / "sounds")])
    archive.measure(workers=1)
    for ix in (0, 2, 3, 5, 9):
        found = archive.sql("select evidence_tier from calls where call_id = $id", {"id": made_call(ix).id})
        assert found["evidence_tier"].to_list() == [2 if ix == 9 else 1]
    tiers = archive.sql("select evidence_tier, count(*) as n from calls group by all order by all").rows()
    assert tiers == [(1, 4), (2, 1)]
    assert verify(archive.layout).problems == []


@pytest.mark.parametrize("name", ["a?b", "x*y", "set[ab]", "it's, 100 %"])
def test_paths_that_look_like_patterns_lose_nothing(tmp_path: Path, name: str) -> None:
    archive = Archive.create(tmp_path / name)
    archive.add([made_call(ix, tmp_path / "sounds") for ix in range(3)])
    compact(archive.layout)
    delete(archive.layout, made_call(1).id)
    archive.refresh()
    assert archive.sql("select count(*) as n from turns").item() == 4
    assert verify(archive.layout).problems == []


def test_data_behind_a_link_is_not_lost(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(ix) for ix in range(3)])
    archive.close()
    shutil.move(tmp_path / "a" / "data", tmp_path / "big disk")
    (tmp_path / "a" / "data").symlink_to(tmp_path / "big disk")
    compact(archive.layout)
    assert archive.sql("select count(*) as n from turns").item() == 6


def test_nothing_is_removed_from_an_archive_that_is_not_whole(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(1)])
    (gone, *_), stray = sorted(archive.layout.data.rglob("*.parquet")), archive.layout.data / "stray.parquet"
    gone.unlink()
    stray.write_bytes(b"x")
    with pytest.raises(ArchiveFailed, match="1 missing data file"):
        compact(archive.layout)
    assert stray.exists()


@pytest.mark.parametrize("place", ["remove_orphaned_data", "remove_orphaned_media", "_scrub"])
def test_a_deletion_that_was_killed_is_told_and_finished(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from workbench.archive import purging

    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(ix, tmp_path / "sounds") for ix in range(2)])
    with monkeypatch.context() as patch:
        patch.setattr(purging, place, lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            delete(archive.layout, made_call(1).id)
    archive.refresh()
    assert any("is not finished" in problem and "compact" in problem for problem in verify(archive.layout).problems)
    compact(archive.layout)
    assert verify(archive.layout).problems == []
    assert files_with(tmp_path / "a", b"unmistakable-0001") == []
    assert archive.sql("select count(*) as n from calls").item() == 1


@pytest.mark.parametrize("named", [True, False])
def test_a_deletion_that_was_never_committed_ends_no_snapshot_and_is_told(tmp_path: Path, named: bool) -> None:
    """A process killed between its mark and its commit; an earlier version's mark names no call."""
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(1)])
    archive.add([made_call(2)])
    call_id = made_call(1).id
    text = json.dumps({"after": archive.snapshot, "call_id": call_id}) if named else str(archive.snapshot)
    archive.layout.purge_mark.write_text(text)
    before = len(archive.history())
    (problem,) = verify(archive.layout).problems
    assert "never done" in problem
    assert "still there" in problem
    assert f"workbench delete {call_id if named else 'CALL'}" in problem
    done = compact(archive.layout)
    assert done.undone is not None
    assert (done.undone.call_id, done.finished) == (call_id if named else None, None)
    archive.refresh()
    assert len(archive.history()) >= before
    assert not archive.layout.purge_mark.exists()
    assert compact(archive.layout).undone is None


def test_a_mark_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a mark would end every earlier snapshot, though nothing was deleted."""
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(1)])
    before = len(archive.history())

    def stopped(_path: Path, _target: Path) -> Path:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", stopped)
        with pytest.raises(KeyboardInterrupt):
            delete(archive.layout, made_call(1).id)
    assert list(archive.layout.root.glob("purge*")) == []
    archive.refresh()
    assert len(archive.history()) == before


def test_a_deletion_of_another_call_tells_of_one_never_done(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(1), made_call(2)])
    archive.layout.purge_mark.write_text(json.dumps({"after": archive.snapshot, "call_id": made_call(1).id}))
    undone = delete(archive.layout, made_call(2).id).undone
    assert undone is not None
    assert undone.call_id == made_call(1).id
    assert verify(archive.layout).problems == []


def test_refusals_go_with_their_call_and_no_other(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    told = [
        Refusal(
            source_uri="f.jsonl", location="call one", rule="r", message="m", hint="h", scope="note", call_id="one"
        ),
        Refusal(
            source_uri="f.jsonl", location="call two", rule="r", message="m", hint="h", scope="note", call_id="two"
        ),
        Refusal(source_uri="f.jsonl", location="line 4", rule="r", message="m", hint="h", scope="call"),
    ]
    calls = [
        Call(id=name, source_format="m", source_uri="f.jsonl", source_sha256=name * 20, turns=[])
        for name in ("one", "two")
    ]
    archive.add([*calls, *told])
    delete(archive.layout, "one")
    archive.refresh()
    left = archive.sql("select location from refusals order by refusal_ix")["location"].to_list()
    assert left == ["call two", "line 4"]
    delete(archive.layout, "two")
    archive.refresh()
    assert archive.sql("select count(*) as n from refusals").item() == 0  # the file held nothing else


def test_verify_names_a_missing_data_file(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(1)])
    next((archive.layout.data / "main" / "turns").glob("*.parquet")).unlink()
    problems = verify(archive.layout).problems
    assert any("turns: the data file is missing" in problem for problem in problems)


def test_a_mark_that_holds_nothing_counts_as_a_deletion_to_finish(tmp_path: Path) -> None:
    """Nothing is known of it, so what it may stand for is made physical."""
    archive = Archive.create(tmp_path / "a")
    archive.layout.purge_mark.write_bytes(b"")
    (problem,) = verify(archive.layout).problems
    assert "a deletion is not finished" in problem
    done = compact(archive.layout)
    assert done.finished is not None
    assert verify(archive.layout).problems == []
