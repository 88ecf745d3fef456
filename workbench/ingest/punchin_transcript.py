"""A transcript alone: a JSON array or object, JSON Lines, or `Agent:` / `Kunde:` / `Customer:` text lines.

What came of the call may be stated beside it, in the options or in ``<stem>.outcome.json``: `outcome`,
`expected_outcome`, `ended_by`, `language`, `agent_id`, `scenario_id` (text), `completed` (true or false),
`booked` (the record that was made, or a list of them: state after the call) and `expected` (what should have
been made). Every other key becomes a tag. The file's name gives the call its id, and audio of the same name
beside it is its recording.

Rows with a start *and* an end (``role, text, start, end``) belong to the format `hotato_trace`, so this one
leaves them alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

from workbench.errors import ImportFailed
from workbench.ingest import transcript_fields as fields
from workbench.ingest.intake import jsonl
from workbench.ingest.intake.peek import first_object, peek
from workbench.ingest.intake.roles import role_of
from workbench.ingest.intake.shape import load_json, note, read_bytes
from workbench.ingest.outcome_beside import beside
from workbench.ingest.protocol import Options
from workbench.ingest.recording_beside import recording_beside
from workbench.plural import plural
from workbench.schema.call import Call, Refusal, ToolCall, Turn

FORMAT = "transcript"
ABOUT = "Transcripts alone: JSON array or object, JSON Lines, or `Agent:` / `Customer:` lines of text."
CLAIMS: Literal["file"] = "file"

TEXT_SUFFIXES: Final = frozenset({".txt", ".text"})
JSON_SUFFIXES: Final = frozenset({".json", ".jsonl", ".ndjson"})
OTHER_FORMATS: Final = frozenset(
    {"format", "policy", "completed", "truth", "start_s", "end_s", "actions"}  # native, punchin, voiceeval
    | {
        "end",
        "end_sec",
        "asr_transcript",
        "traj",
        "ticks",
        "vcon",
        "dialog",
        "schema",
        "_meta",
        "human_transcript",
    }
)
NOT_A_PARTY: Final = frozenset({"developer", "function", "ivr", "narrator", "operator", "supervisor", "system", "tool"})

_LINE = re.compile(r"\s*([^\W\d_][^\W\d_ ]*(?: [^\W\d_]+)*)\s*[:>]\s*(.*)")


class _Row(Struct):
    """One row: where it lies, who speaks, and its fields under the names it came with."""

    location: str
    speaker: str
    fields: dict[str, Any]


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a file is a transcript of a known shape with at least one known speaker."""
    suffix = path.suffix.lower()
    if path.name.lower().endswith(".outcome.json"):
        return False
    if suffix in TEXT_SUFFIXES:
        lines = head.decode("utf-8-sig", errors="ignore").splitlines()
        return any((row := _LINE.fullmatch(line)) and role_of(row.group(1)) for line in lines)
    if suffix not in JSON_SUFFIXES:
        return False
    value = peek(head)
    items = [item for key in fields.TURNS for item in _objects(value, key)]
    if isinstance(value, list) or not items:
        items = [first_object(head) or {}]
    outer = value.keys() if isinstance(value, dict) else set()
    if OTHER_FORMATS & (outer | items[0].keys()):
        return False
    return any(role_of(str(fields.first(item, fields.SPEAKER))) for item in items) and any(
        fields.words_of(item) for item in items
    )


