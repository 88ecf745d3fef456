"""Transcripts alone. The sample call has nine lines, five of the agent: counted with `grep -c`."""

from __future__ import annotations

import json
import shutil
import wave
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench import ingest
from workbench.errors import ImportFailed
from workbench.ingest import punchin_transcript
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "data" / "calls" / "punchin" / "dealer-1482.txt"
OUTCOME = ROOT / "tests" / "data" / "ingest" / "punchin_transcript" / "dealer-1482.outcome.json"
ROWS = [
    {"speaker": "Agent", "text": "Which day?", "timestamp": "2026-10-01T08:00:00Z"},
    {"who": "Kunde", "utterance": "Thursday.", "asr": "Tuesday.", "ts": "2026-10-01T08:00:02.500Z"},
]


def read(path: Path, options: Options | None = None) -> tuple[Call, list[Refusal]]:
    found = list(punchin_transcript.read(path, options or Options()))
    [call] = [one for one in found if isinstance(one, Call)]
    return call, [one for one in found if isinstance(one, Refusal)]


def written(tmp_path: Path, name: str, content: Any) -> Path:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_the_sample_call_has_nine_turns_and_no_clock() -> None:
    call, notes = read(SAMPLE)
    assert not notes
    assert (call.id, call.turn_clock) == ("dealer-1482", "none")
    assert [turn.role for turn in call.turns or ()] == ["agent", "caller"] * 4 + ["agent"]
    assert call.turns
    assert call.turns[5].text == "Torsdag, tak. Og jeg skal have en lånebil."
    assert all(turn.start_s is None for turn in call.turns)
    assert call.tool_calls is None


def test_the_outcome_beside_it_is_taken(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path)
    alone, _ = read(tmp_path / SAMPLE.name)
    shutil.copy(OUTCOME, tmp_path)
    call, _ = read(tmp_path / SAMPLE.name)
    assert (call.outcome, call.expected_outcome, call.completed) == ("booked_other_day", "booked", True)
    assert call.state
    assert call.state[0].record["date"] == "2026-10-02"
    assert call.scenario
    assert call.scenario.document["expected"]["day"] == "2026-10-01"
    assert call.tags == {"workshop": "north"}
    assert call.source_sha256 != alone.source_sha256
    [only] = ingest.read([tmp_path])  # the sidecar is no input of its own
    assert isinstance(only, Call)


def test_windows_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / SAMPLE.name
    path.write_bytes(b"\xef\xbb\xbf" + SAMPLE.read_bytes().replace(b"\n", b"\r\n"))
    assert punchin_transcript.sniff(path, path.read_bytes())
    assert read(path)[0].turns == read(SAMPLE)[0].turns


def test_a_line_without_a_name_goes_on_and_other_speakers_are_named(tmp_path: Path) -> None:
    text = "System: call connected\nAgent: One moment:\n  at eight\nSupervisor: stop\nCustomer> Thanks\n"
    call, [note] = read(written(tmp_path, "call.txt", text))
    assert [turn.text for turn in call.turns or ()] == ["One moment: at eight", "Thanks"]
    assert (note.scope, note.rule) == ("note", "other_speakers")
    assert "Supervisor, System" in note.message


@pytest.mark.parametrize("key", ["turns", "conversation", "messages", "transcript", "events"])
def test_an_object_holds_its_rows_under_any_of_five_keys(tmp_path: Path, key: str) -> None:
    path = written(tmp_path, "call.json", {"id": "c-1", key: ROWS})
    assert punchin_transcript.sniff(path, path.read_bytes())
    call, _ = read(path)
    assert call.id == "c-1"
    assert [(turn.role, turn.text) for turn in call.turns or ()] == [
        ("agent", "Which day?"),
        ("caller", "Thursday."),
    ]


def test_an_array_and_lines_give_the_same_turns(tmp_path: Path) -> None:
    array, _ = read(written(tmp_path, "a.json", ROWS))
    lines, _ = read(written(tmp_path, "b.jsonl", "\n".join(map(json.dumps, ROWS))))
    assert array.turns == lines.turns
    assert array.turns
    assert (array.turns[1].heard, array.turns[1].truth) == ("Tuesday.", "Thursday.")
    assert (array.turns[1].start_s, array.started_at) == (2.5, datetime(2026, 10, 1, 8, tzinfo=UTC))
    assert array.turns[0].end_s is None  # the format has no ends, and none is made up


