"""Queries over turns: response gaps, overlaps and overviews of an archive of transcripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchmarks import synthetic_archive
from benchmarks.growing import growth, queried
from benchmarks.measured import Costs
from benchmarks.tables import Table, seconds
from workbench.archive.lake import Reader
from workbench.archive.layout import Layout

SIZES = {"tiny": ((40, 80), 1), "quick": ((500, 2_000), 3), "full": ((500, 5_000), 7)}
"""Calls of each archive, rounds. A call has 20 turns."""

TURNS = 20
QUERIES = (
    "select count(*), median(gap_s) from turn_gaps",
    'select count(*), sum(overlap_s) from "overlaps"',
    "from response_gap_by_agent",
    "select count(*), sum(turn_count) from call_overview",
    "from call_overview where call_id = $id",
)


def run(size: str, scratch: Path) -> list[Table]:
    """Measure in this process, on an open connection; files lie in the page cache. There is no peer."""
    counts, rounds = SIZES[size]
    found: dict[int, dict[str, Costs]] = {}
    for count in counts:
        archive = scratch / f"turns-{count}"
        synthetic_archive.with_turns(archive, calls=count, turns=TURNS)
        values: dict[str, Any] = {"id": f"call-{count // 2:08d}"}
        reader = Reader(Layout(archive))
        queries = {query: (query, values if "$id" in query else {}) for query in QUERIES}
        found[count * TURNS] = queried(reader, queries, rounds=rounds)
        reader.close()
    table = growth("turns", found, what="turns", size=size)
    walls = [f"{query}: {seconds(costs.median())}" for query, costs in found[counts[-1] * TURNS].items()]
    table.remarks.append("wall, median, at the largest size: " + "; ".join(walls))
    return [table]
