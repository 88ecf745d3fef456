"""The native format: what is read, what is written back, what is refused."""

from __future__ import annotations

import json
import shutil
import unicodedata
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench import ingest
from workbench.assets import folder
from workbench.ingest import native
from workbench.ingest.protocol import Options
from workbench.schema.call import (
    Audio,
    Call,
    Refusal,
    Scenario,
    Span,
    StageTiming,
    StateRow,
    ToolCall,
    Turn,
    Word,
)

WAV = folder("data") / "calls" / "vapi-defaults" / "audio" / "vapi-default-05-hold-on.example.wav"
GLUE = Path(__file__).parents[2] / "docs" / "native-format.md"

TEXT = st.text(st.characters(codec="utf-8"), max_size=12)
TIME = st.floats(0, 600, allow_nan=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)


def optional(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | strategy


WORDS = st.builds(Word, word=TEXT, start_s=optional(TIME), confidence=optional(st.floats(0, 1)))
TURNS = st.builds(
    Turn,
    role=st.sampled_from(["caller", "agent"]),
    text=optional(TEXT),
    heard=optional(TEXT),
    truth=optional(TEXT),
    start_s=optional(TIME),
    entities=optional(JSON),
    barge_in=optional(st.booleans()),
    words=optional(st.lists(WORDS, max_size=2)),
)
CALLS = st.builds(
    Call,
    id=TEXT,
    origin=st.sampled_from(["real", "simulated", "unknown"]),
    started_at=optional(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))),  # noqa: DTZ001
    duration_s=optional(TIME),
    completed=optional(st.booleans()),
    policy=optional(st.dictionaries(TEXT, JSON, max_size=2)),
    tags=optional(st.dictionaries(TEXT, TEXT, max_size=2)),
    seed=optional(st.integers(0, 2**32)),
    turn_clock=st.sampled_from(["reported", "ticks", "none"]),
    scenario=optional(st.builds(Scenario, scenario_id=TEXT, required_facts=optional(st.lists(TEXT, max_size=2)))),
    turns=optional(st.lists(TURNS, max_size=3)),
    tool_calls=optional(st.lists(st.builds(ToolCall, name=TEXT, arguments=JSON, error=optional(TEXT)), max_size=2)),
    spans=optional(st.lists(st.builds(Span, type=TEXT, time_s=optional(TIME), redacted=st.booleans()), max_size=2)),
    stage_timings=optional(st.lists(st.builds(StageTiming, stage=TEXT, value_ms=optional(TIME)), max_size=2)),
    state=optional(st.lists(st.builds(StateRow, snapshot=st.just("before"), resource=TEXT, record=JSON), max_size=2)),
)


def read(path: Path, options: Options | None = None) -> tuple[list[Call], list[Refusal]]:
    found = list(ingest.read([path], options))
    return (
        [item for item in found if isinstance(item, Call)],
        [item for item in found if isinstance(item, Refusal)],
    )


def write(path: Path, value: object) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=150)
@given(call=CALLS)
def test_a_call_written_is_the_call_read(tmp_path: Path, call: Call) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(native.dump(call))
    assert native.sniff(path, path.read_bytes())
    (back,) = native.read(path, Options())
    assert isinstance(back, Call)
    assert (back.source_uri, len(back.source_sha256 or "")) == (str(path), 64)
    back.source_uri, back.source_sha256 = call.source_uri, call.source_sha256
    assert back == call
    assert native.dump(back) == path.read_bytes()


def test_one_call_an_array_and_lines_are_the_same(tmp_path: Path) -> None:
    first = {"format": "workbench.call/1", "id": "a", "turns": [{"role": "caller", "text": "hi"}]}
    second = {"format": "workbench.call/1", "id": "b", "turns": []}
    (tmp_path / "lines.jsonl").write_text(json.dumps(first) + "\n" + json.dumps(second) + "\n")
    write(tmp_path / "array.json", [first, second])
    lines, _ = read(tmp_path / "lines.jsonl")
    array, _ = read(tmp_path / "array.json")
    assert [(call.id, call.turns) for call in lines] == [(call.id, call.turns) for call in array]
    assert [call.id for call in array] == ["a", "b"]
    assert array[1].turns == []
    assert array[1].tool_calls is None


