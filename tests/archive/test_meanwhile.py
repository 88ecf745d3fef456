"""What others write while a pass is under way: nothing of a call that is gone, nothing of roles that were."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_calls import made_call
from msgspec import structs

from workbench.archive import asserting, measuring, media, retention
from workbench.archive.archive import Archive
from workbench.archive.asserting import assert_pack
from workbench.archive.retention import delete
from workbench.archive.verifying import verify
from workbench.assertions import load_pack
from workbench.audio import file_digest, read
from workbench.errors import ArchiveFailed, MissingExtra
from workbench.schema.call import Audio, Call

DERIVED = ("channels", "segments", "input_health", "frames")


@pytest.fixture
def filled(tmp_path: Path) -> Archive:
    """Three calls with a recording each, not measured."""
    archive = Archive.create(tmp_path / "a")
    archive.add([made_call(ix, tmp_path / "sounds") for ix in range(3)])
    return archive


def before_commit(monkeypatch: pytest.MonkeyPatch, what: Callable[[], Any]) -> None:
    """Let something happen after the sounds were measured and before the rows are written."""
    run = measuring._run

    def then(*given: Any) -> Any:
        found = run(*given)
        what()
        return found

    monkeypatch.setattr(measuring, "_run", then)


def counts(archive: Archive, call_id: str) -> dict[str, int]:
    archive.refresh()
    query = "from {} where recording_id in (select recording_id from recordings where call_id = $id)"
    return {name: archive.sql(query.format(name), {"id": call_id}).height for name in DERIVED}


def test_nothing_is_measured_of_a_call_that_was_deleted_meanwhile(
    filled: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = "unmistakable-0001"
    recording = filled.sql("select recording_id from recordings where call_id = $id", {"id": gone}).item()
    before_commit(monkeypatch, lambda: delete(filled.layout, gone))
    report = filled.measure(workers=1)
    assert (report.measured, report.gone, report.problems) == (2, 1, [])
    monkeypatch.undo()
    filled.refresh()
    (counted,) = filled.sql("select counts from runs where run_id = $id", {"id": report.run_id})["counts"]
    assert json.loads(counted)["recordings"] == 2
    assert all(filled.sql(f"from {name} where recording_id = $id", {"id": recording}).is_empty() for name in DERIVED)
    assert counts(filled, "unmistakable-0002")["frames"] == 50
    assert verify(filled.layout).problems == []


def test_what_was_never_read_is_not_taken_off_what_was_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two calls refer to the same bytes at two places: one file is gone, the other's call is deleted meanwhile."""
    first, second = made_call(1, tmp_path / "sounds"), made_call(2)
    moved = shutil.copyfile(first.audio[0].path, tmp_path / "moved.wav")  # type: ignore[index]
    second.audio = [structs.replace(first.audio[0], path=str(moved))]  # type: ignore[index]
    archive = Archive.create(tmp_path / "a")
    archive.add([first, second], storage="reference")
    moved.unlink()
    before_commit(monkeypatch, lambda: delete(archive.layout, first.id))
    report = archive.measure(workers=1)
    assert (report.measured, report.duration_s, report.gone, len(report.problems)) == (0, 0.0, 1, 1)


