"""`workbench sql`: one SELECT over the archive."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import click

from workbench.cli import interruptible, options, output
from workbench.errors import QueryRefused, UsageError
from workbench.report import arrow_columns, csv_text
from workbench.report.wanted import parameter, queries, read_query

if TYPE_CHECKING:
    from workbench.archive.lake import Reader
    from workbench.report.file_kinds import Kind

T = TypeVar("T")

_PLACE = re.compile(r"^LINE (\d+)(: .*\n)( *\^)", re.MULTILINE)


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
    help="[default: table]",
)
@click.option("--json", "wants_json", is_flag=True, help="The same as --format json.")
@click.option("-o", "--output", "target", type=click.Path(dir_okay=False), help="Write to a file.")
@click.option(
    "--limit", type=click.IntRange(0, 1 << 40), help="Most rows to give; 0 for all. [default: 1000, all with -o]"
)
@options.as_of
def command(
    query: str | None,
    archive_path: str,
    file: str | None,
    name: str | None,
    params: tuple[str, ...],
    form: str | None,
    wants_json: bool,
    target: str | None,
    limit: int | None,
    as_of: int | None,
) -> None:
    """Run one SELECT over the tables and views of an archive.

    The query can read the archive and nothing else, and can write nothing. Values go in as parameters. csv, json
    and parquet give an interval as ISO 8601 text (PT3.5S); for seconds as a number: epoch(b - a). A type that Parquet
    has not is refused with the column's name.

    \b
    Examples:
      workbench sql "from call_overview"
      workbench sql "select * from turn_gaps where gap_s > $s" --param s=1.5 --format csv
      workbench sql --name slowest_responses --param limit=5
    """
    from workbench.archive.archive import Archive
    from workbench.report.new_file import require_place

    if wants_json and form not in {None, "json"}:
        raise UsageError("one of the two", where=f"--json and --format {form}", hint="leave one out")
    form = "json" if wants_json else form or "table"
    values = dict(parameter(item) for item in params)
    if name is not None and query is None and file is None:
        (ready,) = queries([name], values)
        text, values = ready.sql, dict(ready.params)
    else:
        text = _query(query, file, name)
    if form == "parquet" and target is None:
        raise UsageError("Parquet goes to a file", where="--format parquet", hint="add -o FILE.parquet")
    if target is not None:
        require_place(target, kind=_kind(form))
    bound = limit if limit is not None else (0 if target else 1000)
    with Archive(archive_path, as_of=as_of) as archive:
        reader = archive.reader
        result = interruptible.run(lambda: Result(reader, text, values, limit=bound, arrow=form == "parquet"))
    result.write(form, target)
    if result.cut:
        click.echo(f"cut at {output.plural(bound, 'row')}; --limit 0 gives all", err=True)


def _query(query: str | None, file: str | None, name: str | None) -> str:
    if sum(part is not None for part in (query, file, name)) != 1:
        raise UsageError("give one of QUERY, --file or --name", hint='workbench sql "from call_overview"')
    if file is not None or query == "-":
        return options.once("query", lambda: read_query(file or "-"))
    return query or ""


def _kind(form: str) -> Kind:
    """What a file of a format is; a table in a file is CSV."""
    kinds: dict[str, Kind] = {"json": "json", "parquet": "parquet"}
    return kinds.get(form, "csv")


class Result:
    """The rows of one SELECT, up to a limit, under the names that the query gave its columns.

    Parameters
    ----------
    reader : Reader
        Where to read.
    query : str
        The SELECT; semicolons and comments may close it.
    values : dict
        Parameters by name.
    limit : int
        Most rows; 0 for all.
    arrow : bool
        Whether the rows are kept as an Arrow table, with their types.

    Raises
    ------
    QueryRefused
        When it is empty, is no SELECT or fails; places in the message are those of the query as given.
    UsageError
        When an Arrow table would not hold a column as it is.
    """

    def __init__(self, reader: Reader, query: str, values: dict[str, Any], *, limit: int, arrow: bool) -> None:
        select = reader.statement(query)
        self.table: Any = None
        self.rows: list[tuple[Any, ...]] = []
        columns = _columns(reader, select, values) if limit or arrow else None
        names = [name for name, _ in columns] if columns and limit else None
        bounded = f"from (\n{select}\n) limit {limit + 1}" if limit else select
        if arrow:
            arrow_columns.require(columns or (), form="parquet")
            self.table = arrow_columns.plain(_placed(lambda: reader.arrow(bounded, values), lines_before=bool(limit)))
            self.cut = bool(limit) and self.table.num_rows > limit
            self.table = self.table.slice(0, limit or None)
            self.names = names or self.table.column_names
        else:
            given, rows = _placed(lambda: reader.rows(bounded, values), lines_before=bool(limit))
            self.cut = bool(limit) and len(rows) > limit
            self.rows = rows[: limit or None]
            self.names = names or given

    def write(self, form: str, target: str | None) -> None:
        """Write the rows to a file, or print them."""
        if form in {"json", "parquet"}:
            _require_distinct(self.names, form)
        if self.table is not None and target is not None:
            import pyarrow.parquet as pq

            from workbench.report.new_file import whole

            with whole(target, kind=_kind(form)) as file:
                pq.write_table(self.table, file, compression="zstd")
        elif form == "table" and target is None:
            output.table(self.names, self.rows)
            click.echo(output.plural(len(self.rows), "row"), err=True)
        else:
            text = as_json(self.names, self.rows) if form == "json" else as_csv(self.names, self.rows)
            if target is None:
                output.data(text)
            else:
                from workbench.report.new_file import write_whole

                write_whole(target, text, kind=_kind(form))


def _columns(reader: Reader, select: str, values: dict[str, Any]) -> list[tuple[str, str]] | None:
    """Return the columns as the query names them, with their types, or None: a query in brackets has no name twice."""
    try:
        return [(str(row[0]), str(row[1])) for row in reader.rows(f"describe\n{select}", values)[1]]
    except QueryRefused:  # DESCRIBE and SHOW cannot be described; what else is wrong is told when it runs
        return None


def _placed(read: Callable[[], T], *, lines_before: bool) -> T:
    """Read, and let the places in an error count from the first line of the query itself."""
    try:
        return read()
    except QueryRefused as error:
        if not lines_before:
            raise
        raise type(error)(_PLACE.sub(_line_less, error.what), where=error.where, hint=error.hint) from error


def _line_less(found: re.Match[str]) -> str:
    number = str(int(found[1]) - 1)
    return f"LINE {number}{found[2]}{found[3][len(found[1]) - len(number) :]}"


def _require_distinct(names: list[str], form: str) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise UsageError(
            f"two columns are named {twice[0]!r}, and {form} keeps one of a name",
            where="query",
            hint="name them apart with AS; csv and table show both",
        )


def as_csv(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    """Return rows as CSV: an empty cell is null, `""` is empty text, floats in full."""
    return csv_text.text(names, rows)


def as_json(names: list[str], rows: list[tuple[Any, ...]]) -> str:
    """Return rows as a JSON array of objects, a row a line; decimals are numbers with all their digits."""
    import msgspec

    encoder = msgspec.json.Encoder(decimal_format="number")
    lines = [encoder.encode(dict(zip(names, row, strict=True))).decode() for row in rows]
    return "[\n" + ",\n".join(lines) + "\n]\n" if lines else "[]\n"