def test_the_names_glue_code_uses_are_understood(tmp_path: Path) -> None:
    turns = [
        {"speaker": "Customer", "text": "a", "heard": "b", "start_s": 0.5},
        {
            "speaker": "assistant",
            "text": "c",
            "tool_calls": [{"name": "refund", "args": {"amount": 5}, "consequential": True}],
            "actions": [{"name": "look", "arguments": {}}],
        },
    ]
    value = {"format": "workbench.call/1", "id": "c", "turns": turns, "tool_calls": [{"name": "first"}]}
    (call,), refusals = read(write(tmp_path / "c.json", value))
    assert refusals == []
    assert [turn.role for turn in call.turns or ()] == ["caller", "agent"]
    assert call.tool_calls == [
        ToolCall(name="first"),
        ToolCall(name="look", turn_ix=1, arguments={}),
        ToolCall(name="refund", turn_ix=1, arguments={"amount": 5}, consequential=True),
    ]
    assert call.turn_clock == "reported"


def test_audio_is_found_beside_the_file_and_not_read_a_second_time(tmp_path: Path) -> None:
    name = "Gespräch é.wav"
    shutil.copy(WAV, tmp_path / unicodedata.normalize("NFD", name))
    audio = {"path": unicodedata.normalize("NFC", name), "channels": ["caller", "agent"]}
    write(tmp_path / "z.json", {"id": "c", "audio": [audio]})
    reading = ingest.read([tmp_path])
    (call,) = list(reading)
    assert isinstance(call, Call)
    found = str(tmp_path / unicodedata.normalize("NFD", name))
    assert call.audio == [Audio(path=found, channels=["caller", "agent"])]
    assert reading.referenced == 1


def test_missing_audio_is_refused_and_the_call_kept(tmp_path: Path) -> None:
    audio = [{"path": path, "channels": ["mixed"]} for path in ("gone.wav", "https://h/x.wav", "..")]
    (call,), refusals = read(write(tmp_path / "c.json", {"id": "c", "audio": audio}))
    assert call.audio == []
    assert [(item.rule, item.scope) for item in refusals] == [("audio_missing", "row")] * 3
    assert "gone.wav" in refusals[0].message


def test_unknown_fields_are_noted_with_their_places(tmp_path: Path) -> None:
    turns = [{"role": "caller", "text": "a", "mood": "glad", "words": [{"word": "a", "pitch": 3}]}]
    value = {"format": "workbench.call/1", "id": "c", "colour": 1, "turns": turns}
    (call,), (note,) = read(write(tmp_path / "c.json", value))
    assert call.id == "c"
    assert (note.rule, note.scope) == ("unknown_field", "note")
    assert note.call_id == "c"
    assert note.message.endswith("colour, turns[0].mood, turns[0].words[0].pitch")
    assert note.hint.startswith("put free labels into tags")


def test_an_unknown_field_close_to_a_known_one_is_named_with_it(tmp_path: Path) -> None:
    turns = [{"role": "agent", "text": "hi", "start_s": 0.5}, {"role": "caller", "text": "ho", "start": 2.5}]
    value = {"format": "workbench.call/1", "id": "c", "turns": turns}
    (call,), (note,) = read(write(tmp_path / "c.json", value), Options(id_prefix="may/"))
    assert (note.call_id, call.id) == ("may/c", "may/c")
    assert note.message == "turns[1].start is no field of the format; did you mean start_s?"
    assert note.hint.startswith("rename it and import with --replace")


def test_several_unknown_fields_are_one_note_with_those_first_that_were_meant(tmp_path: Path) -> None:
    turns = [{"role": "caller", "txt": "hi", "start": 1.5, "end": 2.5, "start_ms": 1, "bzzz": 1}] * 3
    value = {"format": "workbench.call/1", "id": "c", "completd": True, "turns": turns}
    _, (note,) = read(write(tmp_path / "c.json", value))
    assert note.message == (
        "no fields of the format, ignored: completd (did you mean completed?), turns[0].end (did you mean end_s?), "
        "turns[0].start (did you mean start_s?), turns[0].start_ms (did you mean start_s?), "
        "turns[0].txt (did you mean text?), turns[0].bzzz"
    )
    assert "rename them (the format counts seconds)" in note.hint


def test_a_field_that_is_there_is_not_what_another_was_meant_for(tmp_path: Path) -> None:
    value = {"format": "workbench.call/1", "id": "c", "turns": [{"role": "agent", "start_s": 1.5, "start": "x"}]}
    _, (note,) = read(write(tmp_path / "c.json", value))
    assert note.message == "turns[0].start is no field of the format, and is ignored"


