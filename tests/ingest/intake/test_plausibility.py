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
from workbench.schema.call import Call, Label, Refusal, Span, StageTiming, ToolCall, Turn, Word

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
        stage_timings=[
            StageTiming(stage="e2e", value_ms=900.0, turn_ix=2),
            StageTiming(stage="llm_ttft", value_ms=300.0, turn_ix=2),
        ],
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
        (lambda c: setattr(c.stage_timings[1], "value_ms", -1.0), "negative_time", "stage_timings[1]"),
        (lambda c: setattr(c.stage_timings[0], "value_ms", math.nan), "not_finite", "stage_timings[0]"),
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
        assert [row.turn_ix for row in call.stage_timings or ()] == [1, 1]


def test_a_reported_latency_below_zero_is_kept_so_that_it_can_be_named() -> None:
    call = sound()
    call.stage_timings[0].value_ms = -40.0  # type: ignore[index]
    assert drop_impossible(call) == []
    assert [row.value_ms for row in call.stage_timings or ()] == [-40.0, 300.0]


@pytest.mark.parametrize(
    ("kind", "value", "found"),
    [
        ("expectation", {"max_talk_over_s": "soon"}, "'soon'"),
        ("expectation", {"max_time_to_yield_s": [1]}, "[1]"),
        ("expectation", {"max_talk_over_s": True}, "True"),
        ("expectation", {"max_talk_over_s": -1}, "-1"),
        ("expectation", {"max_talk_over_s": 10**400}, "10000"),
        ("channel_map", {"roles": "caller"}, "'caller'"),
        ("channel_map", {"roles": ["caller", 1]}, "['caller', 1]"),
    ],
)
def test_a_label_that_no_score_and_no_view_can_read_goes_alone(kind: str, value: Any, found: str) -> None:
    call = sound()
    call.labels = [Label(kind="expectation", value={"max_talk_over_s": 0.5}), Label(kind=kind, value=value)]
    (refusal,) = drop_impossible(call)
    assert (refusal.rule, refusal.location) == ("label_value", "call c, labels[1]")
    assert found in refusal.message
    assert len(call.labels) == 1


def test_values_of_other_labels_are_anything() -> None:
    call = sound()
    values: list[Any] = [None, "x", [1], {"roles": None}, {"max_talk_over_s": None}, {"max_talk_over_s": 1e9}]
    call.labels = [Label(kind="expectation", value=value) for value in values]
    call.labels += [Label(kind="rating", value={"max_talk_over_s": "soon", "roles": 1})]
    assert drop_impossible(call) == []


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


def few(*turns: tuple[str | None, float, float | None], clock: str = "reported") -> Call:
    rows = [Turn(role="caller", text=text, start_s=start, end_s=end) for text, start, end in turns]
    return Call(id="c", turn_clock=clock, turns=rows)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "call",
    [
        few(("hi", 2000, 2400), ("Yes?", 3000, 3500)),
        few(("hi", 0, 400)),
        few(("hi", 2000, None), ("Yes?", 3000, None)),
        few((None, 2000, None), (None, 3000, None), (None, 4500, None)),
        few(("ja", 120, 480), ("", 700, 900)),
        few(("Hello", 200, None), ("Hi", 2500, None), ("So?", 6500, None)),
        few((None, 0, None), (None, 1800, None), (None, 1950, None), *((None, t * 2400, None) for t in range(1, 5))),
    ],
)
def test_short_calls_in_milliseconds_are_refused(call: Call) -> None:
    problem = clock_problem(call, Options())
    assert problem is not None
    assert (problem.rule, problem.hint) == ("time_unit", "--time-unit ms")
    for turn in call.turns or ():
        turn.start_s = (turn.start_s or 0) / 1000
        turn.end_s = None if turn.end_s is None else turn.end_s / 1000
    assert clock_problem(call, Options()) is None


