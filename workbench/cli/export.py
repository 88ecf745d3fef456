"""`workbench export`: research files with a codebook, or calls as files."""

from __future__ import annotations

from typing import Any

import click

from workbench.cli import interruptible, options, output


@options.command("export")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False))
@options.archive
@click.option(
    "--tables",
    metavar="A,B",
    help="Tables and views. [default: all with rows, and all views; frames and timing_frames only if named]",
)
@click.option("--query", "wanted", multiple=True, metavar="QUERY", help="A ready-made query, a file.sql, or a SELECT.")
@click.option("--param", "params", multiple=True, metavar="K=V", help="Value of $K in the queries.")
@click.option(
    "--format", "form", type=click.Choice(["csv", "parquet", "calls", "envelope"]), default="csv", show_default=True
)
@click.option("--comments", is_flag=True, help="Begin each CSV with a line '# column: what it is' for each column.")
@options.as_of
@options.as_json
@options.quiet
def command(
    folder: str,
    archive_path: str,
    *,
    tables: str | None,
    wanted: tuple[str, ...],
    params: tuple[str, ...],
    form: Any,
    comments: bool,
    as_of: int | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write an archive into a new folder DIR for other tools.

    csv and parquet come with codebook.csv, codebook.md and datapackage.json. calls writes one native JSON a
    call with its audio, which `workbench import` reads again; labels recorded after the import are left out and
    counted. envelope writes the scored moments as hotato result
    envelopes, one a scoring config, and imported ones again; moments with nothing measured are left out and
    counted. An empty cell is null, "" is empty text.

    \b
    Examples:
      workbench export research/
      workbench export timing/ --tables scored_events,timing_frames --comments
      workbench export lake/ --format parquet --tables calls,turns,frames
      workbench export slow/ --query "from turn_gaps where gap_s > $s" --param s=1.5
      workbench export calls/ --format calls
    """
    from workbench.archive.archive import Archive
    from workbench.report.export import export
    from workbench.report.wanted import parameter, queries

    names = None if tables is None else [name.strip() for name in tables.split(",") if name.strip()]
    asked = queries(wanted, dict(parameter(item) for item in params))
    with Archive(archive_path, as_of=as_of) as archive:
        done = interruptible.run(
            lambda: export(archive, folder, tables=names, queries=asked, form=form, comments=comments)
        )
    if as_json:
        output.json_line(
            {
                "folder": str(done.folder),
                "format": done.form,
                "snapshot": done.snapshot,
                "rows": done.rows,
                "left_out": done.left_out,
                "byte_count": done.byte_count,
            }
        )
    elif not quiet:
        output.table(["calls" if form == "calls" else "file", "rows"], list(done.rows.items()))
        click.echo(f"\nsnapshot {done.snapshot}, {done.byte_count / 1e6:.1f} MB in {output.one_line(done.folder)}")
        for name, count in done.left_out.items():
            if form == "calls":
                again = archive.layout.command("workbench export DIR --tables labels")
                told = f"{output.plural(count, 'label')} recorded after the import; {again} writes all labels"
                click.echo(output.safe(f"left out: {told}"))
                continue
            noun, how = ("event", "") if form == "envelope" else ("row", f"; --tables {name} writes it")
            click.echo(f"left out: {name} ({output.plural(count, noun)}){how}")
