"""`workbench history`: every snapshot of an archive."""

from __future__ import annotations

from workbench.cli import interruptible, options, output


@options.command("history")
@options.archive
@options.as_json
def command(archive_path: str, *, as_json: bool) -> None:
    """List the snapshots of an archive: number, time, run, tables that changed.

    Read an older one with --as-of N.
    """
    from workbench.archive.archive import Archive

    with Archive(archive_path) as archive:
        rows = interruptible.run(archive.history)
    if as_json:
        output.json_line(rows)
        return
    shown = [
        (
            row["snapshot_id"],
            f"{row['snapshot_time']:%Y-%m-%d %H:%M:%S}",
            row["commit_message"],
            changes(row["changes"]),
        )
        for row in rows
    ]
    output.table(["snapshot", "time (UTC)", "run", "changed"], shown)


def changes(recorded: dict[str, list[str]]) -> str:
    """Return what a snapshot changed in a few words."""
    words = {
        "tables_created": "made tables",
        "tables_inserted_into": "added to",
        "tables_deleted_from": "deleted from",
    }
    return "; ".join(f"{words.get(kind, kind)} {len(names)}" for kind, names in sorted(recorded.items()))
