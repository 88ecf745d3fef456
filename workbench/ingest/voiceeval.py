"""voiceeval JSON: a call of timed turns a file, with what the caller really said where it is known."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, Literal

from workbench.errors import ImportFailed
from workbench.ingest.intake.jsonl import Record, records
from workbench.ingest.intake.peek import JSON_SUFFIXES, first_object
from workbench.ingest.intake.roles import role_of
from workbench.ingest.native import to_call
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

FORMAT = "voiceeval"
ABOUT = "voiceeval call JSON: turns with speaker, text, truth, start_s, end_s and actions; times in seconds."
CLAIMS: Literal["file", "folder"] = "file"

CALL_KEYS: Final = frozenset({"id", "policy", "completed", "turns"})
TURN_KEYS: Final = frozenset({"speaker", "text", "truth", "start_s", "end_s", "actions"})
UNNAMED: Final = "unnamed"


def sniff(path: Path, head: bytes) -> bool:
    """Return whether the first object has voiceeval's fields and no others, or is a suite file."""
    first = first_object(head) if path.suffix.lower() in JSON_SUFFIXES else None
    if first is None:
        return False
    if _is_suite(first):
        return True
    turns = first.get("turns")
    turn = turns[0] if isinstance(turns, list) and turns else None
    if not isinstance(turn, dict) or not first.keys() <= CALL_KEYS:
        return False
    return {"speaker", "text", "start_s"} <= turn.keys() <= TURN_KEYS


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield the calls of a voiceeval file.

    On the caller's turns `text` is what the recogniser delivered, so it becomes both `text` and `heard`.

    Raises
    ------
    ImportFailed
        For a suite file (`suite_file`), which holds findings and no calls.
    """
    for record in records(path):
        if isinstance(record, Refusal):
            yield record
            continue
        if isinstance(record.value, dict) and _is_suite(record.value):
            raise ImportFailed(
                "a suite file: findings of calls, without the calls",
                where=str(path),
                hint="import the calls it was made from; `workbench assert` finds the same and more in them",
                rule="suite_file",
            )
        yield from _call(record, path, options)


def _call(record: Record, path: Path, options: Options) -> Iterator[Call | Refusal]:
    value = record.value
    if isinstance(value, dict):
        value = {**value, "turns": _turns(value.get("turns"))}
        value.setdefault("id", UNNAMED)
    for found in to_call(value, path=path, location=record.location, raw=record.raw, options=options):
        if isinstance(found, Call):
            found.source_format = FORMAT
            found.tool_calls = found.tool_calls or []  # the format lists every action; none listed is none taken
            for action in found.tool_calls:
                action.consequential = bool(action.consequential)
        yield found


def _turns(turns: Any) -> Any:
    if not isinstance(turns, list):
        return turns
    return [_turn(turn) if isinstance(turn, dict) else turn for turn in turns]


def _turn(turn: dict[str, Any]) -> dict[str, Any]:
    speaker = turn.get("speaker")
    caller = isinstance(speaker, str) and role_of(speaker) == "caller"
    return {**turn, "heard": turn.get("text")} if caller else turn


def _is_suite(value: dict[str, Any]) -> bool:
    scores = value.get("scores")
    if not isinstance(scores, list) or "label" not in value:
        return False
    return not scores or (isinstance(scores[0], dict) and "interaction_id" in scores[0])
