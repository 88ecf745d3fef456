"""Strips secrets from a call on its way in, and says how many there were."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from workbench.ingest.intake.refusing import of_call
from workbench.ingest.intake.secrets import MARKS, strip_text, strip_value
from workbench.ingest.intake.valid_text import mend, valid
from workbench.schema.call import Call, Refusal


def _tree(marks: list[bytes]) -> bytes:
    """Return a pattern for any of the marks that looks at each shared beginning once."""
    tails: dict[bytes, list[bytes]] = {}
    for mark in marks:
        tails.setdefault(mark[:1], []).append(mark[1:])
    if all(rest == [b""] for rest in tails.values()):
        return b"[" + b"".join(map(re.escape, tails)) + b"]"
    branches = [re.escape(head) + (b"" if b"" in rest else _tree(rest)) for head, rest in tails.items()]
    return b"(?:" + b"|".join(branches) + b")"


_MARKED: Final = re.compile(_tree(list(MARKS)))

SPOKEN: Final = frozenset({"text", "heard", "truth", "word"})
"""Words somebody said: only signed addresses and key-shaped strings are taken from them."""

KEPT: Final = frozenset({"id", "format", "source_format", "source_sha256", "parent_call_id", "path"})
"""Identifiers, digests and audio files, which would not be found under another name."""

MAX_MESSAGE: Final = 1_000
"""Longest message, location or hint of a refusal, in letters."""

KEPT_END: Final = 200
"""Letters kept of the end of a longer one, where it says what is wrong and which row it is."""

NUL: Final = r"\x00"

JSON_FIELDS: Final = frozenset(
    {"arguments", "result", "attributes", "record", "value", "document", "policy", "tags", "entities"}
    | {"expected_entities"}
)


def strip_call(call: Call) -> tuple[Call, Refusal | None]:
    """Strip signed addresses and key-shaped strings from every text of a call.

    Parameters
    ----------
    call : Call
        As an importer made it; it is changed in place. Text that is no Unicode is escaped on the way.

    Returns
    -------
    tuple of Call and Refusal or None
        The same call, and one note with the count when anything was stripped.
    """
    count = _strip_struct(call) if _MARKED.search(_encoded(call).lower()) else 0
    if not count:
        return call, None
    return call, of_call(
        call,
        "secret_stripped",
        message=f"{count} signed addresses or key-shaped strings were replaced by [stripped]",
        hint="rotate keys that were written into call logs",
        scope="note",
    )


def _encoded(call: Call) -> bytes:
    try:
        return msgspec.json.encode(call)
    except UnicodeEncodeError:
        mend(call)
        return msgspec.json.encode(call)


def strip_refusal(refusal: Refusal) -> Refusal:
    """Return the refusal with secrets stripped from its message, location and address, all valid UTF-8.

    Of a message, location or hint with more than `MAX_MESSAGE` letters the middle is cut out, and a NUL is escaped:
    whatever of the input it repeats, a terminal and a query can take it.
    """
    names = ("source_uri", "location", "message", "hint")
    changes: dict[str, Any] = {name: strip_text(valid(getattr(refusal, name)))[0] for name in names}
    changes |= {name: _bounded(changes[name]) for name in names[1:]}
    if refusal.call_id is not None:
        changes["call_id"] = refusal.call_id.replace("\0", NUL)
    return msgspec.structs.replace(refusal, **changes)


def _bounded(text: str) -> str:
    text = text.replace("\0", NUL)
    if len(text) <= MAX_MESSAGE:
        return text
    mark = f"... ({len(text):,} letters) ..."
    kept = MAX_MESSAGE - len(mark)
    return f"{text[: kept - KEPT_END]}{mark}{text[-KEPT_END:]}"


def _strip_struct(struct: msgspec.Struct) -> int:
    total = 0
    for name in struct.__struct_fields__:
        value = getattr(struct, name)
        if value is None or name in KEPT or isinstance(value, (bool, int, float)):
            continue
        clean, count = _strip_field(name, value)
        if count and clean is not value:
            setattr(struct, name, clean)
        total += count
    return total


def _strip_field(name: str, value: Any) -> tuple[Any, int]:
    if isinstance(value, msgspec.Struct):
        return value, _strip_struct(value)
    if isinstance(value, list) and value and isinstance(value[0], msgspec.Struct):
        return value, sum(_strip_struct(item) for item in value)
    if name in SPOKEN and isinstance(value, str):
        return strip_text(value)
    if name in JSON_FIELDS:
        return strip_value(value)
    return strip_value(value, name) if isinstance(value, (str, list)) else (value, 0)
