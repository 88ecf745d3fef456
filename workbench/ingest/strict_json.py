"""JSON decoding that refuses what silently changes meaning: repeated keys, `NaN`, depth bombs, bad UTF-8."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import msgspec

from workbench.errors import ImportFailed

MAX_DEPTH: Final = 100
"""Deepest nesting of arrays and objects that is read. Real calls nest less than 20."""

BOM: Final = b"\xef\xbb\xbf"

STRING: Final = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_KEYS = re.compile(STRING + rb"\s*(:?)", re.DOTALL)
_BRACKETS = re.compile(STRING + rb"|[\[{\]}]", re.DOTALL)
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
    if raw.count(b"[") + raw.count(b"{") > MAX_DEPTH and _depth(raw) > MAX_DEPTH:
        raise ImportFailed(
            f"nested deeper than {MAX_DEPTH} levels",
            where=where,
            hint="a call is a flat list of turns; write it without the wrapping",
            rule="too_deep",
        )
    try:
        value = msgspec.json.decode(raw)
    except msgspec.MsgspecError as error:
        raise _malformed(raw, error, where) from error
    keys = sum(1 for colon in _KEYS.findall(raw) if colon)
    if keys != _count_keys(value):
        raise ImportFailed(
            f"the key {_repeated_key(raw)!r} is given twice in one object",
            where=where,
            hint="keep one of them; readers differ in which one they take",
            rule="repeated_key",
        )
    return value


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


def _depth(raw: bytes) -> int:
    depth = deepest = 0
    for token in _BRACKETS.finditer(raw):
        first = token.group()[0]
        if first in b"[{":
            depth += 1
            deepest = max(deepest, depth)
        elif first in b"]}":
            depth -= 1
    return deepest


def _count_keys(value: Any) -> int:
    count = 0
    stack = [value]
    while stack:
        item = stack.pop()
        if type(item) is dict:
            count += len(item)
            stack.extend(inner for inner in item.values() if type(inner) in (dict, list))
        elif type(item) is list:
            stack.extend(inner for inner in item if type(inner) in (dict, list))
    return count


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
