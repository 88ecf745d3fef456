"""The caller-experience pack over many calls: whole `workbench assert` runs, no audio touched."""

from __future__ import annotations

from pathlib import Path

from benchmarks import synthetic_archive
from benchmarks.measured import WORKBENCH, exponent, interleaved, process
from benchmarks.tables import Table, seconds
from workbench.archive.archive import Archive

SIZES = {"tiny": ((20, 40), 1), "quick": ((300, 3_000), 3), "full": ((1_000, 10_000), 5)}
"""Calls of 20 turns of each archive, rounds. There is no peer: none on the package index has this pack."""


def run(size: str, scratch: Path) -> list[Table]:
    """Measure from the command to verdicts in the archive; each run adds one more run of verdicts."""
    counts, rounds = SIZES[size]
    contestants = {}
    for count in counts:
        archive = scratch / f"calls-{count}"
        synthetic_archive.with_turns(archive, calls=count)
        command = [*WORKBENCH, "assert", "--pack", "caller-experience", "--archive", archive, "--quiet"]
        contestants[str(count)] = lambda command=command: process(command)
    found = interleaved(contestants, rounds=rounds)
    table = Table(
        f"verdicts: pack caller-experience, calls of 20 turns, {rounds} rounds",
        ["calls", "results of a run", "wall median", "min", "max", "CPU median", "peak MB"],
    )
    for count in counts:
        costs = found[str(count)]
        with Archive(scratch / f"calls-{count}") as archive:
            results = archive.reader.rows("select count(*) from assertion_results")[1][0][0] // rounds
        cells = (costs.median(), costs.low(), costs.high(), costs.median("cpu_s"))
        table.rows.append(
            [str(count), str(results), *(seconds(value) for value in cells), f"{costs.high('peak_mb'):.0f}"]
        )
    first, last = (found[str(count)].median() for count in (counts[0], counts[-1]))
    power = exponent(
        [counts[0], counts[-1]], [found[str(c)].median("cpu_s") for c in (counts[0], counts[-1])]
    )
    table.target(
        "all verdicts of 1,000 calls in under 1 s",
        found=seconds(first),
        reached=first < 1,
        size=size,
    )
    table.target(
        "all verdicts of 10,000 calls in under 10 s", found=seconds(last), reached=last < 10, size=size
    )
    table.target(
        "exponent of the growth at most 1.1 (CPU)", found=f"{power:.2f}", reached=power <= 1.1, size=size
    )
    table.remarks.append("no peer: the absolute time and its growth are all that can be said")
    return [table]
