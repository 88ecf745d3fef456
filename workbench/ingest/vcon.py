"""vCon files: a conversation with its parties, dialogs (recordings or texts) and analyses.

Several dialogs of one file are one call: the call starts with the first of them, and each recording is
placed by its own start. A transcript among the analyses gives the turns, without a clock; text dialogs
give turns with one. Of the parties only their roles are kept, never a name, number or address.
Attachments are left out with a note.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct, field

from workbench.errors import ImportFailed
from workbench.ingest import transcript_fields as fields
from workbench.ingest.intake.peek import peek
from workbench.ingest.intake.references import inlined
from workbench.ingest.intake.roles import role_of
from workbench.ingest.intake.shape import load, note, sha256_of_named, utc
from workbench.ingest.intake.units import scale
from workbench.ingest.protocol import Options, TimeUnit
from workbench.ingest.vcon_audio import audio_of
from workbench.plural import plural
from workbench.schema.call import Audio, Call, Refusal, Role, Turn

FORMAT = "vcon"
ABOUT = "vCon conversations (IETF draft), with recordings beside the file."
CLAIMS: Literal["file"] = "file"

GENERATED: Final = "generation_info"
"""Type of the attachment that says a language model wrote the conversation."""


class _Party(Struct):
    name: str | None = None
    role: str | None = None
    meta: dict[str, Any] = field(default_factory=dict)


class Dialog(Struct):
    """A recording or a text of the conversation."""

    type: str
    start: datetime | None = None
    duration: float | None = None
    parties: int | list[int] | None = None
    originator: int | None = None
    url: str | None = None
    filename: str | None = None
    body: Any = None
    meta: dict[str, Any] = field(default_factory=dict)


class _Analysis(Struct):
    type: str
    body: Any = None
    vendor: str | None = None


class _Attachment(Struct):
    type: str | None = None
    purpose: str | None = None


class _Vcon(Struct):
    uuid: str
    parties: list[_Party] = field(default_factory=list)
    dialog: list[Dialog] = field(default_factory=list)
    analysis: list[_Analysis] = field(default_factory=list)
    attachments: list[_Attachment] = field(default_factory=list)


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a file is a vCon: an object with a uuid and dialogs or parties."""
    value = peek(head)
    return isinstance(value, dict) and "uuid" in value and bool({"vcon", "dialog", "parties"} & value.keys())


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield the one call of the file, after notes on what was left out.

    Raises
    ------
    ImportFailed
        When the file is no vCon, or a dialog starts on no date (``impossible_date``).
    """
    vcon = load(path, _Vcon)
    unit = options.time_unit or "s"
    starts = [moment for dialog in vcon.dialog if (moment := utc(dialog.start)) is not None]
    zero = min(starts, default=None)
    kinds = sorted({one.type or one.purpose or "unnamed" for one in vcon.attachments})
    if kinds:
        yield note(
            path,
            "attachments_left_out",
            f"attachments left out: {', '.join(kinds)}",
            hint="keep the file; nothing of them is a turn, a tool call or sound",
        )
    roles = [_role(party) for party in vcon.parties]
    turns, unread = _turns(vcon, roles, zero, unit=unit)
    if unread:
        yield note(
            path,
            "other_speakers",
            f"{plural(unread, 'line')} of unknown speakers or shape left out",
            hint="name the speakers agent and customer, or give the parties a role",
        )
    audio: list[Audio] = []
    for ix, dialog in enumerate(vcon.dialog):
        if dialog.type != "recording":
            continue
        offset_s = _since(zero, dialog.start) or 0.0
        place = f"dialog {ix}"
        try:
            found = audio_of(path, filename=dialog.filename, uuid=vcon.uuid, options=options, offset_s=offset_s)
        except ImportFailed as error:
            yield note(path, error.rule, error.what, hint=error.hint or "", location=place)
            continue
        if found is None:
            yield note(
                path,
                "audio_missing",
                "the recording is not beside the file",
                hint="put it there under the dialog's filename to measure it",
                location=place,
            )
        else:
            audio.append(found)
    files = {path.name: path, **{Path(one.path).name: Path(one.path) for one in audio}}
    yield Call(
        id=vcon.uuid,
        source_sha256=sha256_of_named(files),
        origin="synthetic" if GENERATED in kinds else "unknown",
        started_at=zero,
        duration_s=_duration(vcon.dialog, zero, unit),
        turn_clock="reported" if any(turn.start_s is not None for turn in turns or ()) else "none",
        tags=_tags(vcon, roles) or None,
        turns=turns,
        audio=audio or None,
    )


def _role(party: _Party) -> Role | None:
    stated = party.role or party.meta.get("role")
    return role_of(stated) if isinstance(stated, str) else None


def _tags(vcon: _Vcon, roles: Sequence[Role | None]) -> dict[str, str]:
    """Return the parties' roles, and address, direction and disposition of the dialogs."""
    tags = {"parties": ", ".join(role or "unknown" for role in roles)} if roles else {}
    for ix, dialog in enumerate(vcon.dialog):
        suffix = "" if ix == 0 else f"_{ix}"
        url = None if inlined(dialog.url or "") else dialog.url
        said = {"url": url, **{key: dialog.meta.get(key) for key in ("direction", "disposition")}}
        tags.update({f"dialog_{key}{suffix}": value for key, value in said.items() if isinstance(value, str)})
    return tags


