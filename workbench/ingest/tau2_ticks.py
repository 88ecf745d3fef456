"""Ticks of a full-duplex tau2 simulation, as turns, spans and tool calls.

A tick is a fixed piece of *simulated* time (0.2 s by default). Its `timestamp` is the wall clock of the
computation, which runs slower or faster than the call, so no time is ever taken from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, Literal

from msgspec import Struct, field

from workbench.ingest.intake.roles import changes_something
from workbench.ingest.transcript_fields import as_json
from workbench.schema.call import Role, Span, ToolCall, Turn

SIDES: Final[tuple[tuple[Role, str], ...]] = (("agent", "agent_chunk"), ("caller", "user_chunk"))


class Insert(Struct):
    """A sound put into a voice: a cough, or words to somebody else."""

    text: str | None = None
    type: str | None = None


class Action(Struct):
    """What the simulated caller decided."""

    action: str


class SpeechEffects(Struct):
    """Changes of the voice itself."""

    dynamic_muffling_enabled: bool | None = None
    speech_insert: Insert | None = None


class SourceEffects(Struct):
    """Sounds around the voice."""

    burst_noise_file: str | None = None
    speech_insert: Insert | None = None


class Chunk(Struct):
    """One side's part of a tick."""

    contains_speech: bool = False
    content: str | None = None
    is_audio: bool = False
    speech_effects: SpeechEffects | None = None
    source_effects: SourceEffects | None = None
    turn_taking_action: Action | None = None


class AskedTool(Struct):
    """A tool call as tau2 writes it."""

    name: str
    id: str = ""
    arguments: Any = None
    requestor: Literal["assistant", "user"] = "assistant"


class ToolAnswer(Struct):
    """The message that answers a tool call."""

    id: str = ""
    content: str | None = None
    error: bool = False


class Tick(Struct):
    """A piece of simulated time."""

    agent_chunk: Chunk | None = None
    user_chunk: Chunk | None = None
    agent_tool_calls: list[AskedTool] = field(default_factory=list)
    agent_tool_results: list[ToolAnswer] = field(default_factory=list)


def turns_of(ticks: Sequence[Tick], tick_s: float) -> list[Turn]:
    """Return the runs of ticks with speech of each side, in order of their starts.

    Parameters
    ----------
    ticks : sequence of Tick
        All ticks of a call; empty gives no turns.
    tick_s : float
        Length of a tick in seconds.

    Returns
    -------
    list of Turn
        Times are exact multiples of the tick. The text is None where the ticks carry only audio.
    """
    found: list[tuple[int, Turn]] = []
    for role, side in SIDES:
        chunks: list[Chunk | None] = [getattr(tick, side) for tick in ticks]
        for start, stop, _ in _runs([True if chunk and chunk.contains_speech else None for chunk in chunks]):
            said = [chunk.content for chunk in chunks[start:stop] if chunk and chunk.content and not chunk.is_audio]
            text = "".join(said).strip() or None
            turn = Turn(role=role, text=text, start_s=_at(start, tick_s), end_s=_at(stop, tick_s))
            found.append((start, turn))
    return [turn for _, turn in sorted(found, key=lambda pair: (pair[0], pair[1].role))]


def spans_of(ticks: Sequence[Tick], tick_s: float) -> list[Span]:
    """Return what else happened in the ticks, one span a run of equal ticks, in order of their starts.

    Types are ``turn_taking`` (the action as name), ``muffling``, ``burst_noise`` (the file as name) and the
    type that a speech insert states (``vocal_tic``, ``non_directed_phrase``); attributes name the side.
    """
    spans: list[Span] = []
    for role, side in SIDES:
        chunks: list[Chunk | None] = [getattr(tick, side) for tick in ticks]
        for kind, name, values in _tracks(chunks):
            for start, stop, value in _runs(values):
                spans.append(
                    Span(
                        type=value[0] if kind is None else kind,
                        name=value[1] if name is None else name,
                        start_s=_at(start, tick_s),
                        end_s=_at(stop, tick_s),
                        attributes={"side": role},
                    )
                )
    return sorted(spans, key=lambda span: (span.start_s or 0.0, span.type, span.name or ""))


def _tracks(chunks: Sequence[Chunk | None]) -> Iterator[tuple[str | None, str | None, list[Any]]]:
    """Yield (type, name, value a tick); where type or name is None, the value is (type, name)."""
    actions = [chunk.turn_taking_action if chunk else None for chunk in chunks]
    speech = [chunk.speech_effects if chunk else None for chunk in chunks]
    source = [chunk.source_effects if chunk else None for chunk in chunks]
    yield "turn_taking", None, [None if one is None else ("", one.action) for one in actions]
    yield "muffling", "muffling", [True if one and one.dynamic_muffling_enabled else None for one in speech]
    yield (
        "burst_noise",
        None,
        [("", one.burst_noise_file) if one and one.burst_noise_file else None for one in source],
    )
    for effects in (speech, source):
        inserts = [one.speech_insert if one else None for one in effects]
        yield (
            None,
            None,
            [None if one is None else (one.type or "speech_insert", one.text) for one in inserts],
        )


def tools_of(ticks: Sequence[Tick], tick_s: float, turns: Sequence[Turn]) -> list[ToolCall]:
    """Return the agent's tool calls with the ticks they were made and answered in."""
    answered: dict[str, tuple[int, ToolAnswer]] = {}
    for ix, tick in enumerate(ticks):
        for answer in tick.agent_tool_results:
            answered.setdefault(answer.id, (ix, answer))
    calls: list[ToolCall] = []
    for ix, tick in enumerate(ticks):
        for asked in tick.agent_tool_calls:
            at = _at(ix, tick_s)
            pair = answered.get(asked.id)
            calls.append(
                tool_call(
                    asked,
                    pair[1] if pair else None,
                    turn_ix=turn_after(turns, at),
                    start_s=at,
                    end_s=_at(pair[0], tick_s) if pair else None,
                )
            )
    return calls


def tool_call(
    asked: AskedTool,
    answer: ToolAnswer | None,
    *,
    turn_ix: int | None,
    start_s: float | None = None,
    end_s: float | None = None,
) -> ToolCall:
    """Return a tool call with its answer; an answer marked as an error is the error."""
    failed = answer is not None and answer.error
    content = None if answer is None else answer.content
    return ToolCall(
        name=asked.name,
        turn_ix=turn_ix,
        arguments=asked.arguments,
        result=None if failed else as_json(content),
        error=content if failed else None,
        start_s=start_s,
        end_s=end_s,
        consequential=changes_something(asked.name),
    )


def turn_after(turns: Iterable[Turn], at: float) -> int | None:
    """Return the agent's first turn that starts at or after a moment, which a tool call then serves."""
    for ix, turn in enumerate(turns):
        if turn.role == "agent" and turn.start_s is not None and turn.start_s >= at:
            return ix
    return None


def _runs(values: Sequence[Any]) -> Iterator[tuple[int, int, Any]]:
    """Yield (first, one past the last, value) of each run of equal values that are not None."""
    start = 0
    for ix in range(1, len(values) + 1):
        if ix == len(values) or values[ix] != values[start]:
            if values[start] is not None:
                yield start, ix, values[start]
            start = ix


def _at(tick: int, tick_s: float) -> float:
    return round(tick * tick_s, 6)
