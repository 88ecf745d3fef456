"""`workbench init`: an empty archive."""

from __future__ import annotations

import click

from workbench.cli import options


@options.command("init")
@options.archive
@options.quiet
def command(archive_path: str, *, quiet: bool) -> None:
    """Make an empty archive in a new folder.

    \b
    Example:
      workbench init --archive calls.archive
    """
    from workbench.archive.archive import Archive

    Archive.create(archive_path).close()
    if not quiet:
        click.echo(f"made the archive {archive_path}\nnext: workbench import FOLDER --archive {archive_path}")
