"""Records of a JSON Lines file, of a top-level JSON array or of one JSON document, one at a time.

A file is never held whole unless it is one document. Lines end at a line feed and nowhere else, so a raw
U+2028 inside a string does not split its row.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

import msgspec

from workbench.errors import ImportFailed
from workbench.plural import plural
from workbench.schema.call import Refusal
from workbench.strict_json import BOM, STRING, decode

MAX_RECORD_BYTES: Final = 64 * 2**20
"""Longest line or array item that is read."""

MAX_DOCUMENT_BYTES: Final = 512 * 2**20
"""Largest file that is read as one JSON document."""

CHUNK_BYTES: Final = 2**20
QUOTE: Final = ord('"')
COMMA: Final = ord(",")
LINE_SUFFIXES: Final = frozenset({".jsonl", ".ndjson"})

_TOKEN = re.compile(STRING + rb'|[\[\]{},"]', re.DOTALL)
_LONG_HINT = "put audio and other blobs into files beside it and name them"


class Record(msgspec.Struct, frozen=True):
    """One JSON value of a file. `location` is ``line 12``, ``item 3`` or ``document``; items count from 1."""

    location: str
    raw: bytes
    value: Any


def records(path: Path) -> Iterator[Record | Refusal]:
    """Yield the JSON values of a file, and a refusal of scope ``call`` for each that cannot be read.

    Parameters
    ----------
    path : Path
        ``.jsonl`` and ``.ndjson`` are lines. Any other file is lines when its first line is a whole JSON
        object and more follows, an array when it begins with ``[``, and else one document.

    Yields
    ------
    Record or Refusal
        In file order. Nothing for a file of blanks.

    Raises
    ------
    ImportFailed
        When an array breaks off or a document is too large.
    OSError
        When the file cannot be read.
    """
    with path.open("rb") as file:
        if file.read(3) != BOM:
            file.seek(0)
        start = file.tell()
        kind = _kind(path, file)
        file.seek(start)
        if kind == "lines":
            raws = _lines(file)
        elif kind == "array":
            raws = _items(file, path)
        else:
            raws = _document(file, path)
        for location, raw in raws:
            yield _record(path, location, raw)


def _record(path: Path, location: str, raw: bytes | None) -> Record | Refusal:
    if raw is None:
        failure = ImportFailed(f"longer than {MAX_RECORD_BYTES // 2**20} MiB", hint=_LONG_HINT, rule="record_too_long")
    else:
        try:
            return Record(location, raw, decode(raw, where=f"{path}, {location}"))
        except ImportFailed as error:
            failure = error
    return Refusal(
        source_uri=str(path),
        location=location,
        rule=failure.rule,
        message=failure.what,
        hint=failure.hint or "",
        scope="call",
    )


def _kind(path: Path, file: BinaryIO) -> str:
    if path.suffix.lower() in LINE_SUFFIXES:
        return "lines"
    first = _first_line(file)
    if first.startswith(b"["):
        return "array"
    try:
        value = msgspec.json.decode(first)
    except (msgspec.MsgspecError, RecursionError):
        return "document"
    return "lines" if isinstance(value, dict) and _first_line(file) else "document"


def _first_line(file: BinaryIO) -> bytes:
    while line := file.readline(MAX_RECORD_BYTES):
        if line.strip():
            return line.strip()
    return b""


def _lines(file: BinaryIO) -> Iterator[tuple[str, bytes | None]]:
    number = 0
    while line := file.readline(MAX_RECORD_BYTES + 1):
        number += 1
        if len(line) > MAX_RECORD_BYTES:
            while line and not line.endswith(b"\n"):
                line = file.readline(CHUNK_BYTES)
            yield f"line {number}", None
        elif text := line.strip(b" \t\r\n"):
            yield f"line {number}", text


def _document(file: BinaryIO, path: Path) -> Iterator[tuple[str, bytes | None]]:
    size = path.stat().st_size
    if size > MAX_DOCUMENT_BYTES:
        raise ImportFailed(
            f"one JSON document of {plural(size, 'byte')}; at most {MAX_DOCUMENT_BYTES:,} are read",
            where=str(path),
            hint="write one call a line as .jsonl, which is read in a stream",
            rule="record_too_long",
        )
    if text := file.read().strip():
        yield "document", text


def _items(file: BinaryIO, path: Path) -> Iterator[tuple[str, bytes | None]]:
    """Split a top-level array at its commas, looking only at brackets and strings."""
    buffer = b""
    scan = begin = number = depth = 0
    while chunk := file.read(CHUNK_BYTES):
        buffer, scan, begin = buffer[begin:] + chunk, scan - begin, 0
        for token in _TOKEN.finditer(buffer, scan):
            first = buffer[token.start()]
            if first == QUOTE and token.end() - token.start() == 1:
                scan = token.start()  # a string that goes on in the next piece
                break
            scan = token.end()
            if first in b"[{":
                depth += 1
                begin = scan if depth == 1 else begin
            elif first == COMMA and depth == 1:
                number += 1
                yield f"item {number}", buffer[begin : token.start()].strip()
                begin = scan
            elif first in b"]}":
                depth -= 1
                if depth == 0:
                    last = buffer[begin : token.start()].strip()
                    if last or number:
                        yield f"item {number + 1}", last
                    if buffer[scan:].strip() or file.read(CHUNK_BYTES).strip():
                        raise _broken(path, "text after the end of the array")
                    return
        if len(buffer) - begin > MAX_RECORD_BYTES:
            raise ImportFailed(
                f"item {number + 1} is longer than {MAX_RECORD_BYTES // 2**20} MiB",
                where=str(path),
                hint=_LONG_HINT,
                rule="record_too_long",
            )
    raise _broken(path, f"the array breaks off in item {number + 1}")


def _broken(path: Path, what: str) -> ImportFailed:
    return ImportFailed(what, where=str(path), hint="the file was cut or joined; export it again", rule="invalid_json")
