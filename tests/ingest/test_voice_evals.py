"""voice-evals rows; values read by eye from the three demo rows (see their NOTICE.md)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench import ingest
from workbench.assets import folder
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal, Scenario, Span, StageTiming, Turn

DEMO = folder("data") / "calls" / "voice-evals" / "demo_calls.jsonl"
ROW = {"id": "r", "scenario": {"name": "s", "expected_outcome": "o"}, "ground_truth_transcript": "hello"}


def read(path: Path, options: Options | None = None) -> tuple[list[Call], list[Refusal]]:
    found = list(ingest.read([path], options))
    return (
        [item for item in found if isinstance(item, Call)],
        [item for item in found if isinstance(item, Refusal)],
    )


def one(folder_: Path, **fields: Any) -> tuple[Call, list[Refusal]]:
    (folder_ / "rows.jsonl").write_text(json.dumps({**ROW, **fields}) + "\n")
    (call,), refusals = read(folder_)
    return call, refusals


def test_the_second_demo_row() -> None:
    calls, refusals = read(DEMO)
    assert refusals == []
    assert [call.id for call in calls] == ["call-001", "call-002", "call-003"]
    call = calls[1]
    truth = "I want to book a table for four on Tuesday evening."
    assert call.turns == [
        Turn(role="caller", text=truth, heard="I want to book a table for or on Tuesday evening.", truth=truth),
        Turn(role="agent", text="I can book a table for you. How many people is it for?"),
    ]
    assert (call.outcome, call.expected_outcome, call.turn_clock) == ("clarifying", "booked", "none")
    assert call.stage_timings == [
        StageTiming(stage="stt", value_ms=240.0),
        StageTiming(stage="llm_ttft", value_ms=380.0),
        StageTiming(stage="tts_ttfa", value_ms=260.0),
        StageTiming(stage="e2e", value_ms=1120.0),
    ]
    assert call.spans == [Span(type="interruption", time_s=4.2, attributes={"agent_stopped_ms": 210.0})]
    assert isinstance(call.scenario, Scenario)
    assert call.scenario.required_facts == ["Tuesday", "table"]
    assert call.scenario.forbidden_facts == ["discount"]
    assert calls[0].spans is None
    assert len({call.source_sha256 for call in calls}) == 3


def test_an_array_gives_the_same_calls(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in DEMO.read_text().splitlines()]
    (tmp_path / "rows.json").write_text(json.dumps(rows, indent=1))
    calls, _ = read(tmp_path)
    lines, _ = read(DEMO)
    assert [call.turns for call in calls] == [call.turns for call in lines]
    assert [call.id for call in calls] == ["call-001", "call-002", "call-003"]


@pytest.mark.parametrize(
    ("value", "rule"),
    [(-1, "negative_time"), (True, "wrong_type"), ("820", "wrong_type"), ([1], "wrong_type")],
)
def test_a_timing_that_is_no_number_is_refused_and_the_rest_kept(tmp_path: Path, value: object, rule: str) -> None:
    call, (refusal,) = one(tmp_path, stage_timings_ms={"e2e_ms": value, "stt_ms": 190})
    assert (refusal.rule, refusal.scope) == (rule, "row")
    assert refusal.location == "line 1, stage_timings_ms.e2e_ms"
    assert refusal.hint
    timings = {row.stage: row for row in call.stage_timings or ()}
    assert timings["stt"].value_ms == 190.0
    assert timings["e2e"].value_ms is None
    assert timings["e2e"].reason_missing == "not a usable number in the source"


def test_a_row_with_nan_is_refused_by_its_line_and_the_others_kept(tmp_path: Path) -> None:
    good = json.dumps(ROW)
    bad = json.dumps({**ROW, "id": "bad", "stage_timings_ms": {"e2e_ms": float("nan")}})
    (tmp_path / "rows.jsonl").write_text(f"{good}\n{bad}\n")
    (call,), (refusal,) = read(tmp_path)
    assert call.id == "r"
    assert (refusal.location, refusal.rule, refusal.scope) == ("line 2", "nan_literal", "call")


def test_null_is_null_and_not_the_word_none(tmp_path: Path) -> None:
    call, refusals = one(
        tmp_path,
        asr_transcript=None,
        agent_transcript=None,
        outcome=None,
        stage_timings_ms={"e2e_ms": None},
        interruptions=None,
    )
    assert refusals == []
    assert call.turns == [Turn(role="caller", text="hello", truth="hello")]
    assert (call.outcome, call.spans) == (None, None)
    reasons = {row.stage: row.reason_missing for row in call.stage_timings or ()}
    assert reasons["e2e"] == "null in the source"
    assert reasons["stt"] == "not in the source"


def test_empty_is_not_the_same_as_absent(tmp_path: Path) -> None:
    call, _ = one(tmp_path, stage_timings_ms={}, interruptions=[], agent_transcript="")
    assert (call.stage_timings, call.spans) == ([], [])
    assert call.turns is not None
    assert call.turns[1] == Turn(role="agent", text="")
    absent, _ = one(tmp_path)
    assert (absent.stage_timings, absent.spans, len(absent.turns or ())) == (None, None, 1)


def test_a_fact_list_written_as_a_text_is_refused_and_not_read_as_letters(tmp_path: Path) -> None:
    scenario = {"name": "s", "expected_outcome": "o", "required_facts": "Tuesday"}
    call, (refusal,) = one(tmp_path, scenario=scenario)
    assert (refusal.rule, refusal.scope) == ("wrong_type", "row")
    assert isinstance(call.scenario, Scenario)
    assert call.scenario.required_facts is None


def test_an_interruption_without_a_time_is_refused_and_the_others_kept(tmp_path: Path) -> None:
    call, (refusal,) = one(tmp_path, interruptions=[{"agent_stopped_ms": 3}, {"at_ms": 500, "agent_stopped_ms": None}])
    assert refusal.location == "line 1, interruptions[0]"
    assert call.spans == [Span(type="interruption", time_s=0.5, attributes={"agent_stopped_ms": None})]


def test_unknown_fields_are_noted(tmp_path: Path) -> None:
    _, refusals = one(tmp_path, hand_wer=0.1, stage_timings_ms={"e2e_ms": 900, "vad_ms": 20})
    assert [(item.rule, item.scope) for item in refusals] == [("unknown_field", "note")] * 2
    assert "hand_wer" in refusals[1].message
    assert "vad_ms" in refusals[0].message


@pytest.mark.parametrize("fields", [{"id": None}, {"scenario": {}}, {"ground_truth_transcript": None}])
def test_a_row_without_what_it_must_have_is_refused(tmp_path: Path, fields: dict[str, Any]) -> None:
    (tmp_path / "rows.jsonl").write_text(json.dumps(ROW) + "\n" + json.dumps({**ROW, **fields}) + "\n[1]\n")
    calls, refusals = read(tmp_path)
    assert [call.id for call in calls] == ["r"]
    assert [(item.location, item.rule) for item in refusals] == [
        ("line 2", "missing_field"),
        ("line 3", "missing_field"),
    ]


def test_seconds_for_milliseconds_are_refused_and_the_option_mends_them(tmp_path: Path) -> None:
    timings = {"stt_ms": 0.19, "e2e_ms": 0.82}
    (tmp_path / "rows.jsonl").write_text(json.dumps({**ROW, "stage_timings_ms": timings}))
    calls, (refusal,) = read(tmp_path)
    assert calls == []
    assert (refusal.rule, refusal.hint) == ("time_unit", "--time-unit s")
    (call,), _ = read(tmp_path, Options(time_unit="s"))
    assert [row.value_ms for row in call.stage_timings or ()] == [190.0, None, None, 820.0]


def test_nanoseconds_for_milliseconds_are_refused_and_the_option_mends_them(tmp_path: Path) -> None:
    timings = {"e2e_ms": 820_000_000}
    (tmp_path / "rows.jsonl").write_text(json.dumps({**ROW, "stage_timings_ms": timings}))
    _, (refusal,) = read(tmp_path)
    assert (refusal.rule, refusal.hint) == ("time_unit", "--time-unit ns")
    (call,), _ = read(tmp_path, Options(time_unit="ns"))
    assert [row.value_ms for row in call.stage_timings or ()] == [None, None, None, 820.0]
