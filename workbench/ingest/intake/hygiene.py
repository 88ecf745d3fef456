"""Strips secrets from a call on its way in, and says how many there were."""

from __future__ import annotations

import re
from typing import Any, Final

import msgspec

from workbench.ingest.intake.refusing import of_call
from workbench.ingest.intake.secrets import MARKS, strip_keys, strip_text, strip_value
from workbench.schema.call import Call, Refusal

_MARKED: Final = re.compile(b"|".join(re.escape(mark) for mark in MARKS))

SPOKEN: Final = frozenset({"text", "heard", "truth", "word"})
"""Words somebody said: only key-shaped strings are taken from them."""

KEPT: Final = frozenset({"id", "format", "source_format", "source_sha256", "parent_call_id", "path"})
"""Identifiers, digests and audio files, which would not be found under another name."""

JSON_FIELDS: Final = frozenset(
    {"arguments", "result", "attributes", "record", "value", "document", "policy", "tags", "entities"}
    | {"expected_entities"}
)


def strip_call(call: Call) -> tuple[Call, Refusal | None]:
    """Strip signed addresses and key-shaped strings from every text of a call.

    Parameters
    ----------
    call : Call
        As an importer made it; it is changed in place.

    Returns
    -------
    tuple of Call and Refusal or None
        The same call, and one note with the count when anything was stripped.
    """
    encoded = msgspec.json.encode(call).lower()
    count = _strip_struct(call) if _MARKED.search(encoded) else 0
    if not count:
        return call, None
    return call, of_call(
        call,
        "secret_stripped",
        message=f"{count} signed addresses or key-shaped strings were replaced by [stripped]",
        hint="rotate keys that were written into call logs",
        scope="note",
    )


def strip_refusal(refusal: Refusal) -> Refusal:
    """Return the refusal with secrets stripped from its message, location and address."""
    changes = {name: strip_text(getattr(refusal, name))[0] for name in ("source_uri", "location", "message", "hint")}
    return msgspec.structs.replace(refusal, **changes)


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
        return strip_keys(value)
    if name in JSON_FIELDS:
        return strip_value(value)
    return strip_value(value, name) if isinstance(value, (str, list)) else (value, 0)
