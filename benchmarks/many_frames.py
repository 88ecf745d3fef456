"""Aggregates over 10^8 frames as whole processes: how much memory `workbench sql` takes, and how it grows."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from benchmarks import synthetic_archive
from benchmarks.measured import WORKBENCH, interleaved, process
from benchmarks.queries import ALL, EACH, QUERIES
from benchmarks.tables import Table, seconds

SIZES = {"tiny": (3_000, 33_000), "quick": (1_000_000, 10_000_000), "full": (10_000_000, 100_000_000)}
"""Frames of the smaller and of the larger archive."""

ASKED = {
    ALL: QUERIES[ALL],
    EACH: QUERIES[EACH],
    "talk-over by call, segments": 'select call_id, sum(overlap_s) as talk_over_s from "overlaps" group by call_id',
}


def run(size: str, scratch: Path) -> list[Table]:
    """Measure `workbench sql` from its start to its end; the archives are made before, files lie in the page cache."""
    table = Table(
        "many_frames: workbench sql, whole processes", ["query", "frames", "wall", "CPU", "by frame", "peak MB"]
    )
    highest = 0.0
    for count in SIZES[size]:
        archive = scratch / f"frames-{count}"
        synthetic_archive.with_frames(archive, frames=count)
        found = interleaved(
            {
                what: partial(process, [*WORKBENCH, "sql", query, "--limit", "10", "--archive", archive])
                for what, query in ASKED.items()
            },
            rounds=1,
        )
        for what, costs in found.items():
            wall = costs.median()
            cells = (seconds(wall), seconds(costs.median("cpu_s")), seconds(wall / count))
            table.rows.append([what, f"{count:,}", *cells, f"{costs.high('peak_mb'):.0f}"])
            highest = max(highest, costs.high("peak_mb"))
    table.target("10^8 frames in less than 2 GB", found=f"{highest:.0f} MB", reached=highest < 2000, size=size)
    return [table]
