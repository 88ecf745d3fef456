"""`workbench sql`: one SELECT over the archive."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import options, output
from workbench.errors import UsageError
from workbench.report import csv_text
from workbench.report.wanted import parameter, queries

if TYPE_CHECKING:
    from workbench.archive.lake import Reader


@options.command("sql")
@click.argument("query", required=False)
@options.archive
@click.option("--file", "file", type=click.Path(dir_okay=False), help="Read the query from a file; - is stdin.")
@click.option("--name", help="Run a ready-made query of sql/queries.")
@click.option(
    "--param",
    "params",
    multiple=True,
    metavar="K=V",
    help="Value of $K; numbers, true, false and null are typed.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json", "parquet"]),
    default="table",
    show_default=True,
)
@click.option("-o", "--output", "target", type=click.Path(dir_okay=False), help="Write to a file.")
@click.option("--limit", type=click.IntRange(0), help="Most rows to give; 0 for all. [default: 1000, all with -o]")
@options.as_of
def command(
    query: str | None,
    archive_path: str,
    file: str | None,
    name: str | None,
    params: tuple[str, ...],
    form: str,
    target: str | None,
    limit: int | None,
    as_of: int | None,
) -> None:
    """Run one SELECT over the tables and views of an archive.

    The query can read the archive and nothing else, and can write nothing. Values go in as parameters.

    \b
    Examples:
      workbench sql "from call_overview"
      workbench sql "select * from turn_gaps where gap_s > $s" --param s=1.5 --format csv
      workbench sql --name slowest_responses --param limit=5
    """
    from workbench.archive.archive import Archive

    values = dict(parameter(item) for item in params)
    if name is not None and query is None and file is None:
        (ready,) = queries([name], values)
        text, values = ready.sql, dict(ready.params)
    else:
        text = _query(query, file, name)
    if form == "parquet" and target is None:
        raise UsageError("Parquet goes to a file", where="--format parquet", hint="add -o FILE.parquet")
    bound = limit if limit is not None else (0 if target else 1000)
    with Archive(archive_path, as_of=as_of) as archive:
        archive.reader.check_select(text)
        cut = _write(archive.reader, text, values, form, target, bound)
    if cut:
        click.echo(f"cut at {bound} rows; --limit 0 gives all", err=True)


def _query(query: str | None, file: str | None, name: str | None) -> str:
    if sum(part is not None for part in (query, file, name)) != 1:
        raise UsageError("give one of QUERY, --file or --name", hint='workbench sql "from call_overview"')
    if file == "-" or query == "-":
        return sys.stdin.read()
    if file is not None:
        path = Path(file)
        if not path.is_file():
            raise UsageError("no such file", where=file, hint="give the path of a file with one SELECT")
        return path.read_text(encoding="utf-8-sig")
    return query or ""


def _write(reader: Reader, query: str, values: dict[str, Any], form: str, target: str | None, limit: int) -> bool:
    """Write the result; return whether rows were cut off."""
    bounded = f"from (\n{query.strip().rstrip(';')}\n) limit {limit + 1}" if limit else query
    if form == "parquet":
        import pyarrow.parquet as pq

        table = reader.arrow(bounded, values)
        cut = bool(limit) and table.num_rows > limit
        pq.write_table(table.slice(0, limit or None), target, compression="zstd")
        return cut
    names, rows = reader.rows(bounded, values)
    cut = bool(limit) and len(rows) > limit
    rows = rows[: limit or None]
    if form == "table" and target is None:
        output.table(names, rows)
        click.echo(output.plural(len(rows), "row"), err=True)
        return cut
    text = as_json(names, rows) if form == "json" else as_csv(names, rows)
    if target:
        Path(target).write_text(text, encoding="utf-8", newline="")
    else:
        click.echo(text, nl=False)
    return cut


def as_csv(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    """Return rows as CSV: an empty cell is null, `""` is empty text, floats in full."""
    return csv_text.text(names, rows)


def as_json(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    """Return rows as a JSON array of objects, a row a line."""
    import msgspec

    lines = [msgspec.json.encode(dict(zip(names, row, strict=True))).decode() for row in rows]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"
