"""Forgetting a call for good, and keeping the archive's files few and small."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.archive import lock, runs
from workbench.archive.lake import Writer
from workbench.archive.layout import Layout
from workbench.archive.removal import remove_rows
from workbench.errors import UsageError

if TYPE_CHECKING:
    import duckdb

DELETED = "delete"
"""Commit message of a deletion."""


@dataclass(frozen=True)
class Forgotten:
    """What a deletion removed: rows by table, and media files."""

    rows: dict[str, int]
    media: int


@dataclass(frozen=True)
class Compacted:
    """What a compaction did: data files before and after, orphaned media removed."""

    files_before: int
    files_after: int
    orphans: int


def delete(layout: Layout, call_id: str) -> Forgotten:
    """Remove a call, everything derived from it and its copied audio, physically.

    The affected Parquet files are rewritten, older snapshots expire, and the catalogue is cleared of
    values it kept of the removed rows. Audio that was only referenced stays where it lies.

    Parameters
    ----------
    layout : Layout
        The archive.
    call_id : str
        The call.

    Returns
    -------
    Forgotten
        Rows by table and media files removed.

    Raises
    ------
    UsageError
        When there is no such call; nothing is changed.
    """
    writer = Writer(layout)
    try:
        rows, uris = writer.transaction(lambda con: _remove(con, writer, call_id), message=DELETED)
        for uri in uris:
            layout.media_path(uri).unlink(missing_ok=True)
        _purge(writer)
    finally:
        writer.close()
    _scrub(layout)
    return Forgotten(rows, len(uris))


def _remove(con: duckdb.DuckDBPyConnection, writer: Writer, call_id: str) -> tuple[dict[str, int], list[str]]:
    if not con.execute("SELECT 1 FROM lake.calls WHERE call_id = ?", [call_id]).fetchall():
        raise UsageError(f"no call {call_id!r}", hint="workbench sql 'select call_id from calls'")
    run = runs.begin("delete", {})
    rows, uris = remove_rows(con, [call_id])
    writer.add("runs", [runs.end(run, {"rows": sum(rows.values())})])
    return rows, uris


def _purge(writer: Writer) -> None:
    """Rewrite files with deleted rows, expire what no snapshot needs, remove the files."""
    writer.maintain(
        [
            "CALL ducklake_rewrite_data_files('lake', delete_threshold => 0)",
            "CALL ducklake_expire_snapshots('lake', older_than => now())",
            "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)",
            "CALL ducklake_delete_orphaned_files('lake', cleanup_all => true)",
        ]
    )


def _scrub(layout: Layout) -> None:
    """Clear the catalogue of minima and maxima that may quote removed rows, and of its free pages."""
    with lock.held(layout.lock):
        con = sqlite3.connect(layout.catalog)
        try:
            con.execute("UPDATE ducklake_table_column_stats SET min_value = NULL, max_value = NULL")
            con.commit()
            con.execute("VACUUM")
        finally:
            con.close()


def compact(layout: Layout) -> Compacted:
    """Merge small files, drop what no snapshot needs any more, remove what killed writers left.

    Snapshots stay readable; only files that no snapshot names are removed. A deletion that was killed
    before it was physical is finished.

    Parameters
    ----------
    layout : Layout
        The archive.

    Returns
    -------
    Compacted
        Files before and after, orphaned media removed.
    """
    lock.sweep(layout.root)
    before = _files(layout)
    writer = Writer(layout)
    try:
        unfinished = _unfinished_deletion(writer)
        if unfinished:
            _purge(writer)
        writer.maintain(
            [
                "CALL ducklake_merge_adjacent_files('lake')",
                "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)",
                "CALL ducklake_delete_orphaned_files('lake', cleanup_all => true)",
            ]
        )
        with lock.held(layout.lock):
            orphans = orphaned_media(layout, {uri for (uri,) in _uris(writer)})
            for path in orphans:
                path.unlink()
    finally:
        writer.close()
    if unfinished:
        _scrub(layout)
    return Compacted(before, _files(layout), len(orphans))


def _unfinished_deletion(writer: Writer) -> bool:
    """Tell whether snapshots from before a deletion are still there."""
    rows = writer.con.execute("SELECT commit_message FROM lake.snapshots() ORDER BY snapshot_id").fetchall()
    return any(message == DELETED for (message,) in rows[1:])


def _uris(writer: Writer) -> list[tuple[str]]:
    return writer.con.execute("SELECT DISTINCT uri FROM lake.recordings WHERE storage = 'copy'").fetchall()


def _files(layout: Layout) -> int:
    return sum(1 for _ in layout.data.rglob("*.parquet"))


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
