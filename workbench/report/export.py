"""Research files out of an archive: a CSV or Parquet file per table, view or query, with a codebook."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from workbench.errors import UsageError
from workbench.report import arrow_columns, codebook, csv_text, datapackage
from workbench.report.new_folder import new_folder
from workbench.report.wanted import Query

if TYPE_CHECKING:
    import pyarrow as pa

    from workbench.archive.archive import Archive
    from workbench.archive.lake import Reader

Form = Literal["csv", "parquet", "calls", "envelope"]
CHUNK_ROWS = 200_000
LARGE = ("frames", "timing_frames")
"""Tables and views that are exported only when they are named, and read in pieces."""


@dataclass
class Exported:
    """What an export wrote: rows by file, the snapshot they were read from, and rows of tables left out.

    Of `calls`, `left_out` counts the labels that were recorded after the import, which are no part of a call.
    """

    folder: Path
    form: Form
    snapshot: int
    rows: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)
    byte_count: int = 0


def export(
    archive: Archive,
    target: str | Path,
    *,
    tables: Sequence[str] | None = None,
    queries: Sequence[Query] = (),
    form: Form = "csv",
    comments: bool = False,
) -> Exported:
    """Write tables, views and queries of an archive into a new folder.

    The same snapshot always gives the same bytes. A table is read in pieces of whole keys, each drained at
    once, so that memory stays bounded and no writer waits; views and queries are held whole.

    Parameters
    ----------
    archive : Archive
        The archive; its snapshot is read throughout, whatever is written meanwhile.
    target : str or pathlib.Path
        A folder that does not exist or is empty.
    tables : sequence of str, optional
        Tables and views. By default, when no query is given either, every table that has rows and every view;
        `frames` and `timing_frames` only when they are named.
    queries : sequence of Query
        SELECTs to write as files of their own.
    form : {'csv', 'parquet', 'calls', 'envelope'}
        CSV; a folder per table with ``data.parquet``; one native JSON per call with its audio; or the scored moments
        as hotato result envelopes, one a scoring config.

    comments : bool
        Whether each CSV begins with a line ``# ...`` for what a row is, and one for each column.

    Returns
    -------
    Exported
        Rows by file name.

    Raises
    ------
    UsageError
        When a table does not exist, two results share a name, a column cannot be written as it is, `calls` or
        `envelope` is combined with tables or queries, or no moment was scored that an envelope could hold.
    QueryRefused
        When a query is not one SELECT, or fails.
    ExportFailed
        When the folder is not empty or cannot be written; nothing is left then.
    ArchiveFailed
        With `calls`, when audio that was imported is missing or has changed.
    """
    from workbench.archive.lake import Reader
    from workbench.archive.runs import workbench_version
    from workbench.report import calls_export, envelope_export

    if form in ("calls", "envelope") and (tables is not None or queries):
        what = "calls are" if form == "calls" else "scored moments are"
        raise UsageError(f"{what} written whole", where=f"--format {form}", hint="leave out --tables and --query")
    if comments and form != "csv":
        raise UsageError(f"{form} has no comment lines", where="--comments", hint="parquet fields say it themselves")
    done = Exported(Path(target), form, archive.snapshot)
    reader = Reader(archive.layout, as_of=done.snapshot, threads=1)
    try:
        with new_folder(done.folder) as folder:
            if form == "calls":
                done.rows = calls_export.write(reader, archive.layout, folder=folder)
                done.left_out.update(calls_export.left_out(reader))
            elif form == "envelope":
                done.rows, left_out = envelope_export.write(reader, folder=folder)
                done.left_out.update(left_out)
            else:
                sheets = _sheets(reader, tables, queries=queries, form=form, left_out=done.left_out)
                paths: dict[str, codebook.Sheet] = {}
                for sheet in sheets:
                    path = f"{sheet.name}.csv" if form == "csv" else f"{sheet.name}/data.parquet"
                    head = "".join(f"# {said}\n" for said in codebook.as_comments(sheet)) if comments else ""
                    pieces = _pieces(reader, sheet)
                    done.rows[path] = (
                        _write_csv(folder / path, pieces, sheet=sheet, head=head)
                        if form == "csv"
                        else _write_parquet(folder / path, pieces, sheet=sheet)
                    )
                    paths[path] = sheet
                version = workbench_version()
                _text(folder / "codebook.csv", codebook.as_csv(sheets))
                _text(
                    folder / "codebook.md",
                    codebook.as_markdown(sheets, snapshot=done.snapshot, version=version),
                )
                package = datapackage.document(
                    folder, paths, form=form, snapshot=done.snapshot, version=version, comments=comments
                )
                _text(folder / datapackage.NAME, json.dumps(package, indent=2, ensure_ascii=False) + "\n")
            done.byte_count = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    finally:
        reader.close()
    return done


def _text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")


def _sheets(
    reader: Reader,
    names: Sequence[str] | None,
    *,
    queries: Sequence[Query],
    form: Literal["csv", "parquet"],
    left_out: dict[str, int],
) -> list[codebook.Sheet]:
    """Choose what to write, and describe it."""
    from workbench.archive import views
    from workbench.schema import tables as schema

    known = schema()
    made = {view.name: view for view in views.catalogue()}
    if names is None:
        names = (
            [] if queries else [*_with_rows(reader, left_out), *(name for name in sorted(made) if name not in LARGE)]
        )
    if unknown := [name for name in names if name not in known and name not in made]:
        hint = f"one of: {', '.join(sorted({*known, *made}))}"
        raise UsageError(f"no table or view {unknown[0]!r}", where="--tables", hint=hint)
    if not names and not queries and not left_out:
        raise UsageError("no table was named", where="--tables", hint="leave it out for all of them")
    sheets = []
    for name in dict.fromkeys(names):
        types = _types(reader, f'describe "{name}"', {})
        sheets.append(codebook.of_table(known[name], types) if name in known else codebook.of_view(made[name], types))
    for query in queries:
        select = reader.statement(query.sql)
        if query.name in {sheet.name for sheet in sheets} | {"codebook"}:
            raise UsageError(f"two results would have the name {query.name!r}", where="--query", hint="rename the file")
        types = _types(reader, f"describe from (\n{select}\n)", query.params)
        arrow_columns.require(types, form=form)
        sheets.append(codebook.of_query(query.name, select, dict(query.params), types=types))
    return sheets


def _with_rows(reader: Reader, left_out: dict[str, int]) -> Iterator[str]:
    from workbench.schema import tables

    for name in tables():
        count = _count(reader, name)
        if count and name in LARGE:
            left_out[name] = count
        elif count:
            yield name


def _count(reader: Reader, table: str) -> int:
    return int(reader.rows(f'select count(*) from "{table}"')[1][0][0])  # noqa: S608 - a name of the schema


def _types(reader: Reader, query: str, params: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(str(row[0]), str(row[1])) for row in reader.rows(query, params)[1]]


def _pieces(reader: Reader, sheet: codebook.Sheet) -> Iterator[pa.Table]:
    """Yield the rows in order of their key, a table in pieces of whole first keys; at least one piece."""
    if sheet.sql is not None:
        table = arrow_columns.plain(reader.arrow(sheet.sql, dict(sheet.params)))
        yield table.rename_columns([column.name for column in sheet.columns])  # a, a are a, a_1 there
        return
    order = ", ".join(sheet.key)
    if (sheet.kind == "view" and sheet.name not in LARGE) or _count(reader, sheet.name) <= CHUNK_ROWS:
        yield reader.arrow(f'from "{sheet.name}" order by {order}')
        return
    first = sheet.key[0]
    sizes = reader.rows(f"select {first}, count(*) from {sheet.name} group by all order by all")[1]  # noqa: S608
    between = f"from {sheet.name} where {first} between $low and $high order by {order}"
    start, gathered = 0, 0
    for ix, (_, count) in enumerate(sizes):
        if gathered and gathered + count > CHUNK_ROWS:
            yield reader.arrow(between, {"low": sizes[start][0], "high": sizes[ix - 1][0]})
            start, gathered = ix, 0
        gathered += count
    yield reader.arrow(between, {"low": sizes[start][0], "high": sizes[-1][0]})


def _write_csv(path: Path, pieces: Iterator[pa.Table], *, sheet: codebook.Sheet, head: str) -> int:
    count = 0
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(head)
        file.write(csv_text.line(column.name for column in sheet.columns))
        for piece in pieces:
            count += piece.num_rows
            file.writelines(csv_text.lines(piece))
    return count


def _write_parquet(path: Path, pieces: Iterator[pa.Table], *, sheet: codebook.Sheet) -> int:
    """Write a Parquet file whose fields carry unit, description and the meaning of null."""
    import pyarrow.parquet as pq

    path.parent.mkdir()
    first = next(pieces)
    schema = _described(first.schema, sheet)
    count = 0
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for piece in _after(first, pieces):
            count += piece.num_rows
            writer.write_table(piece.cast(schema))
    return count


def _after(first: pa.Table, rest: Iterator[pa.Table]) -> Iterator[pa.Table]:
    yield first
    yield from rest


def _described(schema: pa.Schema, sheet: codebook.Sheet) -> pa.Schema:
    import pyarrow as pa

    fields = []
    for found, column in zip(schema, sheet.columns, strict=True):
        about = {"unit": column.unit, "description": column.description, "empty_means": column.empty_means}
        fields.append(found.with_metadata({name: value for name, value in about.items() if value}))
    return pa.schema(fields, metadata={"description": sheet.grain})
