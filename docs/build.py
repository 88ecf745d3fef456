"""Write the generated pages of docs/: tables, commands, views, formats. `make docs` runs it.

Each page comes from the one place that declares its content, so that no page can say what the code does not.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from workbench import assets

HERE = Path(__file__).resolve().parent
NOTE = "<!-- Written by `make docs`; change what it is made from. -->"


def cell(text: str) -> str:
    """Return text as a cell of a Markdown table."""
    return " ".join(text.split()).replace("|", "\\|") or "-"


def table(head: list[str], body: list[list[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(cell(c) for c in line) + " |" for line in lines)


def code(names: Iterator[str] | tuple[str, ...] | list[str]) -> str:
    """Return names as code, with commas."""
    return ", ".join(f"`{name}`" for name in names)


def tables_page() -> str:
    """Return the page of all tables."""
    from workbench.schema import tables

    parts = ["# Tables", NOTE]
    parts.append("A column that is never empty has no rule for empty cells. Seconds count from the start of the call.")
    for name, schema in tables().items():
        columns = [
            [
                f"`{shown}`",
                kind,
                unit or "",
                str(schema.meta(column).get("null") or ""),
                description,
            ]
            for column in schema.columns()
            for shown, kind, unit, description in [schema.shown(column)]
        ]
        parts += [f"## {name}", f"{schema.grain()} Key: {code(schema.primary_key())}."]
        parts.append(table(["column", "type", "unit", "empty when", "what it is"], columns))
    return "\n\n".join(parts) + "\n"


def commands_page() -> str:
    """Return the page with the help of every command."""
    from workbench.cli import commands, root

    def context(command: click.Command, name: str, parent: click.Context | None) -> click.Context:
        names = root.context_settings.get("help_option_names")
        return click.Context(
            command,
            info_name=name,
            parent=parent,
            help_option_names=names,
            terminal_width=100,
            max_content_width=100,
        )

    top = context(root, "workbench", None)
    parts = ["# Commands", NOTE, fenced(root.get_help(top))]
    for name, command in sorted(commands().items()):
        parts.append(f"## workbench {name}")
        parts += [fenced(each.get_help(context(each, path, top))) for path, each in below(name, command)]
    return "\n\n".join(parts) + "\n"


def fenced(text: str) -> str:
    """Return text as it stands, without spaces at the ends of its lines."""
    return "```text\n" + "\n".join(line.rstrip() for line in text.splitlines()) + "\n```"


def below(path: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yield a command and the commands below it."""
    yield path, command
    if isinstance(command, click.Group):
        for name, inner in sorted(command.commands.items()):
            yield from below(f"{path} {name}", inner)


def views_page() -> str:
    """Return the page of everything in sql/ that has a name: views, macros, queries, audits."""
    from workbench.archive import headers

    sql = assets.folder("sql")
    parts = ["# Views", NOTE, "What `workbench sql` and the notebooks see beside the tables themselves."]
    for path in sorted((sql / "views").glob("*.sql")):
        view = headers.read_view(path)
        parts += [f"## {view.name}", f"{view.grain} Key: {code(view.key)}. Reads: {code(view.reads)}."]
        parts.append(f"Units: {view.units}.")
        parts.append(table(["column", "what it is"], [[f"`{n}`", text] for n, text in view.columns.items()]))
        if view.notes:
            parts.append(view.notes)

    macros = [headers.read_macro(path) for path in sorted((sql / "macros").glob("*.sql"))]
    parts += ["# Macros", table(["file", "what it gives"], [[f"`{m.name}`", m.about] for m in macros])]

    queries = [headers.read_query(path) for path in sorted((sql / "queries").glob("*.sql"))]
    parts.append("# Queries")
    parts.append(
        table(
            ["file", "what it answers", "parameters"],
            [
                [
                    f"`{q.name}`",
                    q.about,
                    "; ".join(
                        f"`{n}`{'' if default is None else f' = {default}'}: {text}"
                        for n, (text, default) in q.parameters.items()
                    ),
                ]
                for q in queries
            ],
        )
    )
    audits = [headers.read_audit(path) for path in sorted((sql / "audits").glob("*.sql"))]
    parts += ["# Audits", "Each must return nothing."]
    parts.append(table(["file", "what a row would be"], [[f"`{a.name}`", a.grain] for a in audits]))
    return "\n\n".join(parts) + "\n"


def formats_page() -> str:
    """Return the page of all formats that can be imported."""
    from workbench.ingest.intake.discovery import importers

    body = [[f"`{each.FORMAT}`", each.CLAIMS, each.ABOUT] for each in importers().values()]
    intro = "`workbench import PATH` finds the format by itself; `--format NAME` says it."
    return f"# Formats\n\n{NOTE}\n\n{intro}\n\n{table(['format', 'takes a', 'what it is'], body)}\n"


PAGES = {
    "tables.md": tables_page,
    "commands.md": commands_page,
    "views.md": views_page,
    "formats.md": formats_page,
}


def main() -> None:
    """Write every page and say which changed."""
    for name, page in PAGES.items():
        path = HERE / name
        text = page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            print(f"wrote docs/{name}")


if __name__ == "__main__":
    main()
