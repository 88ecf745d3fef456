"""EVA records. Audio events of the bundled record were counted with grep (ten of each side) and their times
subtracted by hand from the epoch second 1772403724.132 in which the caller's session starts.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workbench.ingest import eva
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

FOLDER = Path(__file__).parents[2] / "data" / "calls" / "eva-airline"
RECORD = FOLDER / "record-1.1.2"
LOG = "elevenlabs_events.jsonl"


def read(folder: Path) -> tuple[Call, list[Refusal]]:
    found = list(eva.read(folder, Options()))
    [call] = [one for one in found if isinstance(one, Call)]
    return call, [one for one in found if isinstance(one, Refusal)]


@pytest.fixture
def record(tmp_path: Path) -> Path:
    return Path(shutil.copytree(RECORD, tmp_path / "record-1.1.2"))


def test_turns_are_the_audio_of_both_sides() -> None:
    call, _ = read(FOLDER)
    assert Counter(turn.role for turn in call.turns or ()) == {"agent": 10, "caller": 10}
    assert call.turns
    # 1772403724.647605 and 1772403727.245576; 1772403727.94754 and 1772403731.368855
    assert (call.turns[0].start_s, call.turns[0].end_s) == pytest.approx((0.515605, 3.113576), abs=1e-6)
    assert (call.turns[1].start_s, call.turns[1].end_s) == pytest.approx((3.81554, 7.236855), abs=1e-6)
    assert call.turn_clock == "reported"


def test_zero_is_the_start_of_the_session_in_utc() -> None:
    call, _ = read(FOLDER)
    # result.json says 17:22:03, in a time zone that it does not name
    assert call.started_at == datetime(2026, 3, 1, 22, 22, 4, 132000, tzinfo=UTC)
    assert call.duration_s == pytest.approx(343.278)  # session_ended 1772404067.410
    assert call.id == "2026-03-01_22-22-03.547446-1.1.2"


def test_what_was_said_and_what_was_heard_are_kept_apart() -> None:
    call, _ = read(FOLDER)
    assert call.turns
    spelled = call.turns[3]
    assert spelled.truth == "The confirmation is Z K three F F W, and the last name is Rodriguez."
    assert spelled.heard == "The confirmation is Z. 3FFW and the last name is Rodriguez."
    assert call.turns[5].truth == "Zulu. Kilo. Three. Foxtrot. Foxtrot. Whiskey. Last name Rodriguez."
    assert (call.turns[0].text, call.turns[0].heard) == ("Hello! How can I help you today?", None)


def test_an_end_that_was_sent_late_is_left_out_and_named() -> None:
    # the caller's audio_end at 797.447 comes after the agent's whole turn (776.160 to 794.621) and 57 ms
    # before the caller's next audio_start
    call, [note] = read(FOLDER)
    assert call.turns
    assert (call.turns[5].start_s, call.turns[5].end_s) == (39.651529, None)
    assert (note.scope, note.rule) == ("note", "late_audio_end")
    assert [turn.end_s for turn in call.turns].count(None) == 1


def test_tool_calls_come_from_the_audit_log() -> None:
    call, _ = read(FOLDER)
    assert [(tool.name, tool.turn_ix, tool.consequential) for tool in call.tool_calls or ()] == [
        ("get_reservation", 6, False),
        ("search_rebooking_options", 8, False),
        ("search_rebooking_options", 12, False),
        ("rebook_flight", 16, True),
        ("assign_seat", 16, True),
    ]
    assert call.tool_calls
    first = call.tool_calls[0]
    assert first.start_s == pytest.approx(49.516)  # 1772403773648 ms
    assert first.arguments == {"confirmation_number": "ZK3FFW", "last_name": "Rodriguez"}
    assert first.result["status"] == "success"


def test_latencies_in_seconds_become_milliseconds_of_the_turns_they_belong_to() -> None:
    call, _ = read(FOLDER)
    timings = Counter(timing.stage for timing in call.stage_timings or ())
    assert timings == {"llm": 19, "e2e": 9}
    answers = [timing for timing in call.stage_timings or () if timing.stage == "e2e"]
    assert answers[0].value_ms == pytest.approx(2700.966, abs=0.001)
    assert [timing.turn_ix for timing in answers] == [2, 4, 6, 8, 10, 12, 14, 16, 18]
    assert next(timing.value_ms for timing in call.stage_timings or () if timing.stage == "llm") == 1643.0


def test_the_database_is_kept_before_and_after() -> None:
    call, _ = read(FOLDER)
    seats = {
        row.snapshot: [part["seat"] for booking in row.record["bookings"] for part in booking["segments"]]
        for row in call.state or ()
        if row.resource == "reservations"
    }
    assert seats["before"] == ["22A"]
    assert "21A" in seats["after"]


def test_a_record_alone_and_under_its_run_are_the_same_call(tmp_path: Path) -> None:
    shutil.copytree(RECORD, tmp_path / "run-7" / "records" / "1.1.2")
    alone, _ = read(RECORD)
    nested, _ = read(tmp_path / "run-7")
    assert (alone.id, alone.turns, alone.source_sha256) == (nested.id, nested.turns, nested.source_sha256)


def test_audio_of_both_sides_is_a_pair(record: Path) -> None:
    for name in ("audio_user.wav", "audio_assistant.wav", "audio_mixed.wav"):
        (record / name).write_bytes(b"RIFF")
    call, _ = read(record)
    assert [(Path(audio.path).name, audio.channels) for audio in call.audio or ()] == [
        ("audio_user.wav", ["caller"]),
        ("audio_assistant.wav", ["agent"]),
    ]
    (record / "audio_user.wav").unlink()
    call, _ = read(record)
    assert [audio.channels for audio in call.audio or ()] == [["mixed"]]


def test_an_event_whose_two_clocks_differ_a_thousandfold_is_refused(record: Path) -> None:
    lines = (record / LOG).read_text(encoding="utf-8").splitlines()
    event = json.loads(lines[2])
    lines[2] = json.dumps({**event, "audio_timestamp": event["audio_timestamp"] * 1000})
    (record / LOG).write_text("\n".join(lines), encoding="utf-8")
    call, refused = read(record)
    assert next((one.scope, one.rule, one.location) for one in refused) == (
        "row",
        "clocks_disagree",
        "line 3",
    )
    assert len(call.turns or ()) == 19


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        (LOG, None, "event_log_missing"),
        (LOG, '{"timestamp": 1772403723723, "type": "connection_state"}\n', "no_audio_events"),
        ("audit_log.json", '{"transcript": [', "invalid_json"),
        ("result.json", "[]", "wrong_shape"),
    ],
)
def test_a_record_that_cannot_be_a_call_is_refused(record: Path, name: str, content: str | None, rule: str) -> None:
    if content is None:
        (record / name).unlink()
    else:
        (record / name).write_text(content, encoding="utf-8")
    *_, refused = eva.read(record, Options())
    assert isinstance(refused, Refusal)
    assert (refused.scope, refused.rule) == ("call", rule)
