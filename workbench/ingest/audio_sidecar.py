"""The sidecar of an audio file: JSON of the same stem that says what the sound cannot."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, cast

import msgspec

from workbench.errors import ImportFailed
from workbench.ingest.audio_names import (
    HEADERLESS,
    SIDECAR_KEYS,
    call_stem,
    has_audio,
    has_pair,
    is_audio_name,
    partner,
)
from workbench.ingest.intake.peek import first_object
from workbench.ingest.intake.references import resolve
from workbench.ingest.intake.refusing import shown
from workbench.ingest.intake.roles import role_of
from workbench.ingest.native import to_call
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, ChannelRole, Refusal
from workbench.strict_json import decode

AUDIO_KEYS = frozenset({*SIDECAR_KEYS, "sample_rate_hz"})
OF_ONE = '{"channels": ["caller", "agent"], "offset_s": 0.0, "id": "call-17"}'
OF_PAIR = '{"offset_s": {"caller": 0.0, "agent": 1.9}, "id": "call-17"}'
"""What a sidecar looks like, of one file and of two."""


class Sidecar(msgspec.Struct, kw_only=True):
    """What a sidecar says. `offsets` has the roles of a pair, and the key '' for one offset of all there is."""

    path: Path | None = None
    channels: tuple[ChannelRole, ...] | None = None
    offsets: dict[str, float] = {}
    encoding: str | None = None
    sample_rate_hz: int | None = None
    call: Call | None = None
    refusals: list[Refusal] = []

    def offset_of(self, role: str) -> float:
        """Return when a party's file begins, in seconds on the clock of the call."""
        return self.offsets.get(role, self.offsets.get("", 0.0))


def require_header(audio: Path, sidecar: Sidecar, *, for_import: bool = True) -> None:
    """Refuse an audio file of which nothing says how to decode it.

    Parameters
    ----------
    audio : Path
        The file; its ending tells whether it has a header.
    sidecar : Sidecar
        What lies beside it.
    for_import : bool
        Whether it is read to become a call of an archive, where two files of one stem would be one call.

    Raises
    ------
    ImportFailed
        With the rule ``headerless``.
    """
    if audio.suffix.lower() in HEADERLESS and not (sidecar.encoding and sidecar.sample_rate_hz):
        raise ImportFailed(
            "the file has no header, so nothing says how to decode it",
            where=str(audio),
            hint=f'write {{"encoding": "ulaw", "sample_rate_hz": 8000}} to {call_stem(audio)}.json beside it'
            + _twin(audio, for_import=for_import),
            rule="headerless",
        )


def _twin(audio: Path, *, for_import: bool) -> str:
    """What to do besides where another sound file has the same stem: imported, both would be calls of one id."""
    stem = call_stem(audio)
    named = sorted(
        other.name
        for other in audio.parent.iterdir()
        if other.name != audio.name and is_audio_name(other.name) and call_stem(other) == stem
    )
    if not named:
        return ""
    if not for_import:
        return f", or leave it out: {named[0]}, which lies beside it, can be read as it is"
    return f"; {named[0]} would be a call of the same id: import one of the two apart with --id-prefix"


def is_sidecar(path: Path, head: bytes) -> bool:
    """Return whether a JSON file belongs to an audio file of the same stem and says something about it."""
    first = first_object(head)
    if first is None or "audio" in first or not first.keys() & SIDECAR_KEYS:
        return False
    return has_audio(path.parent, path.stem)


def load_sidecar(audio: Path, options: Options) -> Sidecar:
    """Return what the sidecar of an audio file says; an empty one when there is none.

    Parameters
    ----------
    audio : Path
        Its sidecar is the file ``<stem>.json`` beside it, where it has one of the keys `channels`,
        `encoding` and `offset_s`; other JSON of that name is not its sidecar.
    options : Options
        As for the native format.

    Raises
    ------
    ImportFailed
        With the rule ``sidecar_invalid`` or the rules of :func:`~workbench.strict_json.decode`.
    """
    try:
        path = resolve(audio.parent, f"{call_stem(audio)}.json")
    except ImportFailed:  # longer than a name can be, so there is no such file
        path = None
    if path is None:
        return Sidecar()
    raw = path.read_bytes()
    value = decode(raw, where=str(path))
    if not isinstance(value, dict) or "audio" in value or not value.keys() & SIDECAR_KEYS:
        return Sidecar()
    sidecar = Sidecar(
        path=path,
        channels=_channels(value.get("channels"), path),
        offsets=_offsets(value.get("offset_s"), path, pair=partner(audio) is not None),
        encoding=_typed(value.get("encoding"), str, name="encoding", path=path),
        sample_rate_hz=_typed(value.get("sample_rate_hz"), int, name="sample_rate_hz", path=path),
        refusals=[],
    )
    rest = {"id": call_stem(audio)} | {key: inner for key, inner in value.items() if key not in AUDIO_KEYS}
    for found in to_call(rest, path=path, location="document", raw=raw, options=options):
        if isinstance(found, Call):
            sidecar.call = found
        elif found.scope == "call":
            raise _invalid(found.message, path)
        else:
            sidecar.refusals.append(found)
    return sidecar


def _channels(value: Any, path: Path) -> tuple[ChannelRole, ...] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not value:
        raise _invalid(f"channels is {shown(value)}, not a list of roles", path)
    roles: list[ChannelRole] = []
    for name in value:
        role = role_of(name) if isinstance(name, str) else None
        if role is None and name not in ("mixed", "unknown"):
            raise _invalid(f"the channel role {name!r} is none of caller, agent, mixed, unknown", path)
        roles.append(role or cast("ChannelRole", name))
    return tuple(roles)


def _offsets(value: Any, path: Path, *, pair: bool) -> dict[str, float]:
    if value is None:
        return {}
    if isinstance(value, dict) and value and not pair:
        raise _invalid(f"offset_s names {', '.join(map(repr, value))}, and there is one file", path)
    found = value if isinstance(value, dict) else {"": value}
    offsets = {}
    for name, offset in found.items():
        if isinstance(offset, bool) or not isinstance(offset, (int, float)) or not math.isfinite(offset):
            raise _invalid(f"offset_s is {shown(offset)}, not a number of seconds", path)
        if name not in ("", "caller", "agent"):
            raise _invalid(f"offset_s names {name!r}, neither caller nor agent", path)
        offsets[name] = float(offset)
    return offsets


def _typed(value: Any, kind: type[Any], *, name: str, path: Path) -> Any:
    if value is None or (isinstance(value, kind) and not isinstance(value, bool)):
        return value
    raise _invalid(f"{name} is {shown(value)}, not {kind.__name__}", path)


def _invalid(what: str, path: Path) -> ImportFailed:
    hint = (
        f"a sidecar of two files reads {OF_PAIR}" if has_pair(path.parent, path.stem) else f"a sidecar reads {OF_ONE}"
    )
    return ImportFailed(what, where=str(path), hint=hint, rule="sidecar_invalid")
