"""Forgetting a call for good, and keeping the archive's files few and small."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.archive import failures, lock, runs
from workbench.archive.lake import Writer, quote
from workbench.archive.layout import Layout
from workbench.archive.purging import DELETED, mark, pending, purge, remove_orphaned_data, remove_orphaned_media
from workbench.archive.removal import remove_rows
from workbench.errors import ArchiveFailed, UsageError, WorkbenchError

if TYPE_CHECKING:
    import duckdb


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
    values it kept of the removed rows. Audio that was only referenced stays where it lies. The lock is held
    throughout. A process killed after the rows are gone leaves a mark: `verify` tells of it, and `compact`
    or the next deletion finishes the work.

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
    ArchiveFailed
        When the disk refuses. Where its mark cannot be looked at either, the same error says so.
    """
    with failures.disk(layout.root):
        writer = Writer(layout)
        try:
            with writer.exclusive():
                if pending(layout, writer):
                    purge(layout, writer)
                _require(writer, call_id, layout)
                mark(layout, writer)
                try:
                    rows = writer.transaction(lambda con: _remove(con, writer, call_id), message=DELETED)
                except BaseException as error:
                    try:
                        pending(layout, writer)  # takes the mark away unless the rows are gone
                    except (ArchiveFailed, OSError) as second:
                        raise _both(error, second, layout) from second
                    raise
                media = purge(layout, writer)
        finally:
            writer.close()
    return Forgotten(rows, media)


def _both(first: BaseException, second: ArchiveFailed | OSError, layout: Layout) -> BaseException:
    """Return one error for what stopped a deletion, and what kept its mark from being taken away after that."""
    if isinstance(first, OSError):
        first = failures.explained(str(first), layout.root) or first
    why = second.what if isinstance(second, ArchiveFailed) else second
    stays, then = f"the mark of the deletion stays ({why})", f"{layout.command('workbench compact')} looks at it again"
    if isinstance(first, WorkbenchError):
        hint = f"{first.hint}; {then}" if first.hint else then
        return ArchiveFailed(f"{first.what}; {stays}", where=str(layout.root), hint=hint)
    if isinstance(first, KeyboardInterrupt):
        return KeyboardInterrupt(f"{stays}; {then}")
    first.add_note(f"{stays}; {then}")  # a bug: told with its traceback
    return first


def _require(writer: Writer, call_id: str, layout: Layout) -> None:
    # a text, not a parameter: where pandas is imported to bind one, DuckDB loses a Ctrl-C
    if not writer.con.execute(f"SELECT 1 FROM lake.calls WHERE call_id = {quote(call_id)}").fetchall():
        hint = layout.command("workbench sql 'select call_id from calls'")
        raise UsageError(f"no call {call_id!r}", where=str(layout.root), hint=hint)


def _remove(con: duckdb.DuckDBPyConnection, writer: Writer, call_id: str) -> dict[str, int]:
    run = runs.begin("delete", {})
    rows = remove_rows(con, [call_id])
    writer.add("runs", [runs.end(run, {"rows": sum(rows.values())})])
    return rows


def compact(layout: Layout) -> Compacted:
    """Merge small files, drop what no snapshot needs any more, remove what killed writers left.

    Snapshots stay readable; only files that no snapshot names are removed. A deletion that was killed
    before it was physical is finished, and older snapshots end with it.

    Parameters
    ----------
    layout : Layout
        The archive.

    Returns
    -------
    Compacted
        Files before and after, orphaned media removed.

    Raises
    ------
    ArchiveFailed
        When data files are missing; nothing is removed then.
    """
    lock.sweep(layout.root)
    before = _files(layout)
    with failures.disk(layout.root):
        writer = Writer(layout)
        try:
            with writer.exclusive():
                orphans = purge(layout, writer) if pending(layout, writer) else 0
                writer.maintain(
                    [
                        "CALL ducklake_merge_adjacent_files('lake')",
                        "CALL ducklake_cleanup_old_files('lake', cleanup_all => true)",
                    ]
                )
                remove_orphaned_data(layout)
                orphans += remove_orphaned_media(layout, writer)
        finally:
            writer.close()
    return Compacted(before, _files(layout), orphans)


def _files(layout: Layout) -> int:
    return sum(1 for _ in layout.data.rglob("*.parquet"))
