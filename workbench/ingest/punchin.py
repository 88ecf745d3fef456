"""punchin call JSON: one recorded call a file, `format` 1.

Turn times are around the *making* of a turn (model time, speech and recognition included), so the clock is
``generated`` and no response gap a caller felt can be read from it. The call has no duration for the same
reason. On the customer's turns `text` is the key, what was really said, and `heard` the recogniser's version.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from msgspec import Struct, field

from workbench.errors import ImportFailed
from workbench.ingest.intake.peek import peek
from workbench.ingest.intake.shape import load, utc
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Origin, Refusal, Scenario, Span, StageTiming, StateRow, ToolCall, Turn

FORMAT = "punchin"
ABOUT = "Call JSON that `punchin record` and `punchin fork` write (`format` 1)."
CLAIMS: Literal["file"] = "file"

NEWEST_FORMAT = 1
END_MARKER = "[FARVEL]"


class _Tool(Struct):
    tool: str
    arguments: Any = None
    result: Any = None
    error: str | None = None


class _Turn(Struct):
    speaker: Literal["agent", "customer"]
    text: str
    started_at: datetime | None = None
    ended_at: datetime | None = None
    tool_calls: list[_Tool] = field(default_factory=list)
    model_ms: float | None = None
    cost_usd: float = 0.0
    audio: str | None = None
    audio_ms: float | None = None
    heard: str | None = None


class _Notes(Struct):
    ended_by: str | None = None
    forked_from: str | None = None
    forked_at: int | None = None
    live_cost_usd: float | None = None


class _Recording(Struct):
    id: str
    turns: list[_Turn]
    format: int = 1
    scenario: str | None = None
    agent: str | None = None
    customer: str | None = None
    started_at: datetime | None = None
    bookings: list[dict[str, Any]] | None = None
    notes: _Notes = field(default_factory=_Notes)


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a file is a punchin call: an object with turns, an agent and a customer."""
    value = peek(head)
    return (
        isinstance(value, dict)
        and {"id", "turns", "agent", "customer"} <= value.keys()
        and isinstance(value.get("format", 1), int)
    )


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield the one call of the file.

    Raises
    ------
    ImportFailed
        When the file is not this format, or a newer version of it (``format_too_new``).
    """
    recording = load(path, _Recording)
    if recording.format > NEWEST_FORMAT:
        raise ImportFailed(
            f"`format` is {recording.format}; this reads up to {NEWEST_FORMAT}",
            where=str(path),
            hint="a newer punchin wrote it: update the workbench, or export it again",
            rule="format_too_new",
        )
    notes = recording.notes
    fork_turn = notes.forked_at
    zero = utc(recording.started_at)
    if zero is None:
        zero = next((utc(turn.started_at) for turn in recording.turns if turn.started_at), None)
    turns = [_turn(turn, ix, zero=zero, fork_turn=fork_turn) for ix, turn in enumerate(recording.turns)]
    yield Call(
        id=recording.id,
        origin=_origin(recording),
        started_at=zero,
        platform="punchin",
        agent_id=recording.agent,
        ended_by=notes.ended_by or _ended_by(recording.turns),
        cost_usd=_cost(recording),
        parent_call_id=notes.forked_from,
        fork_turn=fork_turn,
        turn_clock="generated" if any(turn.start_s is not None for turn in turns) else "none",
        scenario=Scenario(scenario_id=recording.scenario) if recording.scenario else None,
        tags={"customer": recording.customer} if recording.customer else None,
        turns=turns,
        tool_calls=[
            ToolCall(name=tool.tool, turn_ix=ix, arguments=tool.arguments, result=tool.result, error=tool.error)
            for ix, turn in enumerate(recording.turns)
            for tool in turn.tool_calls
        ],
        stage_timings=[
            StageTiming(stage="model", value_ms=turn.model_ms, measured_at="server", turn_ix=ix)
            for ix, turn in enumerate(recording.turns)
            if turn.model_ms is not None
        ],
        state=None
        if recording.bookings is None
        else [StateRow(snapshot="after", resource="bookings", record=row) for row in recording.bookings],
        spans=_turn_audio(recording.turns) or None,
    )


def _turn(turn: _Turn, ix: int, *, zero: datetime | None, fork_turn: int | None) -> Turn:
    text = turn.text.rstrip()
    if turn.speaker == "agent":
        text = text.removesuffix(END_MARKER)
    text = text.strip()
    return Turn(
        role="agent" if turn.speaker == "agent" else "caller",
        text=text,
        heard=turn.heard,
        truth=text if turn.speaker == "customer" and turn.heard is not None else None,
        start_s=_since(zero, turn.started_at),
        end_s=_since(zero, turn.ended_at),
        served_from=None if fork_turn is None else ("recording" if ix < fork_turn else "live"),
    )


def _since(zero: datetime | None, moment: datetime | None) -> float | None:
    at = utc(moment)
    return None if zero is None or at is None else (at - zero).total_seconds()


def _origin(recording: _Recording) -> Origin:
    if recording.notes.forked_from:
        return "forked"
    simulated = (recording.customer or "").startswith(("script:", "pinned:"))
    return "simulated" if simulated else "unknown"


def _ended_by(turns: list[_Turn]) -> str | None:
    last = turns[-1] if turns else None
    said_goodbye = last is not None and last.speaker == "agent" and last.text.rstrip().endswith(END_MARKER)
    return "agent" if said_goodbye else None


def _cost(recording: _Recording) -> float | None:
    """Return what the call cost; a sum of zero is the format's default, so it is not a price."""
    live = recording.notes.live_cost_usd
    cost = sum(turn.cost_usd for turn in recording.turns) if live is None else live
    return cost or None


def _turn_audio(turns: list[_Turn]) -> list[Span]:
    """Return one span a turn file: the files have no place on the call's clock, so they are no recording."""
    return [
        Span(
            type="turn_audio",
            name=turn.speaker,
            attributes={
                "turn_ix": ix,
                "path": turn.audio,
                "duration_s": None if turn.audio_ms is None else turn.audio_ms / 1000,
            },
        )
        for ix, turn in enumerate(turns)
        if turn.audio
    ]
