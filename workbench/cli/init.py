"""`workbench init`: an empty archive."""

from __future__ import annotations

import click

from workbench.cli import options, output


@options.command("init")
@options.archive
@options.as_json
@options.quiet
def command(archive_path: str, *, as_json: bool, quiet: bool) -> None:
    """Make an empty archive in a new folder.

    \b
    Example:
      workbench init --archive calls.archive
    """
    from workbench.archive.archive import Archive

    Archive.create(archive_path).close()
    if as_json:
        output.json_line({"archive": archive_path})
    elif not quiet:
        shown = output.one_line(archive_path)
        click.echo(f"made the archive {shown}\nnext: workbench import FOLDER --archive {shown}")
