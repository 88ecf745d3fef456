"""Forgetting a call for good, and keeping the archive's files few and small."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.archive import lock, runs
from workbench.archive.lake import Writer
from workbench.archive.layout import Layout
from workbench.errors import UsageError

if TYPE_CHECKING:
    import duckdb

_SHARED = ("frames",)
"""Tables keyed by recording alone: their rows go when the last call of the recording goes."""

_SCENARIOS_IN_USE = "SELECT (scenario_id, scenario_sha256) FROM lake.calls WHERE scenario_id IS NOT NULL"


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
        run = runs.begin("delete", {})

        def work(con: duckdb.DuckDBPyConnection) -> tuple[dict[str, int], list[str]]:
            return _delete_rows(con, writer, call_id, run=run)

        rows, uris = writer.transaction(work, message=run["run_id"])
        for uri in uris:
            layout.media_path(uri).unlink(missing_ok=True)
        _purge(writer)
    finally:
        writer.close()
    _scrub(layout)
    return Forgotten(rows, len(uris))


def _delete_rows(
    con: duckdb.DuckDBPyConnection, writer: Writer, call_id: str, *, run: dict[str, object]
) -> tuple[dict[str, int], list[str]]:
    from workbench.schema import tables

    found = con.execute("SELECT source_uri FROM lake.calls WHERE call_id = ?", [call_id]).fetchall()
    if not found:
        raise UsageError(f"no call {call_id!r}", hint="workbench sql 'select call_id from calls'")
    con.execute("CREATE OR REPLACE TEMP TABLE gone (recording_id VARCHAR, uri VARCHAR, storage VARCHAR)")
    mine = "SELECT recording_id, uri, storage FROM lake.recordings WHERE call_id = ?"
    others = "SELECT recording_id FROM lake.recordings WHERE call_id <> ?"
    con.execute(f"INSERT INTO gone {mine} AND recording_id NOT IN ({others})", [call_id, call_id])
    uris = [uri for uri, storage in con.execute("SELECT uri, storage FROM gone").fetchall() if storage == "copy"]
    rows: dict[str, int] = {}
    for name, table in tables().items():
        if name in _SHARED:
            where, values = "recording_id IN (SELECT recording_id FROM gone)", []
        elif "call_id" in table.column_names():
            where, values = "call_id = ?", [call_id]
        elif name == "refusals":
            where, values = "location = ? OR source_uri = ?", [call_id, found[0][0]]
        elif name == "scenarios":
            where, values = f"(scenario_id, definition_sha256) NOT IN ({_SCENARIOS_IN_USE})", []
        else:
            continue
        count = con.execute(f"SELECT count(*) FROM lake.{name} WHERE {where}", values).fetchall()[0][0]
        if count:
            con.execute(f"DELETE FROM lake.{name} WHERE {where}", values)
            rows[name] = count
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

    Snapshots stay readable; only files that no snapshot names are removed.

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
    return Compacted(before, _files(layout), len(orphans))


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