def _turns(
    vcon: _Vcon, roles: Sequence[Role | None], zero: datetime | None, *, unit: TimeUnit
) -> tuple[list[Turn] | None, int]:
    """Return the turns (None when the file has no words) and how many lines were no turn."""
    turns: list[Turn] = []
    unread = 0
    texts = [dialog for dialog in vcon.dialog if dialog.type == "text"]
    for dialog in texts:
        role = _speaker(dialog, roles)
        if role is None or not isinstance(dialog.body, str):
            unread += 1
            continue
        start = _since(zero, dialog.start)
        end = None if start is None or dialog.duration is None else start + scale(dialog.duration, unit)
        turns.append(Turn(role=role, text=dialog.body.strip(), start_s=start, end_s=end))
    transcripts = [one for one in vcon.analysis if one.type == "transcript"]
    for analysis in transcripts:
        body = fields.as_json(analysis.body)
        if not isinstance(body, list):
            unread += 1
            continue
        for row in body:
            line = row if isinstance(row, dict) else {}
            speaker = fields.first(line, fields.SPEAKER)
            text = fields.words_of(line)
            role = _named(speaker, vcon.parties, roles) if isinstance(speaker, str) else None
            if role is None or text is None:
                unread += 1
            else:
                turns.append(Turn(role=role, text=text))
    return (turns if texts or transcripts else None), unread


def _speaker(dialog: Dialog, roles: Sequence[Role | None]) -> Role | None:
    """Return who wrote a text dialog: its originator, else the first of its parties."""
    parties = dialog.parties if isinstance(dialog.parties, list) else [dialog.parties]
    party = dialog.originator if dialog.originator is not None else (parties[0] if parties else None)
    return roles[party] if party is not None and 0 <= party < len(roles) else None


def _named(speaker: str, parties: Sequence[_Party], roles: Sequence[Role | None]) -> Role | None:
    role = role_of(speaker)
    if role is None:
        role = next((roles[ix] for ix, party in enumerate(parties) if party.name == speaker), None)
    return role


def _since(zero: datetime | None, moment: datetime | None) -> float | None:
    at = utc(moment)
    return None if zero is None or at is None else (at - zero).total_seconds()


def _duration(dialogs: Sequence[Dialog], zero: datetime | None, unit: TimeUnit) -> float | None:
    """Return the end of the last dialog, from the start of the first."""
    ends = [
        (_since(zero, dialog.start) or 0.0) + scale(dialog.duration, unit)
        for dialog in dialogs
        if dialog.duration is not None
    ]
    return max(ends, default=None)