@pytest.mark.parametrize(
    ("value", "rule", "message"),
    [
        ({"id": 7}, "wrong_type", "Expected `str`, got `int` - at `$.id`"),
        ({"id": "c", "turns": [{"role": "caller", "start_s": "1"}]}, "wrong_type", "`$.turns[0].start_s`"),
        ({"id": "c", "turns": {}}, "wrong_type", "`$.turns`"),
        ({"id": "c", "origin": "dream"}, "wrong_type", "`$.origin`"),
        ({}, "wrong_type", "required field `id`"),
        ({"format": "workbench.call/9", "id": "c"}, "unknown_version", "workbench.call/9"),
    ],
)
def test_a_broken_call_is_refused_with_the_path_of_the_field(
    tmp_path: Path, value: dict[str, Any], rule: str, message: str
) -> None:
    path = write(tmp_path / "c.json", {"format": "workbench.call/1", **value})
    calls, (refusal,) = read(path)
    assert calls == []
    assert (refusal.rule, refusal.scope) == (rule, "call")
    assert message in refusal.message


def test_a_line_that_is_no_object_is_refused_and_the_others_read(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text('{"format":"workbench.call/1","id":"a"}\n[1]\n{"id":"b"}\n')
    calls, (refusal,) = read(tmp_path)
    assert [call.id for call in calls] == ["a", "b"]
    assert (refusal.location, refusal.rule) == ("line 2", "wrong_type")


def test_the_schema_names_every_field_and_its_unit() -> None:
    schema = native.json_schema()
    assert schema["$schema"].endswith("2020-12/schema")
    assert set(schema["$defs"]["Call"]["properties"]) == set(Call.__struct_fields__)
    assert "seconds" in json.dumps(schema["$defs"]["Turn"]["properties"]["start_s"])
    assert msgspec.json.encode(schema)


def test_the_example_of_the_documentation_runs_and_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = GLUE.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    assert len(code.strip().splitlines()) <= 12
    monkeypatch.chdir(tmp_path)
    shutil.copy(WAV, tmp_path / "call-17.wav")
    exec(compile(code, str(GLUE), "exec"), {})
    calls, refusals = read(tmp_path)
    assert refusals == []
    (call,) = calls
    assert call.audio == [Audio(path=str(tmp_path / "call-17.wav"), channels=["caller", "agent"])]
    assert call.tool_calls is not None
    assert call.tool_calls[0].consequential is True


def test_a_start_without_a_time_zone_is_taken_as_utc_and_noted(tmp_path: Path) -> None:
    value = {
        "format": "workbench.call/1",
        "id": "c",
        "started_at": "2026-05-01T10:00:00",
        "parent_call_id": "b",
    }
    (call,), (note,) = read(write(tmp_path / "c.json", value), Options(id_prefix="x-"))
    assert call.started_at == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert (note.rule, note.scope) == ("time_zone_assumed", "note")
    assert (call.id, call.parent_call_id) == ("x-c", "x-b")


def test_the_unit_of_every_time_is_changed(tmp_path: Path) -> None:
    turn: dict[str, Any] = {"role": "caller", "text": "a", "start_s": 500, "end_s": 1500}
    turn["words"] = [{"word": "a", "start_s": 500, "end_s": 1500}]
    value = {
        "format": "workbench.call/1",
        "id": "c",
        "duration_s": 2000,
        "turns": [turn],
        "spans": [{"type": "x", "time_s": 700}],
        "labels": [{"kind": "k", "onset_s": 900}],
        "tool_calls": [{"name": "t", "start_s": 100}],
        "stage_timings": [{"stage": "e2e", "value_ms": 820}],
    }
    (call,), _ = read(write(tmp_path / "c.json", value), Options(time_unit="ms"))
    word = Word(word="a", start_s=0.5, end_s=1.5)
    assert call.turns == [Turn(role="caller", text="a", start_s=0.5, end_s=1.5, words=[word])]
    assert call.duration_s == 2.0
    assert call.spans == [Span(type="x", time_s=0.7)]
    assert (call.labels or [])[0].onset_s == 0.9
    assert (call.tool_calls or [])[0].start_s == 0.1
    assert (call.stage_timings or [])[0].value_ms == 820