@pytest.mark.parametrize(("factor", "unit"), [(1, "s"), (10**3, "ms"), (10**6, "us"), (10**9, "ns")])
def test_dates_in_any_unit_are_the_same_moments(tmp_path: Path, factor: int, unit: str) -> None:
    rows = [
        {"role": "bot", "content": "Hi", "time": 1_790_841_600 * factor},
        {"role": "human", "content": "Hello", "time": 1_790_841_602 * factor},
    ]
    call, notes = read(written(tmp_path, "call.json", rows))
    assert [turn.start_s for turn in call.turns or ()] == [0.0, 2.0]
    assert call.started_at == datetime(2026, 10, 1, 8, tzinfo=UTC)
    assert [note.rule for note in notes] == ([] if unit == "s" else ["time_unit_inferred"])


def test_small_numbers_are_seconds_unless_the_user_says_otherwise(tmp_path: Path) -> None:
    rows = [{"role": "bot", "text": "Hi", "start": 500}, {"role": "user", "text": "Hello", "start": 2500}]
    path = written(tmp_path, "call.json", rows)
    assert [turn.start_s for turn in read(path)[0].turns or ()] == [500.0, 2500.0]
    assert [turn.start_s for turn in read(path, Options(time_unit="ms"))[0].turns or ()] == [0.5, 2.5]


def test_tool_calls_in_both_shapes_are_read(tmp_path: Path) -> None:
    calls = [
        {"tool": "book", "args": {"day": 2}, "output": "ok"},
        {"type": "function", "function": {"name": "find", "arguments": '{"q": 1}'}, "error": "down"},
    ]
    call, _ = read(written(tmp_path, "call.json", [{"role": "agent", "text": "Done", "tool_calls": calls}]))
    assert [(tool.name, tool.arguments, tool.error) for tool in call.tool_calls or ()] == [
        ("book", {"day": 2}, None),
        ("find", {"q": 1}, "down"),
    ]


def test_no_known_speaker_is_refused_with_the_names_that_were_seen(tmp_path: Path) -> None:
    path = written(tmp_path, "call.json", [{"speaker": "Ole", "text": "a"}, {"speaker": "Bo", "text": "b"}])
    with pytest.raises(ImportFailed, match="Bo, Ole") as refused:
        read(path)
    assert refused.value.rule == "no_known_speaker"


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        ("a.txt", "  \n", "empty_file"),
        ("b.json", '[{"role": "agent", "te', "invalid_json"),
        ("c.json", '{"lines": []}', "wrong_shape"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, name: str, content: str, rule: str) -> None:
    with pytest.raises(ImportFailed) as refused:
        read(written(tmp_path, name, content))
    assert refused.value.rule == rule


def test_a_broken_line_is_named_and_the_rest_kept(tmp_path: Path) -> None:
    content = json.dumps(ROWS[0]) + "\n{broken\n" + json.dumps(ROWS[1])
    call, [bad] = read(written(tmp_path, "call.jsonl", content))
    assert len(call.turns or ()) == 2
    assert (bad.scope, bad.location) == ("row", "line 2")


def tone(path: Path, channels: int) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(8000)
        file.writeframes(b"\x00\x10" * channels * 4000)


def test_audio_of_the_same_name_is_its_recording(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path)
    tone(tmp_path / "dealer-1482.wav", 2)
    tone(tmp_path / "another.wav", 1)
    call, notes = read(tmp_path / SAMPLE.name, Options(channels=("caller", "agent")))
    assert [(Path(audio.path).name, audio.channels) for audio in call.audio or ()] == [
        ("dealer-1482.wav", ["caller", "agent"])
    ]
    assert (call.duration_s, notes) == (0.5, [])
    found = [one for one in ingest.read([tmp_path]) if isinstance(one, Call)]
    assert [(one.id, one.source_format) for one in found] == [
        ("dealer-1482", "transcript"),
        ("another", "audio"),
    ]


def test_times_of_the_day_do_not_say_where_the_recording_starts(tmp_path: Path) -> None:
    path = written(tmp_path, "call.json", ROWS)
    tone(tmp_path / "call.wav", 1)
    call, notes = read(path)
    assert [audio.offset_s for audio in call.audio or ()] == [0.0]
    assert [note.rule for note in notes] == ["audio_offset_assumed"]


def test_a_recording_that_cannot_be_read_is_refused_and_the_transcript_kept(tmp_path: Path) -> None:
    shutil.copy(SAMPLE, tmp_path)
    (tmp_path / "dealer-1482.wav").write_bytes(b"RIFF")
    found = list(ingest.read([tmp_path]))
    assert [one.audio for one in found if isinstance(one, Call)] == [None]
    assert [one.scope for one in found if isinstance(one, Refusal)] == ["file"]
