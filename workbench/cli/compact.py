"""`workbench compact`: few files, nothing left over."""

from __future__ import annotations

import click

from workbench.cli import options, output


@options.command("compact")
@options.archive
@options.as_json
@options.quiet
def command(archive_path: str, *, as_json: bool, quiet: bool) -> None:
    """Merge small files and remove what killed writers left; snapshots stay readable."""
    from workbench.archive.archive import Archive
    from workbench.archive.retention import compact

    with Archive(archive_path) as archive:
        done = compact(archive.layout)
    if as_json:
        output.json_line(vars(done))
    elif not quiet:
        click.echo(
            f"{output.plural(done.files_before, 'data file')} before, {done.files_after} after; "
            f"removed {output.plural(done.orphans, 'audio file')} of no call"
        )
