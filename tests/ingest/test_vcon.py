"""vCon conversations. The bundled file has 11 lines and a recording of 57.168 s, read off by eye."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import ImportFailed
from workbench.ingest import vcon
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

UUID = "05cec3d4-0561-4010-9fb8-23cc7edef146"
FILE = Path(__file__).parents[2] / "data" / "calls" / "vcon-synthetic" / f"{UUID}.vcon.json"


def read(path: Path, options: Options | None = None) -> tuple[Call, list[Refusal]]:
    found = list(vcon.read(path, options or Options()))
    [call] = [one for one in found if isinstance(one, Call)]
    return call, [one for one in found if isinstance(one, Refusal)]


def changed(tmp_path: Path, **fields: Any) -> Path:
    path = tmp_path / FILE.name
    path.write_text(json.dumps({**json.loads(FILE.read_text(encoding="utf-8")), **fields}), encoding="utf-8")
    return path


def test_a_conversation_with_its_script_and_mixed_recording() -> None:
    call, _ = read(FILE)
    assert (call.id, call.origin, call.turn_clock) == (UUID, "synthetic", "none")
    assert [turn.role for turn in call.turns or ()] == ["agent", "caller"] * 5 + ["agent"]
    assert call.turns
    assert call.turns[1].text == "Hello Louis! I'm Olivia Flores."
    assert call.turns[1].start_s is None
    assert call.duration_s == 57.168
    assert call.started_at == datetime(2024, 3, 16, 16, 9, 20, 701736, tzinfo=UTC)
    assert call.audio
    [audio] = call.audio
    assert (Path(audio.path).name, audio.channels, audio.offset_s) == (f"{UUID}.mp3", ["mixed"], 0.0)


def test_of_the_parties_only_the_roles_are_kept() -> None:
    call, _ = read(FILE)
    tags = call.tags or {}
    assert tags["parties"] == "agent, caller"
    assert tags["dialog_url"].endswith(f"{UUID}.mp3")
    told = json.dumps(tags)
    assert not [secret for secret in ("572256", "112490", "gasstation", "Flores", "Anderson") if secret in told]


def test_the_generators_prompt_is_left_out_with_a_note() -> None:
    call, notes = read(FILE)
    assert [(note.scope, note.rule) for note in notes] == [("note", "attachments_left_out")]
    assert "generation_info" in notes[0].message
    assert call.scenario is None


def test_a_recording_that_is_not_there_is_noted(tmp_path: Path) -> None:
    path = shutil.copy(FILE, tmp_path)
    call, notes = read(Path(path))
    assert call.audio is None
    assert [note.rule for note in notes] == ["attachments_left_out", "audio_missing"]


def test_several_dialogs_are_one_call_on_one_clock(tmp_path: Path) -> None:
    shutil.copy(FILE.with_name(f"{UUID}.mp3"), tmp_path)
    dialogs = [
        {
            "type": "recording",
            "start": "2026-03-01T10:00:00+01:00",
            "duration": 57.168,
            "filename": f"{UUID}.mp3",
        },
        {
            "type": "text",
            "start": "2026-03-01T09:01:30Z",
            "duration": 2.5,
            "parties": [1, 0],
            "body": "Thanks!",
        },
        {"type": "text", "start": "2026-03-01T09:01:40Z", "parties": 0, "body": "Welcome"},
        {"type": "transfer", "start": "2026-03-01T09:02:00Z"},
    ]
    call, _ = read(changed(tmp_path, dialog=dialogs, analysis=[]))
    assert [(turn.role, turn.text, turn.start_s, turn.end_s) for turn in call.turns or ()] == [
        ("caller", "Thanks!", 90.0, 92.5),
        ("agent", "Welcome", 100.0, None),
    ]
    assert (call.turn_clock, call.duration_s) == ("reported", 92.5)
    assert call.started_at == datetime(2026, 3, 1, 9, tzinfo=UTC)


def test_a_transcript_as_a_string_of_json_and_unknown_speakers(tmp_path: Path) -> None:
    body = json.dumps([{"speaker": "Olivia Flores", "message": "Hi"}, {"speaker": "Voice", "message": "Beep"}])
    call, notes = read(changed(tmp_path, analysis=[{"type": "transcript", "body": body}], attachments=[]))
    assert [(turn.role, turn.text) for turn in call.turns or ()] == [("caller", "Hi")]
    assert [note.rule for note in notes] == ["other_speakers", "audio_missing"]


def test_a_duration_in_milliseconds_is_mended_by_the_option(tmp_path: Path) -> None:
    dialog = json.loads(FILE.read_text(encoding="utf-8"))["dialog"]
    dialog[0]["duration"] = 57168
    path = changed(tmp_path, dialog=dialog)
    assert read(path)[0].duration_s == 57168.0
    assert read(path, Options(time_unit="ms"))[0].duration_s == 57.168


def test_a_conversation_without_words_has_none_supplied(tmp_path: Path) -> None:
    assert read(changed(tmp_path, analysis=[]))[0].turns is None
    assert read(changed(tmp_path, analysis=[{"type": "transcript", "body": []}]))[0].turns == []


@pytest.mark.parametrize(
    ("fields", "rule"),
    [({"uuid": None}, "wrong_shape"), ({"dialog": [{"start": 1710605360}]}, "wrong_shape")],
)
def test_another_shape_is_refused(tmp_path: Path, fields: dict[str, Any], rule: str) -> None:
    with pytest.raises(ImportFailed) as refused:
        read(changed(tmp_path, **fields))
    assert refused.value.rule == rule


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "cut.vcon.json"
    path.write_bytes(FILE.read_bytes()[:500])
    with pytest.raises(ImportFailed) as refused:
        read(path)
    assert refused.value.rule == "invalid_json"
