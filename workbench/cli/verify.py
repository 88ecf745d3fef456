"""`workbench verify`: whether the archive is whole."""

from __future__ import annotations

import sys

import click

from workbench.cli import options, output
from workbench.errors import Exit


@options.command("verify")
@options.archive
@options.as_json
@options.quiet
def command(archive_path: str, *, as_json: bool, quiet: bool) -> None:
    """Read every data file, hash every audio file, run every audit; exit 1 when something is wrong."""
    from workbench.archive.archive import Archive
    from workbench.archive.verifying import verify

    with Archive(archive_path) as archive:
        result = verify(archive.layout)
    if as_json:
        output.json_line(vars(result))
    elif not quiet:
        click.echo(
            f"read {output.plural(result.files, 'data file')}, hashed {output.plural(result.media, 'audio file')}, "
            f"ran {output.plural(result.audits, 'audit')}: {output.plural(len(result.problems), 'problem')}"
        )
        for problem in result.problems:
            click.echo(output.one_line(f"problem: {problem}"))
        for note in result.notes:
            click.echo(output.one_line(f"note: {note}"))
    else:
        for problem in result.problems:
            click.echo(output.one_line(f"problem: {problem}"), err=True)
    if result.problems:
        sys.exit(Exit.GATE_FAILED)
