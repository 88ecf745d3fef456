"""A hotato voice trace or transcript that lies alone, outside a folder of a conversation.

Such files are called the same in every folder, so the call's id is the folder's name and the file's. A
transcript of `role, text, start, end` is claimed here and not by `transcript`, whose rows have no end.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from workbench.ingest.hotato_rows import ROW_KEYS, TRACE_SCHEMA
from workbench.ingest.hotato_trace import assemble
from workbench.ingest.intake import digest
from workbench.ingest.intake.peek import first_object, peek
from workbench.ingest.intake.shape import read_bytes
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

FORMAT = "hotato_trace_file"
ABOUT = "One hotato voice trace (`hotato.voice_trace.v1` JSONL) or transcript (`role, text, start, end`) alone."
CLAIMS: Literal["file"] = "file"


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a file is a voice trace, or a list of rows with role, text, start and end."""
    if isinstance(peek(head), list):
        return (first_object(head) or {}).keys() >= ROW_KEYS
    return _is_trace(path, head)


def _is_trace(path: Path, head: bytes) -> bool:
    row = first_object(head) or {}
    spans = "type" in row and bool({"start_sec", "time_sec"} & row.keys())
    return path.suffix.lower() in (".jsonl", ".ndjson") and (row.get("schema") == TRACE_SCHEMA or spans)


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield the one call of the file, after the refusals of single rows.

    Raises
    ------
    ImportFailed
        When the file is neither, or no row of it can be read.
    """
    raw = read_bytes(path)
    trace = not raw.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"[")
    yield from assemble(
        options,
        trace=path if trace else None,
        transcript=None if trace else path,
        call_id=f"{path.resolve().parent.name}-{path.stem}",
        sha256=digest.of_bytes(raw),
    )
