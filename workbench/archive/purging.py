"""Makes deletions physical, and removes files that nothing names; always under the write lock."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from workbench.archive.lake import Writer
from workbench.archive.layout import Layout
from workbench.errors import ArchiveFailed
from workbench.plural import plural

DELETED = "delete"
"""Commit message of a deletion."""

SNAPSHOTS = "SELECT snapshot_id, commit_message FROM lake.snapshots() ORDER BY snapshot_id"
"""Query for what :meth:`Mark.is_committed` asks."""


@dataclass(frozen=True)
class Mark:
    """A deletion that was begun and has not ended: of which call, and after which snapshot."""

    call_id: str | None
    after: int

    def is_committed(self, snapshots: Iterable[tuple[int, str | None]]) -> bool:
        """Tell whether the call is gone from the rows, so that only its bytes are left to remove.

        Parameters
        ----------
        snapshots : iterable of (int, str or None)
            Rows of :data:`SNAPSHOTS`, oldest first. Where even the oldest is younger than the mark, snapshots were
            ended, which deletions alone do.
        """
        rows = list(snapshots)
        return rows[0][0] > self.after or any(ix > self.after and message == DELETED for ix, message in rows)

    def __str__(self) -> str:
        return "a deletion" if self.call_id is None else f"the deletion of the call {self.call_id!r}"


def mark(layout: Layout, writer: Writer, call_id: str) -> None:
    """Note durably that the deletion of a call is about to be committed, and after which snapshot."""
    text = json.dumps({"after": _newest(writer), "call_id": call_id})
    begun = layout.purge_mark.with_name(f"{layout.purge_mark.name}.new")
    try:
        begun.write_text(text, encoding="ascii")
        begun.replace(layout.purge_mark)  # whole or not at all: a half-written mark would be taken for a deletion
    finally:
        begun.unlink(missing_ok=True)


def marked(layout: Layout) -> Mark | None:
    """Return the mark of a deletion, None where there is none; of a mark that cannot be read nothing is known."""
    try:
        found = json.loads(layout.purge_mark.read_text(encoding="ascii"))
    except FileNotFoundError:
        return None
    except ValueError:  # written half by an earlier version
        found = -1
    if isinstance(found, dict):
        return Mark(str(found["call_id"]), int(found["after"]))
    return Mark(None, int(found))  # an earlier version noted the snapshot alone


def pending(layout: Layout, writer: Writer) -> bool:
    """Tell whether a deletion was committed and has not become physical yet.

    A mark whose deletion was never committed is taken away.
    """
    found = marked(layout)
    if found is None:
        return False
    if found.is_committed(writer.rows(SNAPSHOTS)):
        return True
    layout.purge_mark.unlink(missing_ok=True)
    return False


def purge(layout: Layout, writer: Writer) -> int:
    """Rewrite files with deleted rows, end older snapshots, remove what nothing names, clear the catalogue.

    Parameters
    ----------
    layout : Layout
        The archive; its lock is held.
    writer : Writer
        A connection to it, outside any transaction.

    Returns
    -------
    int
        Media files removed.

    Raises
    ------
    ArchiveFailed
        When the disk refuses; the mark stays, and `compact` or the next deletion finishes the work.
    """
    writer.maintain(
        [
            "CALL ducklake_rewrite_data_files('lake', delete_threshold => 0)",
            "CALL ducklake_expire_snapshots('lake', older_than => now())",
            "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)",
        ]
    )
    remove_orphaned_data(layout)
    removed = remove_orphaned_media(layout, writer)
    _scrub(layout)
    layout.purge_mark.unlink(missing_ok=True)
    return removed


def remove_orphaned_data(layout: Layout) -> int:
    """Remove Parquet files that the catalogue does not name, as a killed writer leaves them.

    DuckLake's own function for this compares listed paths with the archive's path as a pattern: in a folder
    called ``a?b``, or behind a link, it takes every file for an orphan. Names are compared here.

    Returns
    -------
    int
        Files removed.

    Raises
    ------
    ArchiveFailed
        When a file that is named is missing: nothing is removed from an archive that is not whole.
    """
    names = {Path(path).name for path in _named(layout)}
    files = {path.name: path for path in layout.data.rglob("*.parquet")}
    missing = sorted(names - files.keys())
    if missing:
        raise ArchiveFailed(
            f"{plural(len(missing), 'missing data file')} (first: {missing[0]}); nothing was removed",
            where=str(layout.data),
            hint=f"{layout.command('workbench verify')} says more; restore the archive from a backup",
        )
    orphans = [files[name] for name in sorted(files.keys() - names)]
    for path in orphans:
        path.unlink()
    return len(orphans)


def remove_orphaned_media(layout: Layout, writer: Writer) -> int:
    """Remove copied audio that no recording names; return how many files."""
    query = "SELECT DISTINCT uri FROM lake.recordings WHERE storage = 'copy'"
    orphans = orphaned_media(layout, {uri for (uri,) in writer.rows(query)})
    for path in orphans:
        path.unlink()
    return len(orphans)


def orphaned_media(layout: Layout, known: set[str]) -> list[Path]:
    """Return media files that no row names, sorted.

    Parameters
    ----------
    layout : Layout
        The archive.
    known : set of str
        `uri` of every copied recording.

    Returns
    -------
    list of pathlib.Path
        Empty when there are none.
    """
    return sorted(
        path
        for path in layout.media.rglob("*")
        if path.is_file() and path.relative_to(layout.root).as_posix() not in known
    )


def _newest(writer: Writer) -> int:
    ((newest,),) = writer.rows("SELECT max(snapshot_id) FROM lake.snapshots()")
    return int(newest)


def _named(layout: Layout) -> list[str]:
    """Return the paths of all files that some snapshot, or a clean-up to come, names."""
    tables = ("ducklake_data_file", "ducklake_delete_file", "ducklake_files_scheduled_for_deletion")
    with closing(sqlite3.connect(layout.catalog, timeout=60)) as con:
        return [path for table in tables for (path,) in con.execute(f"SELECT path FROM {table}").fetchall()]


def _scrub(layout: Layout) -> None:
    """Clear the catalogue of minima and maxima that may quote removed rows, and of its free pages.

    The statistics go as a whole: with single values cleared, the next insert would take its own minima and
    maxima for those of the table, and queries would skip rows that are there.
    """
    with closing(sqlite3.connect(layout.catalog, timeout=60)) as con:
        con.execute("DELETE FROM ducklake_table_column_stats")
        con.commit()
        con.execute("VACUUM")
