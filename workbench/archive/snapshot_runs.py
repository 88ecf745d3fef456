"""Which run wrote a snapshot, and what it counted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from datetime import datetime

    from workbench.archive.lake import Reader


def snapshot_runs(reader: Reader) -> dict[int, list[tuple[str, dict[str, Any]]]]:
    """Return the runs of every snapshot.

    Parameters
    ----------
    reader : Reader
        A connection to the archive.

    Returns
    -------
    dict of int to list of tuple
        Kind of run and its counts, by the number of the snapshot. A snapshot that no run wrote, such as that of a
        new archive or of `compact`, is not in it.
    """
    ((first, last),) = reader.rows("select min(snapshot_id), max(snapshot_id) from lake.snapshots()")[1]
    written = f"ducklake_table_insertions('lake', 'main', 'runs', {int(first)}, {int(last)})"
    found: dict[int, list[tuple[str, dict[str, Any]]]] = {}
    for snapshot, kind, counts in reader.rows(f"select snapshot_id, kind, counts from {written} order by all")[1]:
        found.setdefault(snapshot, []).append((kind, json.loads(counts or "{}")))
    return found


def deletions(reader: Reader) -> tuple[int, int, datetime] | None:
    """Return what was deleted from an archive, over all its deletions: each ends the snapshots before it.

    Parameters
    ----------
    reader : Reader
        A connection to the archive.

    Returns
    -------
    tuple of int, int and datetime, or None
        How many deletions, how many rows they took, and when the last one was made; None: nothing was deleted.
    """
    query = "select count(*), sum((counts ->> 'rows')::bigint), max(started_at) from runs where kind = 'delete'"
    ((count, rows, last),) = reader.rows(query)[1]
    return (count, int(rows or 0), last) if count else None