def test_roles_that_changed_meanwhile_are_measured_by_the_next_pass(
    filled: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    turned = made_call(1, tmp_path / "sounds")
    turned.audio = [structs.replace(turned.audio[0], channels=["agent", "caller"])]  # type: ignore[index]
    before_commit(monkeypatch, lambda: filled.add([turned], replace=True))
    report = filled.measure(workers=1)
    assert (report.measured, report.gone) == (2, 0)
    monkeypatch.undo()
    assert counts(filled, turned.id) == dict.fromkeys(DERIVED, 0)
    assert filled.measure().measured == 1
    roles = filled.sql("from channels where call_id = $id order by channel_ix", {"id": turned.id})["role"].to_list()
    assert roles == ["agent", "caller"]


def test_no_verdict_is_kept_of_a_call_that_was_deleted_meanwhile(
    filled: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = "unmistakable-0001"
    writer = asserting.Writer

    def opened(*given: Any) -> Any:
        delete(filled.layout, gone)
        return writer(*given)

    monkeypatch.setattr(asserting, "Writer", opened)
    assert_pack(filled.layout, load_pack("caller-experience"))
    monkeypatch.undo()
    filled.refresh()
    judged = set(filled.sql("from assertion_results")["call_id"])
    assert judged == {"unmistakable-0000", "unmistakable-0002"}
    assert verify(filled.layout).problems == []


def test_calls_that_share_a_recording_keep_their_measurements(tmp_path: Path) -> None:
    archive = Archive.create(tmp_path / "a")
    first = made_call(1, tmp_path / "sounds")
    archive.add([first])
    archive.measure()
    second = made_call(2)
    second.audio = [structs.replace(first.audio[0])]  # type: ignore[index]
    archive.add([second])
    archive.measure()
    for name in ("channels", "segments", "input_health"):
        assert set(archive.sql(f"from {name}")["call_id"]) == {first.id, second.id}
    assert archive.sql("from frames").height == 50
    assert archive.measure().measured == 0


def test_a_file_that_changes_while_it_is_read_is_refused(archive: Archive, tmp_path: Path) -> None:
    call = made_call(1, tmp_path / "sounds")
    path = Path(call.audio[0].path)  # type: ignore[index]
    copy = shutil.copyfile

    def growing(source: Path, target: Path) -> Path:
        with path.open("ab") as file:
            file.write(b"more")
        return copy(source, target)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(media.shutil, "copyfile", growing)
        report = archive.add([call])
    assert [refusal.rule for refusal in report.refusals] == ["changed_while_read"]
    assert (report.new, archive.sql("from recordings").height) == (1, 0)


@pytest.mark.parametrize("error", [FileNotFoundError(2, "No such file"), PermissionError(13, "Permission denied")])
def test_a_file_that_is_gone_stops_neither_an_import_nor_a_pass(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    calls = [made_call(ix, tmp_path / "sounds") for ix in range(3)]
    hashed = file_digest.file_sha256

    def failing(path: Path) -> str:
        if path.name.endswith("0001.wav"):
            raise error
        return hashed(path)

    monkeypatch.setattr(file_digest, "file_sha256", failing)
    report = archive.add(calls)
    assert (report.new, report.refused("row"), archive.sql("from recordings").height) == (3, 1, 2)
    monkeypatch.undo()
    from workbench.timing import measuring as timing

    measure = timing.measure_recording

    def vanished(path: Path, **given: Any) -> Any:
        if given["call_id"] == calls[0].id:
            raise error
        return measure(path, **given)

    monkeypatch.setattr(timing, "measure_recording", vanished)
    done = archive.measure()
    assert (done.measured, len(done.problems)) == (1, 1)


def test_audio_that_needs_another_package_is_a_refusal_beside_the_good(
    archive: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = made_call(1, tmp_path / "sounds")
    odd = Audio(path=str(tmp_path / "odd.m4a"), channels=["caller", "agent"])
    Path(odd.path).write_bytes(b"x")
    probe = read.probe

    def probing(path: Path, **given: Any) -> Any:
        if path.suffix == ".m4a":
            raise MissingExtra("av", "m4a")
        return probe(path, **given)

    monkeypatch.setattr(read, "probe", probing)
    report = archive.add([Call(id="odd", source_uri="x", source_sha256="1" * 64, audio=[odd]), call])
    assert (report.new, [refusal.rule for refusal in report.refusals]) == (1, ["MissingExtra"])


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (
            ArchiveFailed("it broke", hint="mend it"),
            OSError(5, "no reading"),
            ("it broke; ", "no reading", "mend it; "),
        ),
        (ArchiveFailed("it broke"), ArchiveFailed("no list", hint="x"), ("it broke; ", "no list", "compact")),
        (KeyboardInterrupt(), OSError(5, "no reading"), ("the mark of the deletion stays", "no reading", "compact")),
        (OSError(28, "No space left on device"), ArchiveFailed("no list"), ("disk is full", "no list", "free space")),
    ],
)
def test_what_stopped_a_deletion_and_what_its_mark_met_are_one_error(
    filled: Archive, monkeypatch: pytest.MonkeyPatch, first: BaseException, second: Exception, told: tuple[str, ...]
) -> None:
    monkeypatch.setattr(retention, "_remove", raising(first))
    pending = retention.pending

    def looked_at(*given: Any) -> bool:
        if filled.layout.purge_mark.exists():
            raise second
        return pending(*given)

    monkeypatch.setattr(retention, "pending", looked_at)
    with pytest.raises((ArchiveFailed, KeyboardInterrupt)) as failed:
        delete(filled.layout, "unmistakable-0001")
    assert isinstance(failed.value, KeyboardInterrupt) == isinstance(first, KeyboardInterrupt)
    assert all(part in str(failed.value) for part in told)
    assert filled.layout.purge_mark.exists()
    monkeypatch.undo()
    retention.compact(filled.layout)
    assert verify(filled.layout).problems == []
    assert filled.sql("from calls").height == 3


def test_a_bug_of_a_deletion_stays_one_and_names_its_mark(filled: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "_remove", raising(ZeroDivisionError("ours")))
    monkeypatch.setattr(
        retention, "pending", lambda layout, _writer: layout.purge_mark.exists() and raising(ArchiveFailed("no list"))()
    )
    with pytest.raises(ZeroDivisionError) as failed:
        delete(filled.layout, "unmistakable-0001")
    (note,) = failed.value.__notes__
    assert "no list" in note
    assert "compact" in note


def raising(error: BaseException) -> Callable[..., Any]:
    """A function that raises this, whatever it is given."""

    def raises(*_given: object) -> None:
        raise error

    return raises


def test_a_deletion_that_is_stopped_before_its_commit_leaves_no_mark(
    filled: Archive, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(retention, "_remove", stop)
    with pytest.raises(KeyboardInterrupt):
        delete(filled.layout, "unmistakable-0001")
    assert not filled.layout.purge_mark.exists()
    assert verify(filled.layout).problems == []
