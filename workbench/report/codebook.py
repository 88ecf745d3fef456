"""What each column of an export means: from the schema, from the header of a view, or the SQL of a query."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.report import csv_text

if TYPE_CHECKING:
    from workbench.archive.headers import ViewFile
    from workbench.schema.table import Table

_ENDINGS = {
    "_s": "s",
    "_ms": "ms",
    "_hz": "Hz",
    "_db": "dB",
    "_dbfs": "dBFS",
    "_usd": "USD",
    "_rate": "0..1",
    "_fraction": "0..1",
    "_count": "count",
    "_ix": "index",
}
HEAD = ("table", "kind", "column", "type", "unit", "key", "empty_means", "description")


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column: name, DuckDB type, unit, whether it is in the key, what an empty cell means, what it is."""

    name: str
    type: str
    unit: str | None = None
    key: bool = False
    empty_means: str | None = None
    description: str = ""


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """One table, view or query of an export, with its columns in order. `sql` is set for a query."""

    name: str
    kind: str
    grain: str
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    sql: str | None = None
    params: tuple[tuple[str, object], ...] = ()


Types = Sequence[tuple[str, str]]


def of_table(schema: type[Table], types: Types) -> Sheet:
    """Return the sheet of a table.

    Parameters
    ----------
    schema : type of Table
        Its class.
    types : sequence of (str, str)
        Name and DuckDB type of each column as SQL shows it.
    """
    kinds = dict(types)
    key = tuple(schema.primary_key())
    columns = []
    for column in schema.column_names():
        name, _, unit, description = schema.shown(column)
        columns.append(
            Column(
                name=name,
                type=kinds[name],
                unit=unit,
                key=column in key,
                empty_means=schema.meta(column).get("null"),
                description=description,
            )
        )
    return Sheet(name=schema.table(), kind="table", grain=schema.grain(), key=key, columns=tuple(columns))


def of_view(view: ViewFile, types: Types) -> Sheet:
    """Return the sheet of a view; `types` as in :func:`of_table`."""
    columns = []
    for name, kind in types:
        description, _, empty = view.columns.get(name, "").partition("; empty: ")
        columns.append(
            Column(
                name=name,
                type=kind,
                unit=unit_of(name),
                key=name in view.key,
                empty_means=empty.rstrip(".") or None,
                description=description.rstrip("."),
            )
        )
    return Sheet(name=view.name, kind="view", grain=view.grain, key=view.key, columns=tuple(columns))


def of_query(name: str, sql: str, params: dict[str, object], *, types: Types) -> Sheet:
    """Return the sheet of a query: its columns carry no description but the SQL that makes them."""
    columns = tuple(Column(name=n, type=kind, unit=unit_of(n), description=f"of the query: {sql}") for n, kind in types)
    grain = "One row per row of the query."
    given = tuple(sorted(params.items()))
    return Sheet(name=name, kind="query", grain=grain, key=(), columns=columns, sql=sql, params=given)


def unit_of(name: str) -> str | None:
    """Return the unit that the ending of a column's name stands for, or None."""
    found = [ending for ending in _ENDINGS if name.endswith(ending)]
    return _ENDINGS[max(found, key=len)] if found else None


def as_comments(sheet: Sheet) -> list[str]:
    """Return what the head of a CSV file says of it: a line for its rows, and one for each column.

    Examples
    --------
    >>> onset = Column(name="onset_s", type="DOUBLE", unit="s", empty_means="no onset", description="moment")
    >>> as_comments(Sheet(name="a", kind="table", grain="One row per moment.", key=(), columns=(onset,)))
    ['a: One row per moment.', 'onset_s: moment (s; empty means no onset)']
    """
    said = [f"{sheet.name}: {sheet.grain}"]
    for column in sheet.columns:
        more = [part for part in (column.unit, column.empty_means and f"empty means {column.empty_means}") if part]
        said.append(f"{column.name}: {column.description}" + (f" ({'; '.join(more)})" if more else ""))
    return [" ".join(line.split()) for line in said]


def as_csv(sheets: Sequence[Sheet]) -> str:
    """Return the codebook as CSV: one row per column; the header alone for no sheets."""
    rows = [
        (s.name, s.kind, c.name, c.type, c.unit, c.key, c.empty_means, c.description or None)
        for s in sheets
        for c in s.columns
    ]
    return csv_text.text(HEAD, rows)


def as_markdown(sheets: Sequence[Sheet], *, snapshot: int, version: str) -> str:
    """Return the codebook as a page: a section per sheet, under the snapshot all of it was read from."""
    parts = ["# Codebook", f"Snapshot {snapshot} of the archive; workbench {version}."]
    parts.append(
        'An empty cell is a missing value, never 0; a cell of `""` is empty text. Times in `_s` count in '
        "seconds from the start of the call. Cells of JSON, lists and mappings are JSON text."
    )
    for sheet in sheets:
        key = f" Key: {', '.join(f'`{name}`' for name in sheet.key)}." if sheet.key else ""
        parts += [f"## {sheet.name}", f"{sheet.kind.capitalize()}. {sheet.grain}{key}"]
        if sheet.sql is not None:
            parts.append("```sql\n" + sheet.sql.strip() + "\n```")
        if sheet.params:
            parts.append("With " + ", ".join(f"`${name}` = `{value}`" for name, value in sheet.params) + ".")
        head = "| column | type | unit | empty when | what it is |\n| --- | --- | --- | --- | --- |\n"
        about = [[c.name, c.type, c.unit, c.empty_means, "" if sheet.sql else c.description] for c in sheet.columns]
        parts.append(head + "\n".join("| " + " | ".join(_cell(value) for value in row) + " |" for row in about))
    return "\n\n".join(parts) + "\n"


def _cell(value: str | None) -> str:
    return " ".join((value or "").split()).replace("|", "\\|") or "-"
