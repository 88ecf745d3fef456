"""Wrong units are seen, real speech is not touched, impossible rows go alone."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench import ingest
from workbench.assets import folder
from workbench.ingest.intake.plausibility import clock_problem
from workbench.ingest.intake.rows import drop_impossible
from workbench.ingest.intake.units import PER_SECOND, scale
from workbench.ingest.protocol import Options, TimeUnit
from workbench.schema.call import Call, Refusal, Span, StageTiming, ToolCall, Turn, Word

TURNS = [
    {"role": "agent", "text": "Hello, how can I help you?", "start_s": 0.2, "end_s": 1.9},
    {"role": "caller", "text": "I need to move my appointment.", "start_s": 2.4, "end_s": 4.1},
    {"role": "agent", "text": "To which day?", "start_s": 4.9, "end_s": 5.6},
]


def write(path: Path, factor: float, origin: float = 0.0) -> Path:
    turns = [
        {**turn, "start_s": origin + turn["start_s"] * factor, "end_s": origin + turn["end_s"] * factor}  # type: ignore[operator]
        for turn in TURNS
    ]
    path.write_text(json.dumps({"format": "workbench.call/1", "id": "c", "turns": turns}))
    return path


def read(path: Path, options: Options | None = None) -> tuple[list[Call], list[Refusal]]:
    found = list(ingest.read([path], options))
    return (
        [item for item in found if isinstance(item, Call)],
        [item for item in found if isinstance(item, Refusal)],
    )


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_a_wrong_unit_is_refused_by_field_and_value_and_the_option_mends_it(tmp_path: Path, unit: TimeUnit) -> None:
    path = write(tmp_path / "c.json", PER_SECOND[unit])
    calls, (refusal,) = read(path)
    assert calls == []
    assert (refusal.rule, refusal.scope, refusal.hint) == ("time_unit", "call", f"--time-unit {unit}")
    assert "turns" in refusal.message
    assert "_s" in refusal.message
    (call,), refusals = read(path, Options(time_unit=unit))
    assert refusals == []
    times = [time for turn in call.turns or () for time in (turn.start_s, turn.end_s)]
    assert times == pytest.approx([0.2, 1.9, 2.4, 4.1, 4.9, 5.6])


def test_a_unit_that_is_too_small_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "c.json", 1.0)
    _, (refusal,) = read(path, Options(time_unit="ms"))
    assert refusal.rule == "time_unit"
    assert "leave it out" in refusal.hint


@pytest.mark.parametrize("factor", [1, 1_000])
def test_dates_are_refused_as_dates(tmp_path: Path, factor: int) -> None:
    _, (refusal,) = read(write(tmp_path / "c.json", factor, origin=1_780_000_000 * factor))
    assert refusal.rule == "epoch_time"
    assert "subtract the start" in refusal.hint


def test_whole_seconds_are_noted_and_the_call_is_kept(tmp_path: Path) -> None:
    turns = [
        {"role": role, "text": "hello", "start_s": at, "end_s": at + 2} for role, at in [("agent", 0), ("caller", 3)]
    ]
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"format": "workbench.call/1", "id": "c", "turns": turns}))
    (call,), (refusal,) = read(path)
    assert call.turn_clock == "quantised"
    assert (refusal.rule, refusal.scope) == ("quantised_times", "note")


@given(
    seconds_a_word=st.floats(0.1, 5.0),
    words=st.integers(1, 60),
    gaps=st.lists(st.floats(-1.0, 600.0), min_size=1, max_size=12),
)
def test_no_speech_trips_a_threshold(seconds_a_word: float, words: int, gaps: list[float]) -> None:
    """From auctioneers (10 words a second) to five seconds a word, with holds of ten minutes."""
    turns: list[Turn] = []
    at = 2.0
    for ix, gap in enumerate(gaps):
        at = max(0.0, at + gap)
        turns.append(
            Turn(
                role="agent" if ix % 2 else "caller",
                text="word " * words,
                start_s=at,
                end_s=at + words * seconds_a_word,
            )
        )
        at += words * seconds_a_word
    assert clock_problem(Call(id="c", turn_clock="reported", turns=turns), Options()) is None


def test_real_calls_trip_nothing() -> None:
    found = list(ingest.read([folder("data") / "calls"]))
    calls = [item for item in found if isinstance(item, Call)]
    clocked = [call for call in calls if any(turn.start_s is not None for turn in call.turns or ())]
    assert len(clocked) >= 5
    rules = {item.rule for item in found if isinstance(item, Refusal)}
    assert not rules & {"time_unit", "epoch_time", "negative_time", "not_finite", "end_before_start"}


def sound() -> Call:
    return Call(
        id="c",
        duration_s=6.0,
        turns=[
            Turn(role="agent", text="a", start_s=0.0, end_s=1.0, words=[Word(word="a", start_s=0.0, end_s=1.0)]),
            Turn(role="caller", text="b", start_s=1.0, end_s=2.0),
            Turn(role="agent", text="c", start_s=2.0, end_s=3.0),
        ],
        tool_calls=[ToolCall(name="t", turn_ix=1), ToolCall(name="u", turn_ix=2)],
        spans=[Span(type="x", time_s=0.5)],
        stage_timings=[StageTiming(stage="e2e", value_ms=900.0, turn_ix=2)],
    )


def test_a_sound_call_loses_nothing() -> None:
    call = sound()
    assert drop_impossible(call) == []
    assert call == sound()


@pytest.mark.parametrize(
    ("change", "rule", "where"),
    [
        (lambda c: setattr(c.turns[1], "end_s", 0.5), "end_before_start", "turns[1]"),
        (lambda c: setattr(c.turns[1], "start_s", -0.5), "negative_time", "turns[1]"),
        (lambda c: setattr(c.turns[1], "start_s", math.nan), "not_finite", "turns[1]"),
        (lambda c: setattr(c.turns[1], "role", "robot"), "unknown_speaker", "turns[1]"),
        (lambda c: setattr(c.spans[0], "time_s", math.inf), "not_finite", "spans[0]"),
        (lambda c: setattr(c.stage_timings[0], "value_ms", -1.0), "negative_time", "stage_timings[0]"),
        (lambda c: setattr(c.turns[0].words[0], "end_s", -1.0), "negative_time", "turns[0].words[0]"),
        (lambda c: setattr(c, "duration_s", math.nan), "not_finite", "duration_s"),
        (lambda c: setattr(c, "duration_s", -2.0), "negative_time", "duration_s"),
    ],
)
def test_an_impossible_row_goes_alone(change: Any, rule: str, where: str) -> None:
    call = sound()
    change(call)
    (refusal,) = drop_impossible(call)
    assert (refusal.rule, refusal.scope, refusal.location) == (rule, "row", f"call c, {where}")
    assert refusal.hint
    if where == "turns[1]":
        assert [turn.text for turn in call.turns or ()] == ["a", "c"]
        assert [row.turn_ix for row in call.tool_calls or ()] == [None, 1]
        assert [row.turn_ix for row in call.stage_timings or ()] == [1]


def test_turns_out_of_order_are_noted_and_kept_in_place(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    turns = [TURNS[1], TURNS[0]]
    path.write_text(json.dumps({"format": "workbench.call/1", "id": "c", "turns": turns}))
    (call,), (refusal,) = read(path)
    assert (refusal.rule, refusal.scope) == ("turns_out_of_order", "note")
    assert [turn.role for turn in call.turns or ()] == ["caller", "agent"]


@pytest.mark.parametrize(("unit", "expected"), [("s", 2500.0), ("ms", 2.5), ("us", 0.0025), ("ns", 2.5e-6)])
def test_units(unit: TimeUnit, expected: float) -> None:
    assert scale(2500, unit) == expected
