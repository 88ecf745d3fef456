"""JSON of a stated shape, and the refusal of what has another.

The classes of an importer state only the fields that it reads; unknown fields are ignored.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from workbench.errors import ImportFailed
from workbench.ingest.intake import digest, jsonl
from workbench.schema.call import Refusal
from workbench.strict_json import decode

T = TypeVar("T")
Scope = Literal["file", "call", "row", "note"]


def convert(value: Any, kind: type[T], *, where: str) -> T:
    """Return a decoded JSON value as an instance of a class.

    Raises
    ------
    ImportFailed
        With the rule ``wrong_shape``; the message names the field.
    """
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ImportFailed(
            f"not the shape this format has: {error}",
            where=where,
            hint="name the right format with --format, or mend the field",
            rule="wrong_shape",
        ) from error


def load(path: Path, kind: type[T]) -> T:
    """Return a JSON file as an instance of a class.

    Raises
    ------
    ImportFailed
        ``unreadable``, ``empty_file``, the rules of :func:`~workbench.strict_json.decode`, or
        ``wrong_shape``.
    """
    return convert(load_json(path), kind, where=str(path))


def load_json(path: Path) -> Any:
    """Return the decoded JSON of a file.

    Raises
    ------
    ImportFailed
        ``unreadable``, ``empty_file`` or the rules of :func:`~workbench.strict_json.decode`.
    """
    raw = read_bytes(path)
    if not raw.strip():
        raise ImportFailed("the file is empty", where=str(path), hint="export it again", rule="empty_file")
    return decode(raw, where=str(path))


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a file.

    Raises
    ------
    ImportFailed
        With the rule ``unreadable``.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise ImportFailed(
            f"cannot be read: {error.strerror or error}",
            where=str(path),
            hint="check that the file is there and that you may read it",
        ) from error


def rows(path: Path, kind: type[T]) -> Iterator[tuple[str, T] | Refusal]:
    """Yield location and value of each record of a JSON Lines file, and a row refusal for each bad one."""
    for record in jsonl.records(path):
        if isinstance(record, Refusal):
            yield msgspec.structs.replace(record, scope="row")
            continue
        try:
            yield record.location, convert(record.value, kind, where=str(path))
        except ImportFailed as error:
            yield refusal(path, error, location=record.location, scope="row")


def refusal(path: Path, error: ImportFailed, *, location: str = "", scope: Scope = "file") -> Refusal:
    """Return the refusal that an error means."""
    return Refusal(
        source_uri=str(path),
        location=location,
        rule=error.rule,
        message=error.what,
        hint=error.hint or "",
        scope=scope,
    )


def note(path: Path, rule: str, message: str, *, hint: str, location: str = "") -> Refusal:
    """Return a note: the call was kept, and this is what was left out or inferred."""
    return Refusal(source_uri=str(path), location=location, rule=rule, message=message, hint=hint, scope="note")


def sha256_of_named(files: dict[str, Path]) -> str:
    """Return one SHA-256 over the names and digests of the files that make a call, in order of name."""
    named = sorted(files.items())
    return digest.of_bytes(os.fsencode("\n".join(f"{name}\0{digest.of_file(path)}" for name, path in named)))


def sha256_of_json(value: Any) -> str:
    """Return the SHA-256 of a value's canonical JSON: keys sorted, no spaces, UTF-8."""
    return digest.of_bytes(msgspec.json.encode(value, order="sorted"))


def utc(moment: datetime | None) -> datetime | None:
    """Return a moment in UTC; one without a zone is taken as UTC.

    Raises
    ------
    ImportFailed
        With the rule ``impossible_date`` where UTC has the year 0 or 10000 for it, which no table holds.
    """
    if moment is None:
        return None
    if moment.tzinfo is None:
        return moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise _no_date(moment.isoformat()) from error


def since_1970(seconds: float) -> datetime:
    """Return the moment in UTC so many seconds after 1970.

    Raises
    ------
    ImportFailed
        With the rule ``impossible_date`` outside the years 1 to 9999.
    """
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError) as error:
        raise _no_date(f"{seconds:.15g} s after 1970") from error


def _no_date(found: str) -> ImportFailed:
    message = f"{found} is no date in the years 1 to 9999 of UTC"
    return ImportFailed(message, hint="mend the date, or write null where it is not known", rule="impossible_date")
