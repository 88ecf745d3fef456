"""The native format: calls as the JSON of :class:`~workbench.schema.call.Call`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec

from workbench.errors import ImportFailed
from workbench.ingest.audio_names import SIDECAR_KEYS
from workbench.ingest.intake import digest
from workbench.ingest.intake.aliases import plain
from workbench.ingest.intake.jsonl import records
from workbench.ingest.intake.peek import JSON_SUFFIXES, first_object
from workbench.ingest.intake.references import resolve
from workbench.ingest.intake.refusing import Scope, shown
from workbench.ingest.intake.rescale import rescale
from workbench.ingest.intake.roles import role_of
from workbench.ingest.native_fields import hint_for, unknown_fields, worded
from workbench.ingest.protocol import Options
from workbench.schema import call as schema
from workbench.schema.call import Call, Refusal

FORMAT = "workbench"
ABOUT = "The native format: one call as JSON, an array of calls, or one call a line (docs/native-format.md)."
CLAIMS: Literal["file", "folder"] = "file"


def sniff(path: Path, head: bytes) -> bool:
    """Return whether the first object says `workbench.call`, or has a native call's turns or audio."""
    first = first_object(head) if path.suffix.lower() in JSON_SUFFIXES else None
    if first is None or first.keys() & SIDECAR_KEYS:
        return False
    if "format" in first:
        return isinstance(first["format"], str) and first["format"].startswith("workbench.call/")
    if not isinstance(first.get("id"), str):
        return False
    audio, turns = first.get("audio"), first.get("turns")
    if isinstance(audio, list) and audio and isinstance(audio[0], dict):
        return {"path", "channels"} <= audio[0].keys()
    turn = turns[0] if isinstance(turns, list) and turns else None
    return isinstance(turn, dict) and role_of(str(turn.get("role"))) is not None and "start_s" in turn


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield the calls of a native file, with a refusal for each call, row and unknown field."""
    for record in records(path):
        if isinstance(record, Refusal):
            yield record
            continue
        yield from to_call(record.value, path=path, location=record.location, raw=record.raw, options=options)


def to_call(value: Any, *, path: Path, location: str, raw: bytes, options: Options) -> Iterator[Call | Refusal]:
    """Yield the call a JSON value is, after the refusals it gives rise to.

    Parameters
    ----------
    value : object
        Decoded JSON, in the field names of the native format or in those of :mod:`workbench.ingest.intake.aliases`.
    path : Path
        File it came from; audio is looked for relative to its folder.
    location : str
        Where in the file.
    raw : bytes
        Its bytes, for the digest.
    options : Options
        Only `time_unit` and `id_prefix` are used here.

    Yields
    ------
    Call or Refusal
        One refusal of scope ``call`` and nothing else when a type does not fit.
    """
    call_id = value.get("id") if isinstance(value, dict) else None
    call_id = options.id_prefix + call_id if isinstance(call_id, str) and call_id.strip() else None

    def refuse(rule: str, message: str, *, hint: str, where: str = "", scope: Scope = "call") -> Refusal:
        place = f"{location}, {where}" if where else location
        return Refusal(
            source_uri=str(path),
            location=place,
            rule=rule,
            message=message,
            hint=hint,
            scope=scope,
            call_id=call_id,
        )

    if not isinstance(value, dict):
        hint = "a call is a JSON object; see docs/native-format.md"
        yield refuse("wrong_type", f"a call cannot be a {type(value).__name__}", hint=hint)
        return
    if value.get("format", schema.FORMAT) != schema.FORMAT:
        hint = f"this version reads {schema.FORMAT}; a newer workbench may read it"
        yield refuse("unknown_version", f"format is {shown(value['format'])}", hint=hint, where="format")
        return
    named = plain(value)
    try:
        call = _convert(named)
    except msgspec.ValidationError as error:
        yield refuse("wrong_type", str(error), hint="write it as docs/native-format.md says")
        return
    unknown = unknown_fields(named)
    if unknown:
        yield refuse("unknown_field", worded(unknown), hint=hint_for(unknown), scope="note")
    if "turn_clock" not in named and any(turn.start_s is not None for turn in call.turns or ()):
        call.turn_clock = "reported"
    call.source_uri = str(path)
    call.source_sha256 = digest.of_bytes(raw)
    if options.time_unit is not None:
        rescale(call, options.time_unit)
    if call.audio:
        kept = []
        for ix, audio in enumerate(call.audio):
            where = f"audio[{ix}]"
            try:
                found = resolve(path.parent, audio.path)
            except ImportFailed as error:
                yield refuse(error.rule, error.what, hint=error.hint or "", where=where, scope="row")
                continue
            if found is None:
                hint = f"paths are relative to {path.name}; put the file there or mend the path"
                message = f"there is no file {shown(audio.path)}"
                yield refuse("audio_missing", message, hint=hint, where=where, scope="row")
            else:
                audio.path = str(found)
                kept.append(audio)
        call.audio = kept
    yield call


def dump(call: Call) -> bytes:
    """Return a call as native JSON: indented by two, keys in the order of the format, a line feed at the end.

    Fields that were never supplied are left out. A call read back is equal to the one written, but for
    `source_uri` and `source_sha256`, which then name the new file.
    """
    value = {"format": call.format, "id": call.id, "turn_clock": call.turn_clock, **msgspec.to_builtins(call)}
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of one call in the native format."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": schema.FORMAT,
        **msgspec.json.schema(Call),
    }


def _convert(value: dict[str, Any]) -> Call:
    """Convert to a call. Turns of unknown speakers come with it, to be refused as rows by their names."""
    strangers: dict[int, str] = {}
    turns = value.get("turns")
    if isinstance(turns, list):
        checked = list(turns)
        for ix, turn in enumerate(turns):
            role = turn.get("role") if isinstance(turn, dict) else None
            if isinstance(role, str) and role not in ("caller", "agent"):
                strangers[ix] = role
                checked[ix] = {**turn, "role": "caller"}
        value = {**value, "turns": checked}
    call = msgspec.convert(value, Call)
    for ix, role in strangers.items():
        if call.turns is not None:
            call.turns[ix].role = role  # type: ignore[assignment]
    return call
