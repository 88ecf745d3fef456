"""hotato traces and transcripts. The bundled trace has seven spans and four rows of transcript, by eye."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from workbench.errors import ImportFailed
from workbench.ingest import hotato_trace, hotato_trace_file
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

FOLDER = Path(__file__).parents[2] / "data" / "calls" / "hotato-traces" / "clean-cancel"


def alone(path: Path, options: Options | None = None) -> Call:
    return next(one for one in hotato_trace_file.read(path, options or Options()) if isinstance(one, Call))


def test_a_folder_is_one_call_on_one_clock() -> None:
    [call] = hotato_trace.read(FOLDER, Options())
    assert isinstance(call, Call)
    assert (call.id, call.turn_clock, call.origin) == ("clean-cancel", "reported", "synthetic")
    assert [(turn.role, turn.start_s, turn.end_s) for turn in call.turns or ()] == [
        ("caller", 0.6, 2.9),
        ("agent", 3.2, 5.8),
        ("caller", 5.8, 7.2),
        ("agent", 7.6, 11.0),
    ]
    assert len(call.spans or ()) == 7
    assert call.duration_s == 11.0
    assert call.agent_id == "reservation-agent-v1"
    assert call.scenario
    assert call.scenario.scenario_id == "interrupted-tool-call-clean-cancel"


def test_the_tool_call_has_its_turn_result_and_latency() -> None:
    [call] = hotato_trace.read(FOLDER, Options())
    assert isinstance(call, Call)
    assert call.tool_calls
    [tool] = call.tool_calls
    assert (tool.name, tool.turn_ix, tool.start_s, tool.end_s) == ("book_table", 1, 4.0, 6.5)
    assert tool.arguments["party_size"] == 4
    assert tool.result == {"status": "booked", "deposit": 20}
    # the latency is in milliseconds: 6.5 s - 4.0 s
    assert [(timing.stage, timing.value_ms) for timing in call.stage_timings or ()] == [("tool_call", 2500.0)]


def test_the_state_is_the_one_after_the_call() -> None:
    [call] = hotato_trace.read(FOLDER, Options())
    assert isinstance(call, Call)
    assert [(row.snapshot, row.resource, row.record["holds"]) for row in call.state or ()] == [
        ("after", "reservations", 1)
    ]


def test_either_file_alone_is_a_call_named_for_its_folder() -> None:
    trace, transcript = alone(FOLDER / "voice_trace.jsonl"), alone(FOLDER / "transcript.json")
    assert (trace.id, trace.turns, len(trace.spans or ())) == ("clean-cancel-voice_trace", None, 7)
    assert (transcript.id, transcript.spans, len(transcript.turns or ())) == (
        "clean-cancel-transcript",
        None,
        4,
    )


def test_milliseconds_in_place_of_seconds_are_mended_by_the_option(tmp_path: Path) -> None:
    rows = [{"role": "user", "text": "hi", "start": 600, "end": 2900}]
    path = tmp_path / "transcript.json"
    path.write_text(json.dumps(rows), encoding="utf-8")
    assert [(turn.start_s, turn.end_s) for turn in alone(path).turns or ()] == [(600.0, 2900.0)]
    mended = alone(path, Options(time_unit="ms"))
    assert [(turn.start_s, turn.end_s) for turn in mended.turns or ()] == [(0.6, 2.9)]


def test_rows_that_are_no_spans_are_refused_one_by_one(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path, dirs_exist_ok=True)
    with (tmp_path / "voice_trace.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"type": "tool_call", "start_sec": 1, "time_sec": 1}\n')
        file.write('{"type": "tool_call", "start_sec": "1 s"}\n')
        file.write("{broken\n")
    found = list(hotato_trace.read(tmp_path, Options()))
    refused = [one for one in found if isinstance(one, Refusal)]
    assert [(one.scope, one.rule, one.location) for one in refused] == [
        ("row", "two_time_shapes", "line 9"),
        ("row", "wrong_shape", "line 10"),
        ("row", "invalid_json", "line 11"),
    ]
    assert len(found) == 4


@pytest.mark.parametrize(
    ("name", "content", "rule"),
    [
        ("voice_trace.jsonl", '{"_meta": true, "schema": "hotato.voice_trace.v1"}\n', "no_spans"),
        ("transcript.json", '[{"role": "caller", "text": "a", "start": 0', "invalid_json"),
        ("transcript.json", '[{"role": "host", "text": "a", "start": 0, "end": 1}]', "no_known_speaker"),
    ],
)
def test_a_broken_file_is_refused(tmp_path: Path, name: str, content: str, rule: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(ImportFailed) as refused:
        list(hotato_trace.read(tmp_path, Options()))
    assert refused.value.rule == rule
