"""JSON decoding that refuses what silently changes meaning: repeated keys, `NaN`, depth bombs, bad UTF-8."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec

from workbench.errors import ImportFailed

MAX_DEPTH: Final = 100
"""Deepest nesting of arrays and objects that is read. Real calls nest less than 20."""

CONTAINERS: Final = frozenset({dict, list})

BOM: Final = b"\xef\xbb\xbf"

STRING: Final = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_COLONS = re.compile(STRING + rb"\s*(:?)", re.DOTALL)
_STRINGS = re.compile(STRING, re.DOTALL)
_NAN = re.compile(rb"-?\b(?:NaN|Infinity|nan|inf)\b")


def decode(raw: bytes, *, where: str) -> Any:
    """Decode one JSON value.

    Parameters
    ----------
    raw : bytes
        UTF-8, with or without a byte-order mark.
    where : str
        What the error names: file and line.

    Returns
    -------
    object
        dict, list, str, int, float, bool or None.

    Raises
    ------
    ImportFailed
        With the rule ``invalid_json``, ``nan_literal``, ``repeated_key`` or ``too_deep``.
    """
    raw = raw.removeprefix(BOM)
    try:
        value = msgspec.json.decode(raw)
    except msgspec.MsgspecError as error:
        raise _malformed(raw, error, where) from error
    except RecursionError as error:
        raise _too_deep(where) from error
    depth, keys = _measure(value)
    if depth > MAX_DEPTH:
        raise _too_deep(where)
    if keys != sum(map(len, _COLONS.findall(raw))):
        raise ImportFailed(
            f"the key {_repeated_key(raw)!r} is given twice in one object",
            where=where,
            hint="keep one of them; readers differ in which one they take",
            rule="repeated_key",
        )
    return value


def _too_deep(where: str) -> ImportFailed:
    return ImportFailed(
        f"nested deeper than {MAX_DEPTH} levels",
        where=where,
        hint="a call is a flat list of turns; write it without the wrapping",
        rule="too_deep",
    )


def _malformed(raw: bytes, error: Exception, where: str) -> ImportFailed:
    found = _NAN.search(_STRINGS.sub(b'""', raw))
    if found:
        return ImportFailed(
            f"{found.group().decode()} is not JSON",
            where=where,
            hint="write null for a value that was not measured",
            rule="nan_literal",
        )
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return ImportFailed("the text is UTF-16", where=where, hint="save it as UTF-8", rule="invalid_json")
    return ImportFailed(
        f"not valid JSON: {str(error).removeprefix('JSON is malformed: ')}",
        where=where,
        hint="check it with `python -m json.tool`; a JSONL file has one JSON value a line",
        rule="invalid_json",
    )


def _measure(value: Any) -> tuple[int, int]:
    """Return how deep a value nests and how many keys its objects have, level by level."""
    depth = keys = 0
    level = [value] if type(value) in CONTAINERS else []
    while level and depth <= MAX_DEPTH:
        depth += 1
        inner: list[Any] = []
        for item in level:
            if type(item) is dict:
                keys += len(item)
                inner += [one for one in item.values() if type(one) in CONTAINERS]
            else:
                inner += [one for one in item if type(one) in CONTAINERS]
        level = inner
    return depth, keys


def _repeated_key(raw: bytes) -> str:
    repeated: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names: set[str] = set()
        for name, _ in pairs:
            if name in names:
                repeated.append(name)
            names.add(name)
        return dict(pairs)

    json.loads(raw, object_pairs_hook=look)
    return repeated[0] if repeated else "?"
