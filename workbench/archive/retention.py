"""Forgetting a call for good, and keeping the archive's files few and small."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from shlex import quote as quoted
from typing import TYPE_CHECKING

from workbench.archive import failures, lock, runs
from workbench.archive.lake import Writer, quote
from workbench.archive.layout import Layout
from workbench.archive.purging import (
    DELETED,
    Mark,
    mark,
    marked,
    pending,
    purge,
    remove_orphaned_data,
    remove_orphaned_media,
)
from workbench.archive.removal import remove_rows
from workbench.errors import ArchiveFailed, UsageError

if TYPE_CHECKING:
    import duckdb


@dataclass(frozen=True)
class Forgotten:
    """What a deletion removed: rows by table, and media files; `undone` is an earlier one that was never done."""

    rows: dict[str, int]
    media: int
    undone: Mark | None = None


@dataclass(frozen=True)
class Compacted:
    """What a compaction did: data files before and after, orphaned media removed.

    `finished` is a deletion that it made physical, `undone` one that was begun and never done: its call is still there.
    """

    files_before: int
    files_after: int
    orphans: int
    finished: Mark | None = None
    undone: Mark | None = None


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
                undone = marked(layout)
                if pending(layout, writer):
                    with _purging(layout, f"{undone} is not cleaned up yet, and {call_id!r} was not deleted"):
                        purge(layout, writer)
                    undone = None
                _require(writer, call_id, layout)
                mark(layout, writer, call_id)
                try:
                    rows = writer.transaction(
                        lambda con: _remove(con, writer, call_id),
                        message=DELETED,
                        told=f"the call {call_id!r} was deleted",
                    )
                except BaseException as error:
                    try:
                        pending(layout, writer)  # takes the mark away unless the rows are gone
                    except (ArchiveFailed, OSError) as second:
                        stays, again = "the mark of the deletion stays", layout.command("workbench compact")
                        then = f"{again} looks at it again"
                        raise failures.both(error, second, layout.root, stays=stays, then=then) from second
                    raise
                with _purging(layout, f"the call {call_id!r} was deleted, its files are not all cleaned up"):
                    media = purge(layout, writer)
        finally:
            writer.close()
    return Forgotten(rows, media, undone if undone and undone.call_id != call_id else None)


def _purging(layout: Layout, what: str) -> AbstractContextManager[None]:
    return failures.kept(layout.root, what, hint=layout.command("workbench compact"))


def _require(writer: Writer, call_id: str, layout: Layout) -> None:
    # a text, not a parameter: where pandas is imported to bind one, DuckDB loses a Ctrl-C
    if not writer.rows(f"SELECT 1 FROM lake.calls WHERE call_id = {quote(call_id)}"):
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
                found, orphans = marked(layout), 0
                is_committed = pending(layout, writer)
                if is_committed:
                    with _purging(layout, f"{found} is not cleaned up yet"):
                        orphans = purge(layout, writer)
                with _purging(layout, _kept_of(found, is_committed=is_committed)):
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
    ended = {"finished" if is_committed else "undone": found}
    return Compacted(before, _files(layout), orphans, **ended)


def never_done(undone: Mark, layout: Layout) -> str:
    """Return what a deletion that was begun and never done means, and what to do about it."""
    again = layout.command(f"workbench delete {'CALL' if undone.call_id is None else quoted(undone.call_id)}")
    return f"{undone} was begun and never done, and the call is still there: {again} repeats it"


def _kept_of(found: Mark | None, *, is_committed: bool) -> str:
    """What holds of an archive whose files could not all be merged."""
    whole = "no row was changed, and files may be left that nothing needs"
    if found is None:
        return whole
    return f"{found} {'is finished' if is_committed else 'was never done'}; {whole}"


def _files(layout: Layout) -> int:
    return sum(1 for _ in layout.data.rglob("*.parquet"))
