"""An empty archive: every table with its comments, the options of its Parquet files, the marker last."""

from __future__ import annotations

import errno
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from workbench.archive import failures, lake, lock
from workbench.archive.layout import FORMAT, ROW_GROUP, Layout
from workbench.errors import ArchiveFailed
from workbench.guarded import require_outside

_OPTIONS = {
    "parquet_version": 2,  # delta encodings: levels of frames take half the space
    "parquet_compression": "zstd",
    "parquet_row_group_size": ROW_GROUP,
    "parquet_row_group_size_bytes": "16MB",  # long texts: a row group is held in memory while it is written
    "data_inlining_row_limit": 0,  # every row lies in Parquet, where anyone can read it
}


def is_free(layout: Layout) -> bool:
    """Tell whether an archive can be made in a folder: it is not there, empty, or half made by a killed process.

    What is half made has a mark of its own, which is written before anything else, and no files in its folders; a
    folder ``data`` of somebody else's is never taken for one.
    """
    root = layout.root
    if not root.exists():
        return True
    if not root.is_dir():
        return False
    names = {path.name for path in root.iterdir()} - {layout.lock.name}
    if layout.making.name in names:
        names -= {part.name for part in _parts(layout)}
    return not names and not _holds_files(layout)


def create(layout: Layout) -> list[Path]:
    """Make an empty archive with every table, its comments and its options.

    Parameters
    ----------
    layout : Layout
        Folder to make it in: new, or empty.

    Returns
    -------
    list of pathlib.Path
        The folders that were made for it, the innermost first; empty where it was there.

    Raises
    ------
    ArchiveFailed
        When the folder holds something else or cannot be written.
    ExportFailed
        When it lies in another archive or in a contract.
    """
    root = layout.root
    require_outside(root)
    made = [folder for folder in (root, *root.parents) if not folder.exists()]
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(layout, error) from error
    if not is_free(layout):
        raise _taken(layout)
    with (
        undone(lambda: _unless_made(layout, lambda: _remove_folders(made)), layout),
        lock.held(layout.lock),
        undone(lambda: _unless_made(layout, lambda: _remove_lock(layout)), layout),
    ):
        if not is_free(layout):  # another process has just made it
            raise _taken(layout)
        with undone(lambda: _clear(layout), layout):
            _fill(layout)
    return made


@contextmanager
def undone(undo: Callable[[], None], layout: Layout) -> Iterator[None]:
    """Undo what was begun when the block fails; whatever it was goes on, with what could not be undone.

    Parameters
    ----------
    undo : callable
        Removes what was begun.
    layout : Layout
        The archive.

    Raises
    ------
    BaseException
        What the block raised, or one error for it and for what could not be undone.
    """
    try:
        yield
    except BaseException as first:
        try:
            undo()
        except (ArchiveFailed, OSError) as second:
            raise failures.both(
                first, second, layout.root, stays="what was begun stays", then="remove it by hand"
            ) from second
        raise


def _unless_made(layout: Layout, undo: Callable[[], None]) -> None:
    if not layout.marker.exists():
        undo()


def unmake(layout: Layout, made: list[Path]) -> None:
    """Remove an archive that nothing went into: what `create` made, and not a file more.

    Parameters
    ----------
    layout : Layout
        The archive. One that has rows, audio or a writer at work stays.
    made : list of pathlib.Path
        What :func:`create` returned.
    """
    with lock.held(layout.lock):
        if layout.spools() or _holds_files(layout):
            return
        _clear(layout)
        _remove_lock(layout)
    _remove_folders(made)


def _parts(layout: Layout) -> list[Path]:
    beside = [layout.catalog.with_name(layout.catalog.name + ending) for ending in ("-journal", "-wal", "-shm")]
    return [layout.marker, layout.catalog, *beside, layout.data, layout.media, layout.making]


def _holds_files(layout: Layout) -> bool:
    """Whether anything but empty folders lies where Parquet files and audio go."""
    places = (layout.data, layout.media)
    return any(
        place.is_symlink() or (place.exists() and any(not path.is_dir() for path in place.rglob("*")))
        for place in places
    )


def _clear(layout: Layout) -> None:
    """Remove the parts of an archive without rows: its own files, and empty folders; the mark last."""
    for part in _parts(layout):
        if part.is_dir():
            for folder in sorted((path for path in part.rglob("*")), reverse=True):
                folder.rmdir()
            part.rmdir()
        else:
            part.unlink(missing_ok=True)


def _remove_lock(layout: Layout) -> None:
    """Remove the lock while it is held: whoever waits for it takes another then."""
    layout.lock.unlink(missing_ok=True)


def _remove_folders(made: list[Path]) -> None:
    for folder in made:
        try:
            folder.rmdir()
        except FileNotFoundError:
            continue  # another process has removed it
        except OSError as error:
            if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
                return  # somebody has put something there: it stays, and so does what is above it
            raise


def _taken(layout: Layout) -> ArchiveFailed:
    return layout.without_marker() or ArchiveFailed(
        "the folder is not empty", where=str(layout.root), hint="name a new folder with --archive"
    )


def _refused(layout: Layout, error: OSError) -> ArchiveFailed:
    return ArchiveFailed(
        f"the archive cannot be made ({error.strerror})",
        where=str(layout.root),
        hint="name a folder you may write to with --archive",
    )


def _fill(layout: Layout) -> None:
    """Make what an archive holds; the marker last."""
    from workbench.schema import tables

    try:
        _clear(layout)  # what a killed process left
        layout.making.touch()
        layout.data.mkdir()
        layout.media.mkdir()
    except OSError as error:
        raise _refused(layout, error) from error
    statements = [f"CALL lake.set_option('{option}', '{value}')" for option, value in _OPTIONS.items()]
    statements += [statement for table in tables().values() for statement in table.ddl("lake")]
    with lake.making(layout) as con:  # at once: one by one, three hundred comments take longer than the rest
        con.execute(";".join(["BEGIN TRANSACTION", *statements, "COMMIT"]))
    layout.marker.write_text(json.dumps({"format": FORMAT}) + "\n", encoding="utf-8")
    layout.making.unlink()
