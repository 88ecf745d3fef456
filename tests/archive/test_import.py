"""Imports: once, again, with the same id, with damaged audio, strictly."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_calls import made_call
from msgspec import structs

import workbench
from workbench.archive.archive import Archive
from workbench.errors import ImportFailed
from workbench.schema.call import Audio, Call, Refusal, Turn


def test_a_call_comes_back_as_it_went_in(archive: Archive) -> None:
    call = made_call(1)
    archive.add([call])
    back = archive.call(call.id)
    call.duration_s = 0.4  # follows from the clocks: the end of the last turn
    assert back == call


def test_the_same_bytes_twice_add_nothing(archive: Archive, tmp_path: Path) -> None:
    calls = [made_call(ix, tmp_path / "sounds") for ix in range(3)]
    first = archive.add(calls)
    before, files = archive.snapshot, sorted(archive.path.rglob("*"))
    second = archive.add(calls)
    assert (first.new, second.new, second.unchanged, second.run_id) == (3, 0, 3, None)
    assert (archive.snapshot, sorted(archive.path.rglob("*"))) == (before, files)


def test_another_call_with_a_known_id_is_refused(archive: Archive) -> None:
    archive.add([made_call(1)])
    other = made_call(1)
    other.source_sha256 = "f" * 64
    report = archive.add([other, made_call(2)])
    assert (report.new, [r.rule for r in report.refusals]) == (1, ["call_id_taken"])
    assert "--id-prefix" in report.refusals[0].hint


def test_two_calls_with_one_id_in_one_import(archive: Archive) -> None:
    report = archive.add([made_call(1), made_call(1)])
    assert (report.new, [r.rule for r in report.refusals]) == (1, ["duplicate_call_id"])


def test_a_call_with_missing_audio_keeps_its_turns(archive: Archive, tmp_path: Path) -> None:
    call = made_call(1)
    call.audio = [Audio(path=str(tmp_path / "gone.wav"), channels=["caller", "agent"])]
    report = archive.add([call])
    assert (report.new, report.refusals[0].rule, report.refusals[0].scope) == (1, "audio_missing", "row")
    assert archive.sql("select count(*) as n from recordings").item() == 0


def test_a_call_that_was_only_damaged_audio_is_refused(archive: Archive, tmp_path: Path) -> None:
    path = tmp_path / "broken.wav"
    path.write_bytes(b"RIFF\x10\x00")
    call = Call(
        id="x",
        source_format="audio",
        source_uri=str(path),
        source_sha256="0" * 64,
        audio=[Audio(path=str(path), channels=["mixed"])],
    )
    report = archive.add([call])
    assert (report.new, report.refusals[0].scope) == (0, "call")
    assert archive.sql("select count(*) as n from calls").item() == 0


def test_strict_stops_at_the_first_refusal_and_writes_nothing(archive: Archive) -> None:
    refusal = Refusal(source_uri="f", location="f:2", rule="r", message="bad", hint="mend it", scope="call")
    with pytest.raises(ImportFailed, match="f:2: bad"):
        archive.add([made_call(1), refusal], strict=True)
    assert archive.sql("select count(*) as n from calls").item() == 0


def test_a_row_that_breaks_its_schema_is_refused_and_named(archive: Archive) -> None:
    call = made_call(1)
    call.turns = [Turn(role="caller", text="x", start_s=2.0, end_s=1.0), Turn(role="agent", text="y")]
    report = archive.add([call])
    assert [(r.rule, r.scope) for r in report.refusals] == [("schema:end_not_before_start", "row")]
    assert archive.sql("select turn_ix from turns").to_series().to_list() == [1]


def test_never_supplied_differs_from_empty(archive: Archive) -> None:
    archive.add([Call(id="none", source_format="m", source_uri="u", source_sha256="0" * 64, turns=[])])
    back = archive.call("none")
    assert (back.turns, back.tool_calls) == ([], None)


def test_replace_takes_a_call_in_anew_and_keeps_what_was_said_of_it_since(archive: Archive, tmp_path: Path) -> None:
    call = made_call(1, tmp_path / "sounds")
    archive.add([call, made_call(2)])
    archive.measure(workers=1)
    assert call.audio is not None
    call.audio[0].channels = ["agent", "caller"]
    call.turns = [Turn(role="agent", text="other words")]
    assert archive.add([call]).new == 0  # without it, the call stays as it was
    assert archive.sql("select channel_roles from recordings").item().to_list() == ["caller", "agent"]
    report = archive.add([call], replace=True)
    assert (report.new, report.replaced, report.unchanged, report.refused()) == (0, 1, 0, 0)
    assert archive.sql("select channel_roles from recordings").item().to_list() == ["agent", "caller"]
    turns = archive.sql("select text from turns where call_id = $id", {"id": call.id})["text"].to_list()
    assert turns == ["other words"]
    assert archive.sql("select count(*) as n from frames").item() == 0  # measured with the other channels
    assert archive.measure(workers=1).measured == 1
    assert archive.sql("select count(*) as n from calls").item() == 2
    with workbench.open(archive.path, as_of=2) as before:
        assert before.sql("select channel_roles from recordings").item().to_list() == ["caller", "agent"]


def test_a_call_without_any_evidence_is_refused_and_said_so(archive: Archive) -> None:
    bare = structs.replace(made_call(1), turns=None, tool_calls=None, spans=None, audio=None)
    report = archive.add([bare])
    assert (report.accepted, dict(report.rules)) == (0, {("call", "no_evidence"): 1})
