"""Many labels at once: from a CSV file or from rows, all in one transaction or none."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.archive import labelling, runs
from workbench.archive.lake import Writer, quote, read_once
from workbench.archive.layout import Layout
from workbench.errors import UsageError
from workbench.plural import plural
from workbench.small_file import read_bytes, read_stdin

if TYPE_CHECKING:
    import duckdb

NEEDED = ("call_id", "onset_s", "expect")
NUMBERS = ("onset_s", "max_time_to_yield_s", "max_talk_over_s")
COLUMNS = (*NEEDED, "max_time_to_yield_s", "max_talk_over_s", "note", "author")
MOST_TOLD = 20
SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class Labelled:
    """Labels that stand now: (call, label) in the order they were given, and how many of them are new."""

    labels: list[tuple[str, str]]
    added_count: int


def read_labels(path: str | Path) -> list[dict[str, Any]]:
    """Read labels from a CSV file.

    Parameters
    ----------
    path : path
        UTF-8, with a first line that names the columns: `call_id`, `onset_s` and `expect`, and any of
        `max_time_to_yield_s`, `max_talk_over_s`, `note`, `author`. An empty cell is nothing; spaces around a cell are
        none of it, but for those of a `call_id`, which :func:`label_many` holds against the archive. A row that begins
        with `#` is left out, a line within a quoted cell never. `-` reads what is piped in.

    Returns
    -------
    list of dict
        A row each, as :func:`label_many` takes them, with its `line` in the file; numbers still as text.

    Raises
    ------
    UsageError
        When the file or stdin cannot be read, a quoted cell is not closed, columns are not separated by commas, one is
        missing, unknown or twice there, or there is no row.
    """
    piped = str(path) == "-"
    where = "stdin" if piped else str(path)
    held = read_stdin() if piped else read_bytes(path, max_bytes=None)
    try:
        text = held.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        what = "the labels cannot be read: it is not UTF-8"
        raise UsageError(what, where=where, hint="give a CSV file") from error
    _require_commas(text, where=where)
    records = list(_records(text, where=where))
    names = _names(*(records[0] if records else (0, [])), where=where)
    rows = []
    for line, cells in records[1:]:
        if cells:
            named = zip(names, cells, strict=False)
            cut = {name: cell if name == "call_id" else cell.strip() for name, cell in named}
            filled = {name: cell for name, cell in cut.items() if cell}
            rows.append(filled | {"line": line} | ({} if len(cells) == len(names) else {"cells": len(cells)}))
    if not rows:
        raise UsageError("the file has no label", where=where, hint="give one line a label below the names")
    return rows


def _require_commas(text: str, *, where: str) -> None:
    """Raise where another separator parts the names of the columns, as spreadsheets write it in some languages."""
    first = next((line for line in io.StringIO(text, newline=None) if line.strip() and not line.startswith("#")), "")
    for separator, name in SEPARATORS.items():
        cells = {cell.strip().strip('"').strip().casefold() for cell in first.split(separator)}
        if set(NEEDED) <= cells:
            raise UsageError(
                f"the columns are separated by {name} ({separator!r})",
                where=where,
                hint="separate them with commas, and write numbers with a point (2.5)",
            )


def _names(line: int, cells: list[str], *, where: str) -> list[str]:
    """The names of the columns, which the first line holds that is no remark."""
    names = [cell.strip() for cell in cells]
    wrong = [name for name in names if name not in COLUMNS or names.count(name) > 1]
    missing = [name for name in NEEDED if name not in names]
    if not wrong and not missing:
        return names
    hint = f"the first line names columns among: {', '.join(COLUMNS)}"
    if not missing:
        raise UsageError(f"the column {wrong[0]!r} is unknown or twice there", where=where, hint=hint)
    read = ", ".join(repr(name[:40]) for name in names[: len(COLUMNS)]) + (", ..." if len(names) > len(COLUMNS) else "")
    seen = (
        f"line {line} was read as the names: {read}"
        if names
        else f"line {line} is empty"
        if line
        else "the file is empty"
    )
    other = [name for name in names if name not in COLUMNS and name.casefold() in missing]
    meant = f"{other[0]!r} is written {other[0].casefold()}; " if other else ""
    raise UsageError(f"no column {', '.join(missing)} ({seen})", where=where, hint=meant + hint)


def _records(text: str, *, where: str) -> Iterator[tuple[int, list[str]]]:
    """Yield each record that is no remark, with the line it begins on."""
    numbered = enumerate(io.StringIO(text, newline=None), start=1)
    begins = 0  # 0 until a record has its first line

    def lines() -> Iterator[str]:
        nonlocal begins
        for number, found in numbered:
            if begins or not found.startswith("#"):
                begins = begins or number
                yield found

    reader = csv.reader(lines(), strict=True)
    while True:
        begins = 0
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise UsageError(
                f"line {begins}: a cell cannot be read ({error})",
                where=where,
                hint="close each quoted cell with a quote; a quote within it is written twice",
            ) from error
        if cells is None:
            return
        yield begins, cells


def label_many(layout: Layout, rows: Iterable[Mapping[str, Any]], *, author: str) -> Labelled:
    """Say what the agent should have done at many moments, in one transaction.

    Parameters
    ----------
    layout : Layout
        The archive.
    rows : iterable of mapping
        Each with `call_id`, and what :func:`workbench.archive.labelling.expectation_of` takes; numbers may be text. A
        row's own `author` comes before `author`; `line` is its place in a file.
    author : str
        Who judges, where a row names nobody.

    Returns
    -------
    Labelled
        A label that stands already is not added again.

    Raises
    ------
    UsageError
        When any row cannot be: each of them is named, and nothing is written.
    ArchiveFailed
        When the archive cannot be written.
    """
    given = [dict(row) for row in rows]
    lengths = dict(read_once(layout, lambda reader: reader.rows("select call_id, duration_s from calls"))[1])
    labels, refused = [], []
    for nth, row in enumerate(given, start=1):
        if "line" in row and row.get("call_id") not in lengths:  # spaces around a cell, unless they are of the id
            row["call_id"] = str(row.get("call_id") or "").strip()
        try:
            labels.append((row.get("call_id"), _checked(row, lengths, author=author)))
        except UsageError as error:
            place = f"line {row['line']}" if "line" in row else f"row {nth}"
            refused.append(f"{place}: {error.what}")
    if refused:
        more = [f"{len(refused) - MOST_TOLD:,} more"] if len(refused) > MOST_TOLD else []
        raise UsageError(
            f"{len(refused):,} of {plural(len(given), 'label')} cannot be, so none is added\n  "
            + "\n  ".join([*refused[:MOST_TOLD], *more]),
            hint="mend these and give all of them again: one that stands already is not added twice",
        )
    return _added(layout, [(str(call_id), label) for call_id, label in labels])


def _checked(row: dict[str, Any], lengths: Mapping[str, float | None], *, author: str) -> dict[str, Any]:
    if "cells" in row:
        raise UsageError(f"{plural(row['cells'], 'cell')}, and the first line names another number of columns")
    unknown = sorted(set(row) - {*COLUMNS, "line"})
    missing = [name for name in NEEDED if row.get(name) in (None, "")]
    if unknown or missing:
        raise UsageError(f"{', '.join(missing)} is missing" if missing else f"{unknown[0]!r} is unknown")
    if row["call_id"] not in lengths:
        raise UsageError(f"no call {row['call_id']!r}")
    said = {name: value for name, value in row.items() if name not in ("call_id", "line") and value is not None}
    for name in NUMBERS:
        if name in said:
            try:
                said[name] = float(said[name])
            except (TypeError, ValueError):
                raise UsageError(f"{name} is {said[name]!r} and no number") from None
    said.setdefault("author", author)
    return labelling.expectation_of(row["call_id"], lengths[row["call_id"]], **said)


def _added(layout: Layout, labels: list[tuple[str, dict[str, Any]]]) -> Labelled:
    writer = Writer(layout)
    calls = sorted({call_id for call_id, _ in labels})

    def work(con: duckdb.DuckDBPyConnection) -> Labelled:
        wanted = ", ".join(quote(call_id) for call_id in calls)
        left = {row[0] for row in con.execute(f"SELECT call_id FROM lake.calls WHERE call_id IN ({wanted})").fetchall()}
        for call_id in calls:
            if call_id not in left:
                raise UsageError(f"the call {call_id!r} was deleted meanwhile", where=str(layout.root))
        there: dict[str, list[tuple[Any, ...]]] = {call_id: [] for call_id in calls}
        query = f"SELECT call_id, label_id, kind, value FROM lake.labels WHERE call_id IN ({wanted})"
        for call_id, label_id, kind, value in con.execute(query).fetchall():
            there[call_id].append((label_id, kind, value))
        run, named, new = runs.begin("label", {"calls": calls, "kind": "expectation"}), [], []
        for call_id, label in labels:
            row, is_new = labelling.placed(label, there[call_id], call_id=call_id)
            named.append((call_id, row["label_id"]))
            if is_new:
                new.append(row)
                there[call_id].append((row["label_id"], row["kind"], row["value"]))
        if new:
            writer.add("labels", new)
            writer.add("runs", [runs.end(run, {"labels": len(new)})])
        return Labelled(named, len(new))

    try:
        return writer.transaction(work, message=f"label {plural(len(labels), 'moment')}")
    finally:
        writer.close()
