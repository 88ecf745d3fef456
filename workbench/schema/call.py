"""One call in memory, and at the same time the native file format.

Every importer ends in a :class:`Call`. Written as JSON, a `Call` *is* the native format, so its JSON
Schema (`workbench tables --json-schema`) is made from these classes. Times are seconds from the start
of the call. ``None`` means *never supplied*; an empty list means *supplied, and empty*.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

FORMAT = "workbench.call/1"

Role = Literal["caller", "agent"]
ChannelRole = Literal["caller", "agent", "mixed", "unknown"]
Origin = Literal["real", "role_played", "simulated", "forked", "probed", "synthetic", "unknown"]
Boundary = Literal["client_capture", "uploaded", "decoded", "asr_input", "agent_output", "combined"]
TurnClock = Literal["reported", "ticks", "quantised", "generated", "none"]
Seconds = Annotated[float, Meta(description="seconds from the start of the call")]


class Word(Struct, kw_only=True, omit_defaults=True):
    """A word of a turn with its own clock."""

    word: str
    start_s: Seconds | None = None
    end_s: Seconds | None = None
    confidence: float | None = None
    source: str | None = None


class Turn(Struct, kw_only=True, omit_defaults=True):
    """One turn: what was spoken, what the recogniser delivered, what was really said."""

    role: Role
    text: Annotated[str | None, Meta(description="the words as the transcript gives them")] = None
    heard: Annotated[str | None, Meta(description="what the recogniser delivered")] = None
    truth: Annotated[str | None, Meta(description="what was really said, where known")] = None
    start_s: Seconds | None = None
    end_s: Seconds | None = None
    intent: str | None = None
    expected_intent: str | None = None
    entities: Any | None = None
    expected_entities: Any | None = None
    served_from: Literal["recording", "live"] | None = None
    barge_in: bool | None = None
    words: list[Word] | None = None


class ToolCall(Struct, kw_only=True, omit_defaults=True):
    """One tool call. `consequential` marks an action that changes something for the caller."""

    name: str
    turn_ix: int | None = None
    arguments: Any | None = None
    result: Any | None = None
    error: str | None = None
    start_s: Seconds | None = None
    end_s: Seconds | None = None
    consequential: bool | None = None
    authority: str | None = None


class Span(Struct, kw_only=True, omit_defaults=True):
    """A trace span or event. A point event has `time_s` only."""

    type: str
    span_id: str | None = None
    parent_id: str | None = None
    name: str | None = None
    start_s: Seconds | None = None
    end_s: Seconds | None = None
    time_s: Seconds | None = None
    attributes: dict[str, Any] | None = None
    redacted: bool = False


class StageTiming(Struct, kw_only=True, omit_defaults=True):
    """A reported latency of one stage, of a turn or of the whole call (`turn_ix` absent)."""

    stage: str
    value_ms: float | None = None
    measured_at: Literal["client", "server", "audio"] | None = None
    turn_ix: int | None = None
    reason_missing: str | None = None


class StateRow(Struct, kw_only=True, omit_defaults=True):
    """A record of a system of record, before or after the call."""

    snapshot: Literal["before", "after"]
    resource: str
    record: Any


class Label(Struct, kw_only=True, omit_defaults=True):
    """A judgement that came with the call, by a person or whoever `author` names."""

    kind: str
    onset_s: Seconds | None = None
    end_s: Seconds | None = None
    expect: Literal["yield", "hold"] | None = None
    value: Any | None = None
    author: str | None = None
    authority: str | None = None


class Scenario(Struct, kw_only=True, omit_defaults=True):
    """The task a call was made for, and what counts as done."""

    scenario_id: str
    name: str | None = None
    expected_outcome: str | None = None
    required_facts: list[str] | None = None
    forbidden_facts: list[str] | None = None
    document: Any | None = None


class Audio(Struct, kw_only=True, omit_defaults=True):
    """An audio file of the call. `channels[i]` is the role heard on channel i."""

    path: str
    channels: list[ChannelRole]
    channel_map_source: Literal["declared", "sidecar", "format", "option", "name", "unknown"] = "declared"
    boundary: Boundary = "combined"
    offset_s: float = 0.0
    encoding: Annotated[
        str | None, Meta(description="for headerless files: ulaw, alaw or pcm_s16le, with sample_rate_hz")
    ] = None
    sample_rate_hz: int | None = None


class Call(Struct, kw_only=True, omit_defaults=True):
    """A conversation with whatever evidence came with it."""

    id: str
    format: str = FORMAT
    source_format: str | None = None
    source_uri: str | None = None
    source_sha256: str | None = None
    origin: Origin = "unknown"
    started_at: datetime | None = None
    duration_s: float | None = None
    platform: str | None = None
    agent_id: str | None = None
    agent_version: str | None = None
    agent_config_sha256: str | None = None
    language: str | None = None
    ended_by: str | None = None
    completed: bool | None = None
    outcome: str | None = None
    expected_outcome: str | None = None
    cost_usd: float | None = None
    policy: dict[str, Any] | None = None
    tags: dict[str, str] | None = None
    experiment_id: str | None = None
    parent_call_id: str | None = None
    fork_turn: int | None = None
    arm: str | None = None
    trial: int | None = None
    seed: int | None = None
    turn_clock: TurnClock = "none"
    scenario: Scenario | None = None
    turns: list[Turn] | None = None
    tool_calls: list[ToolCall] | None = None
    spans: list[Span] | None = None
    stage_timings: list[StageTiming] | None = None
    state: list[StateRow] | None = None
    labels: list[Label] | None = None
    audio: list[Audio] | None = None


class Refusal(Struct, kw_only=True, frozen=True):
    """An input or row that was not accepted, or was changed on the way in.

    `scope` is ``file`` or ``call`` when nothing of it was kept, ``row`` when the call was kept without
    the row, and ``note`` when the call was kept and only something was stripped or ignored.
    """

    source_uri: str
    location: str
    rule: str
    message: str
    hint: str
    scope: Literal["file", "call", "row", "note"] = "file"
    call_id: str | None = None
