"""voiceeval calls; values read by eye from the fixtures (see their NOTICE.md)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench import ingest
from workbench.assets import folder
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal, ToolCall, Turn

FIXTURES = folder("data") / "calls" / "voiceeval-fixtures"


def read(path: Path, options: Options | None = None) -> tuple[list[Call], list[Refusal]]:
    found = list(ingest.read([path], options))
    return (
        [item for item in found if isinstance(item, Call)],
        [item for item in found if isinstance(item, Refusal)],
    )


def test_the_call_that_was_misheard() -> None:
    (call,), refusals = read(FIXTURES / "misheard_call.json")
    assert refusals == []
    assert call.id == "refund-misheard-fifty"
    assert (call.source_format, call.origin, call.turn_clock) == ("voiceeval", "unknown", "reported")
    assert (call.policy, call.completed) == ({"max_refund": 50}, True)
    heard = "I need a refund of fifty dollars please."
    assert call.turns == [
        Turn(role="agent", text="Hi, how can I help?", start_s=0.0, end_s=1.5),
        Turn(
            role="caller",
            text=heard,
            heard=heard,
            truth="I need a refund of fifteen dollars please.",
            start_s=2.0,
            end_s=5.0,
        ),
        Turn(role="agent", text="Okay, refunding fifty dollars now.", start_s=5.4, end_s=7.2),
    ]
    assert call.tool_calls == [ToolCall(name="refund", turn_ix=2, arguments={"amount": 50}, consequential=True)]


def test_the_other_fixtures() -> None:
    calls, refusals = read(FIXTURES)
    assert [(call.id, call.completed, len(call.turns or ())) for call in calls] == [
        ("refund-happy-path", True, 5),
        ("refund-misheard-fifty", True, 3),
        ("slow-and-overlapping", False, 4),
    ]
    assert refusals == []
    assert calls[2].turns is not None
    assert calls[2].turns[1].start_s == 2.5
    assert calls[2].tool_calls == []  # none listed is none taken


def test_without_truth_there_is_none(tmp_path: Path) -> None:
    turns = [{"speaker": "user", "text": "hello", "start_s": 0, "end_s": 1.5, "actions": []}]
    (tmp_path / "c.json").write_text(json.dumps({"id": "c", "turns": turns}))
    (call,), _ = read(tmp_path)
    assert call.turns == [Turn(role="caller", text="hello", heard="hello", start_s=0.0, end_s=1.5)]
    assert (call.tool_calls, call.completed, call.policy) == ([], None, None)


def test_a_suite_file_is_refused_with_what_to_import_instead(tmp_path: Path) -> None:
    score = {"interaction_id": "c", "passed": True, "penalty": 0.0, "findings": []}
    (tmp_path / "v1.json").write_text(json.dumps({"label": "v1", "scores": [score]}))
    calls, (refusal,) = read(tmp_path)
    assert calls == []
    assert (refusal.rule, refusal.scope) == ("suite_file", "file")
    assert "import the calls" in refusal.hint


@pytest.mark.parametrize("name", ["speeker", ""])
def test_an_unknown_speaker_loses_the_turn_and_names_it(tmp_path: Path, name: str) -> None:
    turns = [
        {"speaker": "user", "text": "hello", "start_s": 0.1, "end_s": 1.5},
        {"speaker": name, "text": "hi", "start_s": 1.6, "end_s": 2.0},
        {"speaker": "agent", "text": "hi", "start_s": 2.1, "end_s": 3, "actions": [{"name": "look"}]},
    ]
    (tmp_path / "c.json").write_text(json.dumps({"id": "c", "turns": turns}))
    (call,), (refusal,) = read(tmp_path)
    assert [turn.role for turn in call.turns or ()] == ["caller", "agent"]
    assert (refusal.rule, refusal.scope) == ("unknown_speaker", "row")
    assert repr(name) in refusal.message
    assert "turns[1]" in refusal.location
    assert call.tool_calls == [ToolCall(name="look", turn_ix=1, consequential=False)]


def test_a_time_written_as_text_refuses_the_call_and_names_the_field(tmp_path: Path) -> None:
    turns = [{"speaker": "user", "text": "hello", "start_s": "0", "end_s": 1.5}]
    (tmp_path / "c.json").write_text(json.dumps({"id": "c", "turns": turns}))
    calls, (refusal,) = read(tmp_path)
    assert calls == []
    assert (refusal.rule, refusal.scope) == ("wrong_type", "call")
    assert "$.turns[0].start_s" in refusal.message
