"""JSON decoding that refuses what silently changes meaning: repeated keys, `NaN`, depth bombs, bad UTF-8."""

from __future__ import annotations

import codecs
import json
import re
from typing import Any, Final

import msgspec

from workbench.errors import ImportFailed

MAX_DEPTH: Final = 100
"""Deepest nesting of arrays and objects that is read. Real calls nest less than 20."""

MAX_DIGITS: Final = 308
"""Digits of a whole number: one more is beyond every float, as 1e999 is."""

CONTAINERS: Final = frozenset({dict, list})

BOM: Final = b"\xef\xbb\xbf"

STRING: Final = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
_COLONS = re.compile(STRING + rb"\s*(:?)", re.DOTALL)
_STRINGS = re.compile(STRING, re.DOTALL)
_BRACKETS = re.compile(STRING + rb'|[\[\]{}"]', re.DOTALL)
_HUGE = re.compile(rb"[0-9]{309}")
_LONE = re.compile(rb"\\u[dD][89a-fA-F]")
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
        With the rule ``invalid_json``, ``nan_literal``, ``repeated_key``, ``encoding`` or ``too_deep``.
    """
    raw = raw.removeprefix(BOM)
    try:
        value = msgspec.json.decode(raw)
    except msgspec.MsgspecError as error:
        raise _malformed(raw, error, where) from error
    except RecursionError as error:
        raise _too_deep(where) from error
    if _HUGE.search(raw) and _HUGE.search(_STRINGS.sub(b"", raw)):
        raise ImportFailed(
            f"a number has more than {MAX_DIGITS} digits",
            where=where,
            hint="write it as text, in quotes; the largest number a reader can hold has 308 digits",
            rule="invalid_json",
        )
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


def check_head(head: bytes, *, where: str, cut: bool, is_json: bool) -> None:
    """Refuse the beginning of a text that is no UTF-8, or JSON that nests too deep.

    Parameters
    ----------
    head : bytes
        First bytes of a file; empty passes.
    where : str
        What the error names.
    cut : bool
        Whether the file goes on, so that the last letter may be cut in two.
    is_json : bool
        Whether brackets outside of strings nest.

    Raises
    ------
    ImportFailed
        With the rule ``encoding`` or ``too_deep``.
    """
    encoding = _wrong_encoding(head[:-3] if cut else head, where)
    if encoding is not None:
        raise encoding
    depth = 0
    for token in _BRACKETS.findall(head) if is_json else ():
        if token == b'"':
            break  # a string that goes on after the head
        depth += 1 if token in (b"[", b"{") else -1 if token in (b"]", b"}") else 0
        if depth > MAX_DEPTH:
            raise _too_deep(where)


def _wrong_encoding(raw: bytes, where: str) -> ImportFailed | None:
    """Return the refusal of text that is no UTF-8; None for UTF-8, also where a letter is cut at the end."""
    found = None
    if raw[:2] in (b"\xff\xfe", b"\xfe\xff") or (len(raw) > 3 and raw[:4].count(0) >= 2):
        found = "the text is UTF-16 or UTF-32"
    else:
        try:
            codecs.getincrementaldecoder("utf-8")().decode(raw)
        except UnicodeDecodeError as error:
            found = f"the text is not UTF-8 (byte 0x{raw[error.start]:02x} at {error.start}), perhaps latin-1"
    hint = "save it as UTF-8 (iconv does it: iconv -f LATIN1 -t UTF-8)"
    return ImportFailed(found, where=where, hint=hint, rule="encoding") if found else None


def _malformed(raw: bytes, error: Exception, where: str) -> ImportFailed:
    encoding = _wrong_encoding(raw, where)
    if encoding is not None:
        return encoding
    if _LONE.search(raw) and "truncated" in str(error):
        return ImportFailed(
            "a string has half of a surrogate pair (\\ud800 to \\udfff), which is no character",
            where=where,
            hint="the text was cut inside an emoji; take the escape out",
            rule="invalid_json",
        )
    found = _NAN.search(_STRINGS.sub(b'""', raw))
    if found:
        return ImportFailed(
            f"{found.group().decode()} is not JSON",
            where=where,
            hint="write null for a value that was not measured",
            rule="nan_literal",
        )
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
