"""An empty archive: every table with its comments, the options of its Parquet files, the marker last."""

from __future__ import annotations

import json
import shutil

from workbench.archive import lake, lock
from workbench.archive.layout import FORMAT, ROW_GROUP, Layout
from workbench.errors import ArchiveFailed

_OPTIONS = {
    "parquet_version": 2,  # delta encodings: levels of frames take half the space
    "parquet_compression": "zstd",
    "parquet_row_group_size": ROW_GROUP,
    "parquet_row_group_size_bytes": "16MB",  # long texts: a row group is held in memory while it is written
    "data_inlining_row_limit": 0,  # every row lies in Parquet, where anyone can read it
}


def is_free(layout: Layout) -> bool:
    """Tell whether an archive can be made in a folder: it is not there, empty, or of an `init` that was killed."""
    if not layout.root.exists():
        return True
    parts = (layout.lock, layout.data, layout.media, layout.catalog)
    unfinished = {part.name for part in parts} | {layout.catalog.name + "-journal"}
    return layout.root.is_dir() and not {path.name for path in layout.root.iterdir()} - unfinished


def create(layout: Layout) -> None:
    """Make an empty archive with every table, its comments and its options.

    Parameters
    ----------
    layout : Layout
        Folder to make it in: new, or empty.

    Raises
    ------
    ArchiveFailed
        When the folder holds something else or cannot be written.
    """
    root = layout.root
    try:
        root.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refused(layout, error) from error
    if not is_free(layout):
        raise _taken(layout)
    with lock.held(layout.lock):
        if not is_free(layout):  # another process has just made it
            raise _taken(layout)
        try:
            _fill(layout)
        except BaseException:  # whatever it was goes on; a half-made archive does not stay
            shutil.rmtree(root, ignore_errors=True)
            raise


def _taken(layout: Layout) -> ArchiveFailed:
    return ArchiveFailed("the folder is not empty", where=str(layout.root), hint="name a new folder with --archive")


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
        for left in (layout.data, layout.media):  # of an init that was killed
            shutil.rmtree(left, ignore_errors=True)
        layout.catalog.unlink(missing_ok=True)
        layout.data.mkdir()
        layout.media.mkdir()
    except OSError as error:
        raise _refused(layout, error) from error
    statements = [f"CALL lake.set_option('{option}', '{value}')" for option, value in _OPTIONS.items()]
    statements += [statement for table in tables().values() for statement in table.ddl("lake")]
    with lake.writing(layout) as con:  # at once: one by one, three hundred comments take longer than the rest
        con.execute(";".join(["BEGIN TRANSACTION", *statements, "COMMIT"]))
    layout.marker.write_text(json.dumps({"format": FORMAT}) + "\n", encoding="utf-8")