@pytest.mark.parametrize(
    "call",
    [
        few(("Hold", 0, 1), ("Back", 900, 901)),  # a hold of a quarter of an hour, in whole seconds
        few(("Hold", 2, None), ("Back", 900, None)),
        few(("Hello", 0.4, 75.4)),  # one word and its silence, with a fraction
        few(("hi", 2000.5, 2400), ("Yes?", 3000, 3500)),
        few(("Hello", 0, None), ("Yes?", 1000, None)),  # one gap says nothing
        few((None, 0, 400), (None, 500, 900)),  # no words to go by
        few(("Hold", 2, None), ("Back", 900, None), ("Fine", 903, None)),
        few(("Hold", 2, None), ("Hold", 600, None), ("Hi", 1200, None), ("So?", 1203, None)),  # two holds
        few(("Hello", 200.5, None), ("Hi", 2500, None), ("So?", 6500, None)),
        few(("Hello", 200, None), ("Hi", 2500, None), ("So?", 6500, None), clock="generated"),
        few(("Hello", 5, 125), ("Yes?", 130, 131)),
        few(("hi", 2000, None), ("Yes?", 3000, None), clock="generated"),
        few(),
    ],
)
def test_holds_and_fractions_do_not_look_like_milliseconds(call: Call) -> None:
    assert clock_problem(call, Options()) is None


@given(st.lists(st.tuples(st.integers(1, 4), st.integers(200, 600), st.integers(0, 2000)), min_size=1, max_size=6))
def test_whole_milliseconds_are_refused_whatever_the_count_of_words(said: list[tuple[int, int, int]]) -> None:
    """Words of 200 to 600 ms, said from the start or after a while."""
    turns, at = [], 0
    for words, pace, gap in said:
        turns.append((" ".join(["yes"] * words), float(at + gap), float(at + gap + words * pace)))
        at += gap + words * pace
    assert clock_problem(few(*turns), Options()) is not None
    seconds = few(*((text, start / 1000, end / 1000) for text, start, end in turns))
    assert clock_problem(seconds, Options()) is None


@given(gaps=st.lists(st.integers(0, 300), min_size=2, max_size=40), first=st.integers(0, 3600))
def test_whole_seconds_of_starts_alone_pass(gaps: list[int], first: int) -> None:
    """Turns up to five minutes apart, in a recording that begins up to an hour before."""
    starts = [first + sum(gaps[:ix]) for ix in range(len(gaps) + 1)]
    assert clock_problem(few(*((None, start, None) for start in starts)), Options()) is None


@pytest.mark.parametrize(
    ("name", "value"), [("trial", 2**63), ("trial", -1), ("seed", -(2**64)), ("seed", 10**30), ("fork_turn", 2**31)]
)
def test_a_number_no_column_holds_is_left_out_and_named(name: str, value: int) -> None:
    call = Call(id="c", **{name: value})
    (refusal,) = drop_impossible(call)
    assert (refusal.rule, refusal.scope) == ("out_of_range", "row")
    assert name in refusal.location
    assert str(value) in refusal.message
    assert getattr(call, name) is None


@pytest.mark.parametrize("turn_ix", [-1, 2**40])
def test_a_tool_call_of_a_turn_that_cannot_be_goes_alone(turn_ix: int) -> None:
    call = Call(id="c", seed=2**63 - 1, trial=0, tool_calls=[ToolCall(name="a", turn_ix=turn_ix), ToolCall(name="b")])
    (refusal,) = drop_impossible(call)
    assert refusal.rule == "out_of_range"
    assert [tool.name for tool in call.tool_calls or ()] == ["b"]
    assert (call.seed, call.trial) == (2**63 - 1, 0)


def test_no_unit_is_advised_where_it_was_given(tmp_path: Path) -> None:
    """Ten words in 3.75 ms, read as seconds."""
    turns = [
        {"speaker": "user", "text": "hi there how are you", "start_s": 0.0, "end_s": 0.00183},
        {"speaker": "agent", "text": "hello what can I do", "start_s": 0.00204, "end_s": 0.00396},
    ]
    path = tmp_path / "small.json"
    path.write_text(json.dumps({"id": "small", "turns": turns}), encoding="utf-8")
    _, (refusal,) = read(path, Options(time_unit="s"))
    assert refusal.hint == "--time-unit s was given, and no unit mends them: correct the times where they come from"
