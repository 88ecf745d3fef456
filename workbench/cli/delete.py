"""`workbench delete`: forget a call for good."""

from __future__ import annotations

import sys

import click

from workbench.cli import options, output
from workbench.errors import UsageError


@options.command("delete")
@click.argument("call_id")
@options.archive
@click.option("--yes", is_flag=True, help="Do not ask.")
@options.as_json
@options.quiet
def command(call_id: str, archive_path: str, *, yes: bool, as_json: bool, quiet: bool) -> None:
    """Remove a call, its derived rows and its copied audio, physically.

    Older snapshots end with it: a deletion that history could undo would not be one. Exit code 2: nothing was
    deleted, because the answer was no or nobody was there to be asked. Where only the report cannot be written (a full
    disk behind stdout) the code is 2 too, and the message says that the deletion stays.

    \b
    Example:
      workbench delete dealer-1482
    """
    from workbench.archive.archive import Archive
    from workbench.archive.retention import delete, never_done

    with Archive(archive_path) as archive:
        if not yes and (sys.stdin is None or not sys.stdin.isatty()):
            raise UsageError("nobody is there to be asked, so nothing was deleted", where=call_id, hint="add --yes")
        if not yes and not _agreed(call_id):
            raise UsageError("nothing was deleted", where=call_id)
        gone = delete(archive.layout, call_id)
        if gone.undone is not None:
            click.echo(output.one_line(f"note: {never_done(gone.undone, archive.layout)}"), err=True)
    if as_json:
        output.json_line({"call_id": call_id, "rows": gone.rows, "media": gone.media})
    elif not quiet:
        click.echo(
            f"deleted {output.safe(call_id)}: {output.plural(sum(gone.rows.values()), 'row')} of "
            f"{output.plural(len(gone.rows), 'table')}, {output.plural(gone.media, 'audio file')}; "
            "older snapshots are gone"
        )


def _agreed(call_id: str) -> bool:
    """Ask; no answer at all (Ctrl-D) is a no, and Ctrl-C stops the command."""
    try:
        return click.confirm(f"Delete call {output.safe(call_id)} and every older snapshot?")
    except click.Abort as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            raise
        click.echo(err=True)
        return False