def _objects(value: Any, key: str) -> list[dict[str, Any]]:
    items = value.get(key) if isinstance(value, dict) else None
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield the one call of the file, and a note or refusal for each row that is not a turn of it.

    Raises
    ------
    ImportFailed
        When the file is empty, of none of the three shapes, or names no known speaker (``no_known_speaker``,
        with the names that were seen).
    """
    outer: dict[str, Any] = {}
    rows: list[_Row] = []
    for item in _rows(path):
        if isinstance(item, Refusal):
            yield item
        elif isinstance(item, dict):
            outer = item
        else:
            rows.append(item)
    known = [row for row in rows if role_of(row.speaker)]
    others = sorted({row.speaker or "(no name)" for row in rows if not role_of(row.speaker)})
    if not known:
        seen = ", ".join(others) if others else "no lines with a speaker"
        raise ImportFailed(
            f"no speaker is known; seen: {seen}",
            where=str(path),
            hint="name the sides agent and customer (or assistant and user)",
            rule="no_known_speaker",
        )
    if others:
        yield note(
            path,
            "other_speakers",
            f"{plural(len(rows) - len(known), 'row')} of other speakers left out: {', '.join(others)}",
            hint="name them agent or customer to keep them",
        )
    clocks = [fields.clock_of(row.fields, unit=options.time_unit) for row in known]
    timed = [clock for clock in clocks if clock]
    if len({clock.calendar for clock in timed}) > 1:
        raise ImportFailed(
            "some times are dates and some count from the start of the call",
            where=str(path),
            hint="write all times one way",
            rule="mixed_clocks",
        )
    units = sorted({clock.unit for clock in timed if clock.calendar} - {"s"})
    if units and options.time_unit is None:
        yield note(
            path,
            "time_unit_inferred",
            f"times are dates counted in {', '.join(units)}, by their size",
            hint=f"--time-unit {units[0]} says so",
        )
    zero = min((clock.seconds for clock in timed if clock.calendar), default=0.0)
    turns: list[Turn] = []
    tools: list[ToolCall] = []
    for row, clock in zip(known, clocks, strict=True):
        turns.append(_turn(row, None if clock is None else clock.seconds - zero))
        tools.extend(fields.tools_of(row.fields, turn_ix=len(turns) - 1))
    recording = recording_beside(path, options)
    if recording:
        yield from recording.notes
        if any(clock.calendar for clock in timed):
            yield note(
                path,
                "audio_offset_assumed",
                "the recording is taken to start with the first turn; times of the day do not say",
                hint="write times as seconds from the start of the recording",
            )
    call_id = fields.first(outer, ("id", "call_id"))
    call = Call(
        id=call_id if isinstance(call_id, str) else path.stem,
        started_at=fields.moment_of(min(timed, key=lambda clock: clock.seconds)) if timed else None,
        turn_clock="reported" if timed else "none",
        duration_s=recording.duration_s if recording else None,
        audio=recording.audio if recording else None,
        turns=turns,
        tool_calls=tools if any(fields.first(row.fields, fields.TOOLS) for row in known) else None,
    )
    yield beside(call, path)


def _turn(row: _Row, start_s: float | None) -> Turn:
    role = role_of(row.speaker) or "caller"
    text = fields.words_of(row.fields)
    heard = fields.first(row.fields, fields.HEARD)
    heard = heard if isinstance(heard, str) else None
    return Turn(
        role=role,
        text=text,
        heard=heard,
        truth=text if heard is not None and role == "caller" else None,
        start_s=start_s,
    )


def _rows(path: Path) -> Iterator[_Row | dict[str, Any] | Refusal]:
    """Yield rows, and the object they lie in where there is one."""
    raw = read_bytes(path)
    text = raw.decode("utf-8-sig", errors="replace").strip()
    if not text:
        raise ImportFailed("the file is empty", where=str(path), hint="export it again", rule="empty_file")
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.lstrip().startswith("{") for line in lines):
        for record in jsonl.records(path):
            yield _lenient(record) if isinstance(record, Refusal) else _row(record.value, record.location)
    elif text[0] in "[{":
        yield from _json_rows(path)
    else:
        if "\ufffd" in text:
            raise ImportFailed("the text is not UTF-8", where=str(path), hint="save it as UTF-8", rule="invalid_text")
        yield from _text_rows(text)


def _lenient(refused: Refusal) -> Refusal:
    return Refusal(
        source_uri=refused.source_uri,
        location=refused.location,
        rule=refused.rule,
        message=refused.message,
        hint=refused.hint,
        scope="row",
    )


def _json_rows(path: Path) -> Iterator[_Row | dict[str, Any]]:
    value = load_json(path)
    rows = value
    if isinstance(value, dict):
        yield value
        rows = next((value[key] for key in fields.TURNS if isinstance(value.get(key), list)), None)
    if not isinstance(rows, list):
        raise ImportFailed(
            f"no list of turns under {', '.join(fields.TURNS)}",
            where=str(path),
            hint="put the turns into a list under `turns`",
            rule="wrong_shape",
        )
    for number, row in enumerate(rows, start=1):
        yield _row(row, f"item {number}")


def _row(value: Any, location: str) -> _Row:
    row = value if isinstance(value, dict) else {}
    speaker = fields.first(row, fields.SPEAKER)
    return _Row(location, speaker if isinstance(speaker, str) else "", row)


def _text_rows(text: str) -> Iterator[_Row]:
    """Yield one row a speaker line; a line that names no speaker goes on with the row before."""
    current: _Row | None = None
    for number, line in enumerate(text.splitlines(), start=1):
        found = _LINE.fullmatch(line)
        name = found.group(1) if found and 2 <= len(found.group(1)) <= 20 else ""
        if found and (role_of(name) or name.lower() in NOT_A_PARTY or (name and current is None)):
            if current:
                yield current
            current = _Row(f"line {number}", name, {"text": found.group(2).strip()})
        elif line.strip() and current:
            current.fields["text"] = f"{current.fields['text']} {line.strip()}".strip()
    if current:
        yield current
