"""The first JSON value in the first bytes of a file, mended where the bytes break off. For `sniff`."""

from __future__ import annotations

import functools
import re
from typing import Any, Final

import msgspec

from workbench.strict_json import BOM, STRING

JSON_SUFFIXES: Final = frozenset({".json", ".jsonl", ".ndjson", ""})
"""Names of files that are looked into for JSON without being told to."""

_TOKEN = re.compile(STRING + rb'|[\[\]{},"]', re.DOTALL)
_CLOSER = {ord("["): b"]", ord("{"): b"}"}


@functools.lru_cache(maxsize=4)
def peek(head: bytes) -> Any:
    """Return the first JSON value of some bytes.

    Parameters
    ----------
    head : bytes
        Beginning of a file: of one document, of JSON Lines, or of an array.

    Returns
    -------
    object
        The value, up to the last whole member where the bytes break off; for lines, of the first that can be
        read. None when it is no object or
        array, or no JSON. Several importers look at the same head, so it is kept: do not change it.
    """
    text = head.removeprefix(BOM).lstrip()
    value = _first(text) if text[:1] in (b"{", b"[") else None
    if value is None:  # a bad first line does not hide the format of the others
        lines = (line for line in text.split(b"\n")[1:] if line.startswith(b"{"))
        value = next((found for line in lines if (found := _first(line)) is not None), None)
    return value


def _first(text: bytes) -> Any:
    stack: list[bytes] = []
    mended = b""
    cut, closers = 0, b""
    for token in _TOKEN.finditer(text):
        first = text[token.start()]
        if first in _CLOSER:
            stack.append(_CLOSER[first])
        elif first in b"]}":
            stack.pop()
            if not stack:
                mended = text[: token.end()]
                break
        elif first == ord(","):
            cut, closers = token.start(), b"".join(reversed(stack))
        elif token.end() - token.start() == 1:
            break
        if not stack:
            return None
    try:
        return msgspec.json.decode(mended or text[:cut] + closers)
    except (msgspec.MsgspecError, RecursionError):
        return None


def first_object(head: bytes) -> dict[str, Any] | None:
    """Return the first JSON object: the value itself, or the first item of an array."""
    value = peek(head)
    if isinstance(value, list):
        value = value[0] if value else None
    return value if isinstance(value, dict) else None
