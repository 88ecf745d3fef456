"""Rows of hotato's transcript and voice trace, as turns, spans and tool calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from workbench.errors import ImportFailed
from workbench.ingest.intake.roles import role_of
from workbench.ingest.intake.shape import convert, load_json, note, refusal, rows
from workbench.ingest.intake.units import scale
from workbench.ingest.protocol import TimeUnit
from workbench.schema.call import Refusal, Span, StageTiming, ToolCall, Turn

TRACE_SCHEMA: Final = "hotato.voice_trace.v1"
ROW_KEYS: Final = frozenset({"role", "text", "start", "end"})
_OWN: Final = frozenset({"type", "name", "span_id", "parent_id", "parent_span_id", "start_sec", "end_sec", "time_sec"})


class _Line(Struct):
    role: str
    text: str
    start: float | None = None
    end: float | None = None


class Meta(Struct):
    """The line of a voice trace that describes it."""

    call_id: str | None = None
    created_at: str | None = None
    deployment: dict[str, Any] = {}
    source: dict[str, Any] = {}


class Trace(Struct):
    """A voice trace that was read. `refused` are its rows that were not."""

    meta: Meta
    spans: list[Span]
    refused: list[Refusal]


def turns_of(path: Path, unit: TimeUnit) -> Iterator[Turn | Refusal]:
    """Yield the turns of a transcript, and one note naming speakers that are neither side.

    Raises
    ------
    ImportFailed
        When the file is not a list of role, text, start and end, or no speaker is known.
    """
    lines = convert(load_json(path), list[_Line], where=str(path))
    others = sorted({line.role for line in lines if role_of(line.role) is None})
    if others and all(role_of(line.role) is None for line in lines):
        raise ImportFailed(
            f"no speaker is known; seen: {', '.join(others)}",
            where=str(path),
            hint="name the sides caller and agent",
            rule="no_known_speaker",
        )
    if others:
        yield note(
            path,
            "other_speakers",
            f"rows of other speakers left out: {', '.join(others)}",
            hint="name them caller or agent to keep them",
        )
    for line in lines:
        role = role_of(line.role)
        if role is not None:
            yield Turn(
                role=role,
                text=line.text,
                start_s=None if line.start is None else scale(line.start, unit),
                end_s=None if line.end is None else scale(line.end, unit),
            )


def trace_of(path: Path, unit: TimeUnit) -> Trace:
    """Return a voice trace.

    Raises
    ------
    ImportFailed
        With the rule ``no_spans`` when no line is a span.
    """
    trace = Trace(Meta(), [], [])
    for item in rows(path, dict[str, Any]):
        if isinstance(item, Refusal):
            trace.refused.append(item)
            continue
        location, row = item
        try:
            if "type" in row:
                trace.spans.append(_span(row, unit, where=f"{path}, {location}"))
            else:
                trace.meta = convert(row, Meta, where=f"{path}, {location}")
        except ImportFailed as error:
            trace.refused.append(refusal(path, error, location=location, scope="row"))
    if not trace.spans:
        raise ImportFailed(
            "no line is a span", where=str(path), hint="each span needs `type` and a time", rule="no_spans"
        )
    return trace


def _span(row: dict[str, Any], unit: TimeUnit, *, where: str) -> Span:
    times: dict[str, float | None] = {}
    for name in ("start", "end", "time"):
        value = row.get(f"{name}_sec")
        if value is not None and (isinstance(value, bool) or not isinstance(value, int | float)):
            raise ImportFailed(
                f"{name}_sec is {value!r}",
                where=where,
                hint="times are numbers of seconds",
                rule="wrong_shape",
            )
        times[f"{name}_s"] = None if value is None else scale(value, unit)
    if times["time_s"] is not None and (times["start_s"] is not None or times["end_s"] is not None):
        raise ImportFailed(
            "the span has `time_sec` and `start_sec` or `end_sec`",
            where=where,
            hint="an interval has start and end, a point has time; never both",
            rule="two_time_shapes",
        )
    return Span(
        type=str(row["type"]),
        name=_text(row.get("name")),
        span_id=_text(row.get("span_id")),
        parent_id=_text(row.get("parent_span_id", row.get("parent_id"))),
        attributes={key: value for key, value in row.items() if key not in _OWN} or None,
        redacted=row.get("text_redacted") is True,
        **times,
    )


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def tools_of(spans: Iterable[Span], turns: Sequence[Turn]) -> tuple[list[ToolCall], list[StageTiming]]:
    """Return the tool calls among some spans, and the latency that each reports in milliseconds.

    A tool call belongs to the agent's turn that began last before it.
    """
    calls: list[ToolCall] = []
    timings: list[StageTiming] = []
    for span in spans:
        if span.type != "tool_call":
            continue
        said = span.attributes or {}
        at = span.start_s if span.start_s is not None else span.time_s
        error = said.get("error")
        turn_ix = _turn_at(turns, at)
        calls.append(
            ToolCall(
                name=span.name or "(no name)",
                turn_ix=turn_ix,
                arguments=said.get("arguments"),
                result=said.get("result"),
                error=None if error is None else str(error),
                start_s=at,
                end_s=span.end_s,
            )
        )
        latency = said.get("latency_ms")
        if isinstance(latency, int | float) and not isinstance(latency, bool):
            timings.append(StageTiming(stage="tool_call", value_ms=float(latency), turn_ix=turn_ix))
    return calls, timings


def _turn_at(turns: Sequence[Turn], at: float | None) -> int | None:
    if at is None:
        return None
    begun = [
        ix for ix, turn in enumerate(turns) if turn.role == "agent" and turn.start_s is not None and turn.start_s <= at
    ]
    return begun[-1] if begun else None
