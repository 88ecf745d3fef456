"""Is the archive whole? Files, media and the truths that rows must keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from workbench.archive import media, views
from workbench.archive.lake import Reader, read_once
from workbench.archive.lake.reading import TRIES
from workbench.archive.layout import Layout
from workbench.archive.purging import SNAPSHOTS, marked, orphaned_media
from workbench.archive.retention import never_done
from workbench.errors import ArchiveFailed, DataFileMissing, QueryRefused, SnapshotGone
from workbench.plural import plural


@dataclass
class Verified:
    """What was checked, and every problem found; `notes` are harmless left-overs."""

    files: int = 0
    media: int = 0
    audits: int = 0
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def verify(layout: Layout) -> Verified:
    """Read every Parquet file, hash every audio file, run every audit.

    Parameters
    ----------
    layout : Layout
        The archive.

    Returns
    -------
    Verified
        With no problems when the archive is whole.

    Raises
    ------
    ArchiveFailed
        When the archive cannot be opened at all.
    """
    result, snapshot = read_once(layout, lambda reader: (_verified(layout, reader), reader.snapshot))
    for _ in range(TRIES - 1):
        if not result.problems or read_once(layout, lambda newest: newest.snapshot) == snapshot:
            break  # else somebody wrote meanwhile, and a deletion takes files of older snapshots away
        result, snapshot = read_once(layout, lambda reader: (_verified(layout, reader), reader.snapshot))
    return result


def _verified(layout: Layout, reader: Reader) -> Verified:
    """Check what a connection reads."""
    from workbench.schema import tables

    result = Verified()
    for name in tables():
        _check_table(reader, name, result)
    columns = ("uri", "recording_id", "byte_count", "call_id")
    try:
        _, rows = reader.rows(f"select {', '.join(columns)} from recordings order by uri")
    except (SnapshotGone, DataFileMissing):
        if result.problems:  # its file is missing, as was said
            return result
        raise
    for row in rows:
        result.media += 1
        try:
            media.require(layout, dict(zip(columns, row, strict=True)))
        except ArchiveFailed as error:
            result.problems.append(str(error).replace("\nHint: ", "; "))
    checks = {audit.name: audit.sql for audit in views.audits()}
    checks |= {f"duplicate keys in {table.table()}": views.duplicate_keys(table) for table in tables().values()}
    for name, query in checks.items():
        result.audits += 1
        try:
            names, bad = reader.rows(query)
        except QueryRefused as error:
            result.problems.append(f"audit {name} cannot be run: {error.what.splitlines()[0]}")
            continue
        if bad:
            shown = ", ".join(f"{name}={value}" for name, value in zip(names, bad[0], strict=True))
            result.problems.append(f"audit {name}: broken by {plural(len(bad), 'row')} (first: {shown})")
    left = orphaned_media(layout, {row[0] for row in rows})
    if left:
        result.notes.append(
            f"{plural(len(left), 'media file')} of no call; workbench compact removes what is left over"
        )
    deletion = marked(layout)
    if deletion is not None and deletion.is_committed(reader.rows(SNAPSHOTS)[1]):
        compact = layout.command("workbench compact")
        result.problems.append(f"{deletion} is not finished, its bytes may be there still; {compact} ends it")
    elif deletion is not None:
        result.problems.append(never_done(deletion, layout))
    if layout.spools():
        result.notes.append("an import is running or was killed; workbench compact clears what it left")
    return result


def _check_table(reader: Reader, name: str, result: Verified) -> None:
    query = f"select data_file, delete_file from ducklake_list_files('lake', '{name}')"
    for paths in reader.rows(query)[1]:
        for path in filter(None, paths):
            result.files += 1
            if not Path(path).is_file():
                result.problems.append(f"{name}: the data file is missing: {path}")
                return
    try:
        reader.rows(f"select count(*), {_every_column(name)} from lake.{name}")
    except QueryRefused as error:
        result.problems.append(f"{name}: a data file cannot be read: {error.what}")


def _every_column(name: str) -> str:
    from workbench.schema import tables

    return ", ".join(f"count({column})" for column in tables()[name].column_names())
