"""punchin call JSON. Expected values are read off the fixture by eye; SOURCE.md says how it was made."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from workbench.errors import ImportFailed
from workbench.ingest import punchin
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

FILE = Path(__file__).parents[1] / "data" / "ingest" / "punchin" / "call-format-1.json"


def read(path: Path) -> Call:
    [call] = punchin.read(path, Options())
    assert not isinstance(call, Refusal)
    return call


def changed(tmp_path: Path, **fields: object) -> Path:
    path = tmp_path / "call.json"
    path.write_text(json.dumps({**json.loads(FILE.read_text(encoding="utf-8")), **fields}), encoding="utf-8")
    return path


def test_turns_are_on_the_clock_of_their_making() -> None:
    call = read(FILE)
    assert call.turn_clock == "generated"
    assert call.duration_s is None
    assert call.started_at == datetime(2026, 10, 1, 8, tzinfo=UTC)
    # 10:00:01.250+02:00 is 1.25 s after 08:00:00Z
    assert [(turn.role, turn.start_s, turn.end_s) for turn in call.turns or ()] == [
        ("agent", 0.0, 1.25),
        ("caller", 1.25, 3.75),
        ("agent", 3.75, 6.0),
    ]


def test_the_key_and_what_was_heard_are_kept_apart() -> None:
    assert (turns := read(FILE).turns)
    assert (turns[1].text, turns[1].truth) == ("Det er XY 55 123.", "Det er XY 55 123.")
    assert turns[1].heard == "Det er XY 45 123."
    assert turns[0].truth is None


def test_the_end_marker_is_no_word_and_says_who_ended(tmp_path: Path) -> None:
    call = read(FILE)
    assert call.turns
    assert call.turns[2].text == "Så er den booket. Hej hej."
    assert read(changed(tmp_path, notes={})).ended_by == "agent"


def test_a_fork_knows_its_parent_and_what_was_live() -> None:
    call = read(FILE)
    assert (call.origin, call.parent_call_id, call.fork_turn) == (
        "forked",
        "20260930-080000-plain-scripted-careless",
        2,
    )
    assert [turn.served_from for turn in call.turns or ()] == ["recording", "recording", "live"]
    assert call.cost_usd == pytest.approx(0.003)


def test_tool_calls_bookings_and_model_times_are_rows() -> None:
    call = read(FILE)
    assert [(tool.turn_ix, tool.error, tool.result) for tool in call.tool_calls or ()] == [
        (2, "unknown plate", None),
        (2, None, {"booked": True}),
    ]
    assert call.state
    assert [(row.snapshot, row.resource) for row in call.state] == [("after", "bookings")]
    # milliseconds stay milliseconds; a wav of 1900 ms lasts 1.9 s
    assert [(timing.turn_ix, timing.value_ms) for timing in call.stage_timings or ()] == [
        (0, 1250.0),
        (2, 2100.0),
    ]
    assert call.spans
    assert call.spans[0].attributes == {"turn_ix": 1, "path": "audio/turn-1.wav", "duration_s": 1.9}


def test_bookings_that_were_never_supplied_differ_from_none_made(tmp_path: Path) -> None:
    assert read(changed(tmp_path, bookings=[])).state == []
    assert read(changed(tmp_path, bookings=None)).state is None


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"format": 2}, "format_too_new"),
        ({"started_at": 1790841600}, "wrong_shape"),  # an epoch where the format has ISO text
        ({"turns": [{"speaker": "supervisor", "text": "x"}]}, "wrong_shape"),
    ],
)
def test_what_is_not_this_format_is_refused(tmp_path: Path, fields: dict[str, object], rule: str) -> None:
    with pytest.raises(ImportFailed) as refused:
        read(changed(tmp_path, **fields))
    assert refused.value.rule == rule
    assert refused.value.hint


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "call.json"
    path.write_bytes(FILE.read_bytes()[:300])
    with pytest.raises(ImportFailed) as refused:
        read(path)
    assert refused.value.rule == "invalid_json"
