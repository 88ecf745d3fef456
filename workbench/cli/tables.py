"""`workbench tables`: what there is to query."""

from __future__ import annotations

import click

from workbench.cli import options, output
from workbench.errors import UsageError


@options.command("tables")
@click.argument("name", required=False)
@click.option("--json-schema", is_flag=True, help="Print the JSON Schema of the native call format.")
@options.as_json
def command(name: str | None, *, json_schema: bool, as_json: bool) -> None:
    """List tables and views, or describe the columns of one.

    \b
    Examples:
      workbench tables
      workbench tables turns
    """
    from workbench.archive import views
    from workbench.schema import tables

    if json_schema:
        from workbench.ingest import native

        output.json_line(native.json_schema())
        return
    found = tables()
    made = {view.name: view for view in views.catalogue()}
    if name is None:
        rows = [("table", key, table.grain()) for key, table in found.items()]
        rows += [("view", key, view.grain) for key, view in sorted(made.items())]
        if as_json:
            output.json_line([{"kind": kind, "name": key, "grain": grain} for kind, key, grain in rows])
        else:
            output.table(["kind", "name", "grain"], rows)
        return
    if name in found:
        table = found[name]
        columns = []
        for column in table.column_names():
            shown, kind, unit, description = table.shown(column)
            columns.append(
                {
                    "column": shown,
                    "type": kind,
                    "unit": unit,
                    "empty_means": table.meta(column).get("null"),
                    "description": description,
                    "key": column in table.primary_key(),
                }
            )
        head = {"name": name, "grain": table.grain(), "key": list(table.primary_key())}
    elif name in made:
        view = made[name]
        columns = [{"column": column, "description": text} for column, text in view.columns.items()]
        head = {"name": name, "grain": view.grain, "key": list(view.key), "reads": list(view.reads)}
    else:
        raise UsageError(f"no table or view {name!r}", hint="workbench tables lists them")
    if as_json:
        output.json_line(head | {"columns": columns})
        return
    click.echo(f"{name}: {head['grain']}\nkey: {', '.join(head['key'])}\n")
    output.table(list(columns[0]), [tuple(column.values()) for column in columns])
