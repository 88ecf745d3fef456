"""The audit log of an EVA record: tool calls with their answers, and how long each model call took.

All times in it are epoch milliseconds, as text.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from workbench.ingest.intake.roles import changes_something
from workbench.ingest.intake.shape import load
from workbench.schema.call import StageTiming, ToolCall, Turn


class Entry(Struct):
    """One row of the log."""

    timestamp: str | float
    message_type: str
    value: Any = None

    @property
    def at_s(self) -> float:
        """Epoch seconds."""
        return float(self.timestamp) / 1000


class ModelCall(Struct):
    """One call of the language model."""

    latency_ms: float | None = None
    status: str | None = None


class Audit(Struct):
    """The log."""

    transcript: list[Entry] = field(default_factory=list)
    llm_prompts: list[ModelCall] = field(default_factory=list)


def audit_of(path: Path) -> Audit:
    """Return the log.

    Raises
    ------
    ImportFailed
        When the file is no audit log.
    """
    return load(path, Audit)


def tools_of(audit: Audit, turns: Sequence[Turn], zero: float) -> list[ToolCall]:
    """Return the tool calls: answered by the next answer of the tool, made for the agent's next turn."""
    calls: list[ToolCall] = []
    for entry in audit.transcript:
        said = _plain(entry.value)
        if not isinstance(said, dict):
            continue
        name = str(said.get("tool", ""))
        at = round(entry.at_s - zero, 6)
        if entry.message_type == "tool_call":
            calls.append(
                ToolCall(
                    name=name,
                    arguments=said.get("parameters"),
                    start_s=at,
                    turn_ix=_next_agent_turn(turns, at),
                    consequential=changes_something(name),
                )
            )
        elif entry.message_type == "tool_response":
            for call in calls:
                if call.name == name and call.end_s is None:
                    call.end_s = at
                    _answer(call, said.get("response"))
                    break
    return calls


def _answer(call: ToolCall, response: Any) -> None:
    failed = isinstance(response, dict) and response.get("status") in ("error", "failure", "failed")
    if failed:
        call.error = str(response.get("message") or response.get("error") or response.get("status"))
    call.result = response


def _next_agent_turn(turns: Sequence[Turn], at: float) -> int | None:
    for ix, turn in enumerate(turns):
        if turn.role == "agent" and turn.start_s is not None and turn.start_s >= at:
            return ix
    return None


def _plain(value: Any) -> Any:
    """Return an entry's value; some versions write it as the text of a Python literal."""
    if isinstance(value, str) and value.startswith("{"):
        try:
            return ast.literal_eval(value)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return value


def model_timings(audit: Audit) -> list[StageTiming]:
    """Return the latency of each model call, in order; which turn it served is not stated."""
    return [
        StageTiming(
            stage="llm",
            value_ms=call.latency_ms,
            measured_at="server",
            reason_missing="the log has no latency" if call.latency_ms is None else None,
        )
        for call in audit.llm_prompts
    ]
