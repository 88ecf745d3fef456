"""`workbench notebook`: the notebooks that come with the workbench, on an archive of yours."""

from __future__ import annotations

import ast
import importlib.util
import os
import shutil
import sys
from pathlib import Path

import click

from workbench.cli import options, output
from workbench.errors import MissingExtra, UsageError


@options.command("notebook")
@click.argument("name", required=False)
@click.option(
    "--archive",
    "archive_path",
    type=click.Path(file_okay=False),
    help="Folder of the archive. [default: $WORKBENCH_ARCHIVE, else ./archive, else the demo's]",
)
@click.option("--edit", is_flag=True, help="Open it with its code, to change it.")
@click.option("--call", "call_id", metavar="ID", help="Call to open, in the notebook `call`.")
@click.option("--port", type=click.IntRange(1, 65535), help="Port on this machine. [default: a free one]")
@options.as_json
@click.option("--headless", is_flag=True, help="Do not open a browser; print the address.")
def command(
    name: str | None,
    archive_path: str | None,
    call_id: str | None,
    port: int | None,
    *,
    edit: bool,
    as_json: bool,
    headless: bool,
) -> None:
    """List the notebooks, or open one on an archive.

    It is shown as a page that answers. With --edit its code is there to be changed: press "Run all cells" first.
    Where the workbench is installed and not checked out, a copy in ./notebooks is opened then, so that what you
    change is yours and stays.

    \b
    Examples:
      workbench notebook
      workbench notebook archive --archive out/demo/archive
      workbench notebook call --call call-001 --edit
    """
    found = notebooks()
    if name is None:
        if as_json:
            output.json_line([{"name": stem, "title": title(path)} for stem, path in found.items()])
            return
        width = max(map(len, found))
        for stem, path in found.items():
            click.echo(f"{stem.ljust(width)}  {title(path)}")
        return
    if name not in found:
        raise UsageError(f"there is no notebook {name!r}", hint=f"one of: {', '.join(found)}")
    if importlib.util.find_spec("marimo") is None:
        raise MissingExtra("marimo", "notebooks")
    from workbench.analysis.default_archive import default_archive
    from workbench.archive.layout import Layout
    from workbench.ports import HOST, reserve

    archive = default_archive(archive_path)
    Layout(archive).require()
    path = editable(found[name]) if edit else found[name]
    arguments = [
        sys.executable,
        "-m",
        "marimo",
        "edit" if edit else "run",
        str(path),
        "--host",
        HOST,
    ]
    arguments += [] if edit else ["--token"]
    arguments += ["--no-sandbox"]  # it would fetch packages
    arguments += ["--port", str(reserve(port))]
    arguments += ["--headless"] if headless else []
    environment = {**os.environ, "WORKBENCH_ARCHIVE": str(archive.resolve())}
    if call_id is not None:
        environment["WORKBENCH_CALL"] = call_id
    click.echo(output.one_line(f"{path} on {archive}"), err=True)
    sys.stderr.flush()
    os.execve(sys.executable, arguments, environment)  # noqa: S606 - the server is this process: a signal ends it


def notebooks() -> dict[str, Path]:
    """Return the path of every notebook that came with this installation, by name.

    Raises
    ------
    WorkbenchError
        When the installation is incomplete.
    """
    from workbench.assets import folder

    return {path.stem: path for path in sorted(folder("notebooks").glob("*.py"))}


def title(path: Path) -> str:
    """Return the first sentence of a notebook, read and not run."""
    return (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def editable(path: Path) -> Path:
    """Return the notebook itself in a checkout, else a copy in ./notebooks; a copy that is there is kept."""
    if path.parent.parent.name != "_shipped" and os.access(path, os.W_OK):
        return path
    copy = Path("notebooks") / path.name
    if not copy.exists():
        looks = [style for style in path.parent.glob("*.css") if not (copy.parent / style.name).exists()]
        try:
            copy.parent.mkdir(exist_ok=True)
            for file in (*looks, path):
                shutil.copyfile(file, copy.parent / file.name)
        except OSError as error:
            raise UsageError(
                f"no copy to edit can be written here ({error.strerror})",
                where=str(copy),
                hint="leave --edit out, or change folder",
            ) from error
    return copy
