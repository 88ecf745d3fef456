"""`workbench compact`: few files, nothing left over."""

from __future__ import annotations

import click

from workbench.cli import options, output
from workbench.errors import GateFailed


@options.command("compact")
@options.archive
@options.as_json
@options.quiet
def command(archive_path: str, *, as_json: bool, quiet: bool) -> None:
    """Merge small files and remove what killed writers left; snapshots stay readable.

    A deletion that was killed half-way is finished. One that was killed before anything was deleted cannot be: exit
    code 1 then, with the command that repeats it.
    """
    from workbench.archive.archive import Archive
    from workbench.archive.retention import compact, never_done

    with Archive(archive_path) as archive:
        done = compact(archive.layout)
        undone = None if done.undone is None else never_done(done.undone, archive.layout)
    if as_json:
        output.json_line(vars(done))
    elif not quiet:
        click.echo(
            f"{output.plural(done.files_before, 'data file')} before, {done.files_after} after; "
            f"removed {output.plural(done.orphans, 'audio file')} of no call"
        )
        if done.finished is not None:
            click.echo(output.one_line(f"finished {done.finished}"))
    if undone is not None:
        raise GateFailed(undone, where=archive_path)
