"""The caller-experience pack over many calls: whole `workbench assert` runs, and the checks alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks import synthetic_archive
from benchmarks.measured import WORKBENCH, Cost, call, exponent, interleaved, process
from benchmarks.tables import Table, seconds
from workbench.archive.archive import Archive
from workbench.archive.asserting import assert_pack
from workbench.archive.layout import Layout
from workbench.assertions import Rows, load_pack, run_pack

SIZES = {"tiny": ((20, 40), 1), "quick": ((300, 3_000), 3), "full": ((1_000, 10_000), 5)}
"""Calls of 20 turns of each archive, rounds. There is no peer: none on the package index has this pack."""

PACK = "caller-experience"
WHOLE, OPEN = "workbench assert, whole process", "the same in an open process: read, check, write"
CHECKS = "checks alone, rows in memory"
TABLES = ("calls", "turns", "tool_calls", "segments", "input_health")


def run(size: str, scratch: Path) -> list[Table]:
    """Measure from the command to verdicts in the archive; each run adds one more run of verdicts."""
    counts, rounds = SIZES[size]
    contestants: dict[tuple[str, int], Callable[[], Cost]] = {}
    for count in counts:
        archive = scratch / f"calls-{count}"
        synthetic_archive.with_turns(archive, calls=count)
        command = [*WORKBENCH, "assert", "--pack", PACK, "--archive", archive, "--quiet"]
        contestants[WHOLE, count] = lambda command=command: process(command)
        contestants[OPEN, count] = _in_process(archive)
        contestants[CHECKS, count] = _checks(archive)
    found = interleaved(contestants, rounds=rounds)
    table = Table(
        f"verdicts: pack {PACK}, calls of 20 turns, {rounds} rounds",
        ["what", "calls", "wall median", "min", "max", "CPU median", "peak MB"],
    )
    for (what, count), costs in found.items():
        cells = (costs.median(), costs.low(), costs.high(), costs.median("cpu_s"))
        peak = costs.high("peak_mb")
        memory = f"{peak:.0f}" if peak else "-"
        table.rows.append([what, str(count), *(seconds(value) for value in cells), memory])
    few, many = counts[0], counts[-1]
    took = {key: costs.median() for key, costs in found.items()}
    table.target(
        "all verdicts of 1,000 calls anew in under 1 s",
        found=f"{seconds(took[OPEN, few])} in an open process, {seconds(took[WHOLE, few])} with its start",
        reached=took[OPEN, few] < 1,
        size=size,
    )
    table.target(
        "all verdicts of 10,000 calls in under 10 s",
        found=f"{seconds(took[WHOLE, many])}, the checks alone {seconds(took[CHECKS, many])}",
        reached=took[WHOLE, many] < 10,
        size=size,
    )
    power = exponent([few, many], [found[CHECKS, count].median("cpu_s") for count in (few, many)])
    table.target("exponent of the checks at most 1.1 (CPU)", found=f"{power:.2f}", reached=power <= 1.1, size=size)
    table.remarks.append("no peer: the absolute time and its growth are all that can be said")
    return [table]


def _in_process(archive: Path) -> Callable[[], Cost]:
    layout, pack = Layout(archive), load_pack(PACK)
    return lambda: call(lambda: assert_pack(layout, pack))


def _checks(archive: Path) -> Callable[[], Cost]:
    with Archive(archive) as opened:
        frames = {name: opened.reader.frame(f"from {name}") for name in TABLES}
    pack = load_pack(PACK)
    return lambda: call(lambda: run_pack(pack, Rows(**frames), run_id="bench"))
