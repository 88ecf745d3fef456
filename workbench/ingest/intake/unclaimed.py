"""Why no importer takes a file, as far as its bytes, its JSON or the folders above it say it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from workbench.errors import ImportFailed
from workbench.ingest.intake.folder_parts import FoldersAbove, Problem
from workbench.ingest.intake.peek import JSON_SUFFIXES, first_object, peek
from workbench.ingest.protocol import HEAD_BYTES, Importer
from workbench.strict_json import check_head, decode

TEXT_SUFFIXES: Final = JSON_SUFFIXES | {".txt"}
"""Names of files that hold text, so that the wrong encoding of one is worth a word."""

UNKNOWN: Final = "unknown_format"

OTEL_HINT: Final = "import the recording or the transcript of these calls instead, or leave the file out"

DIALECTS: Final = ("http://json-schema.org/", "https://json-schema.org/")
"""Where the dialects of JSON Schema live: a document that names one as its `$schema` is a schema and no call."""


def unknown(path: Path, size: int, head: bytes, *, above: FoldersAbove) -> Problem:
    """Return rule, message and hint for a file that no importer claims.

    Parameters
    ----------
    path : Path
        The file.
    size : int
        Its bytes in all.
    head : bytes
        The first of them.
    above : FoldersAbove
        Answers whether it is a part of a folder.
    """
    hint = "say what it is with --format NAME (workbench import --help), or leave it out"
    suffix = path.suffix.lower()
    if suffix in TEXT_SUFFIXES:
        try:
            check_head(head, where=str(path), cut=size > len(head), is_json=suffix in JSON_SUFFIXES)
            if suffix == ".json" and size <= HEAD_BYTES:
                decode(path.read_bytes(), where=str(path))
        except ImportFailed as error:
            return error.rule, error.what, error.hint or hint
        except OSError as error:
            return "unreadable", f"cannot be read: {error.strerror or error}", "check its permissions"
    if is_otel_spans(first_object(head)):
        return UNKNOWN, "these are OpenTelemetry spans, and spans are not read", OTEL_HINT
    return above.problem(path) or (UNKNOWN, "no importer knows this file", hint)


def is_otel_spans(value: object) -> bool:
    """Return whether a JSON object is an OTLP document, or one span as an exporter writes it.

    Parameters
    ----------
    value : object
        The first object of a file. An OTLP document has `resourceSpans`; a span names its trace and itself, in itself
        or in its `context`, and when it started.
    """
    if not isinstance(value, dict):
        return False
    if value.keys() & {"resourceSpans", "resource_spans"}:
        return True
    names = value.keys() | (value["context"].keys() if isinstance(value.get("context"), dict) else set())
    started = any(name.lower().startswith(("start_time", "starttime")) for name in value)
    return started and any(pair <= names for pair in ({"trace_id", "span_id"}, {"traceId", "spanId"}))


def not_a_folder(importer: Importer) -> Problem:
    """Return rule, message and hint for a file that was given to a folder importer."""
    return UNKNOWN, f"{importer.FORMAT} reads folders, and this file is part of none", f"it reads {importer.ABOUT}"


def is_json_schema(path: Path) -> bool:
    """Return whether a file is a JSON Schema, as it says itself by the dialect it names."""
    try:
        with path.open("rb") as file:
            value = peek(file.read(HEAD_BYTES)) if path.suffix.lower() == ".json" else None
    except OSError:
        return False
    dialect = value.get("$schema") if isinstance(value, dict) else None
    return isinstance(dialect, str) and dialect.startswith(DIALECTS)
