"""Queries over frames: through the archive's views, and on the same Parquet files read plainly."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from benchmarks import synthetic_archive
from benchmarks.growing import growth, queried
from benchmarks.measured import Costs, ratio
from benchmarks.tables import Table, seconds, times, timing
from workbench.archive.lake import Reader
from workbench.archive.layout import Layout

SIZES = {
    "tiny": ((3_000, 33_000), 1),
    "quick": ((100_000, 1_000_000), 5),
    "full": ((100_000, 1_000_000, 10_000_000), 7),
}
"""Frames of each archive, rounds."""

ALL, ALL_PLAIN = "aggregate, view frames", "aggregate, plain read_parquet"
EACH, EACH_PLAIN = "aggregate by recording, view frames", "aggregate by recording, plain read_parquet"
ONE, ONE_PLAIN = "frames of one recording, view frames", "frames of one recording, plain read_parquet"
OVERVIEW = "one call, view call_overview"

SQL = Path(__file__).with_name("sql")
QUERIES = {
    ALL: "select avg(caller_dbfs), max(agent_dbfs), count_if(caller_active and agent_active) from frames",
    ALL_PLAIN: (SQL / "aggregate_plain.sql").read_text(encoding="utf-8"),
    EACH: "select recording_id, avg(caller_dbfs), count_if(agent_active) from frames group by recording_id",
    EACH_PLAIN: (SQL / "aggregate_by_recording_plain.sql").read_text(encoding="utf-8"),
    ONE: "from frames where recording_id = $id",
    ONE_PLAIN: "from read_parquet($files) where recording_id = $id",
    OVERVIEW: "from call_overview where call_id = $id",
}


def run(size: str, scratch: Path) -> list[Table]:
    """Measure in this process, on an open connection; files lie in the page cache."""
    counts, rounds = SIZES[size]
    found: dict[int, dict[str, Costs]] = {}
    for count in counts:
        archive = scratch / f"frames-{count}"
        ids = synthetic_archive.with_frames(archive, frames=count)
        found[count] = _measured(Layout(archive), ids[len(ids) // 2], rounds=rounds)
    largest = found[counts[-1]]
    table = timing(f"queries: {counts[-1]:,} frames, warm, {rounds} rounds", largest, peer=ALL_PLAIN)
    for view, plain, what in (
        (ALL, ALL_PLAIN, "an archive-wide aggregate"),
        (EACH, EACH_PLAIN, "an aggregate by recording"),
    ):
        slower = ratio(largest[view], largest[plain])
        bound = f"{what} takes at most 1.2 x of plain read_parquet"
        table.target(bound, found=times(slower), reached=slower <= 1.2, size=size)
    least, more = (found[count][ONE].median() - found[count][ONE_PLAIN].median() for count in (counts[0], counts[-1]))
    table.remarks.append(
        f"the frames of one recording: {times(ratio(largest[ONE], largest[ONE_PLAIN]))}, {seconds(more)} more, in "
        f"which the catalogue is asked for the files ({seconds(least)} at {counts[0]:,} frames)"
    )
    return [table, growth("queries", found, what="frames", size=size)]


def _measured(layout: Layout, recording: str, *, rounds: int) -> dict[str, Costs]:
    files = [str(file) for file in sorted((layout.data / "main" / "frames").rglob("*.parquet"))]
    values: dict[str, Any] = {"files": files, "id": recording}
    reader = Reader(layout)
    try:
        queries = {
            name: (query, {key: value for key, value in values.items() if f"${key}" in query})
            for name, query in QUERIES.items()
        }
        left, right = (reader.rows(*queries[name])[1][0] for name in (ALL, ALL_PLAIN))
        if not all(math.isclose(a, b, rel_tol=1e-9) for a, b in zip(left, right, strict=True)):
            raise AssertionError(f"the view and the files do not agree: {left}, {right}")
        return queried(reader, queries, rounds=rounds)
    finally:
        reader.close()
