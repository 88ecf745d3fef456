"""A large JSON Lines file of calls, imported in a stream: memory and megabytes a second."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from benchmarks import synthetic_archive
from benchmarks.measured import WORKBENCH, Cost, interleaved, process
from benchmarks.tables import Table, timing

SIZES = {"tiny": (1,), "quick": (25, 100), "full": (100, 2_000)}
"""Megabytes of each file; one run each."""

BLOCK_CALLS = 20_000
READING = "import sys, json\nfor line in open(sys.argv[1], 'rb'): json.loads(line)"


def run(size: str, scratch: Path) -> list[Table]:
    """Measure `workbench import`, and Python's own JSON reader over the same lines, which keeps nothing."""
    tables = []
    for megabytes in SIZES[size]:
        file = scratch / f"calls-{megabytes}.jsonl"
        calls = write(file, megabytes=megabytes)
        archive = scratch / "archive"

        def importing(file: Path = file, archive: Path = archive) -> Cost:
            shutil.rmtree(archive, ignore_errors=True)
            return process([*WORKBENCH, "import", file, "--archive", archive, "--quiet"])

        peer = "json.loads of every line"
        found = interleaved(
            {
                "workbench import": importing,
                peer: lambda file=file: process([sys.executable, "-c", READING, file]),
            },
            rounds=1,
        )
        table = timing(
            f"jsonl: {megabytes} MB, {calls} calls of the voice-evals format, 1 round",
            found,
            peer=peer,
            memory=True,
        )
        costs = found["workbench import"]
        table.remarks.append(
            f"workbench import: {megabytes / costs.median():.1f} MB/s by wall, "
            f"{megabytes / costs.median('cpu_s'):.1f} by CPU"
        )
        peak = costs.high("peak_mb")
        table.target("peak memory below 500 MB (a file of 2 GB)", found=f"{peak:.0f} MB", reached=peak < 500, size=size)
        tables.append(table)
        file.unlink()
    return tables


def write(path: Path, *, megabytes: int) -> int:
    """Write at least that many megabytes; return the calls. Blocks repeat their texts under new ids."""
    block = list(synthetic_archive.rows_of_text(BLOCK_CALLS if megabytes > 5 else 500))
    written = calls = again = 0
    with path.open("wb") as file:
        while written < megabytes * 1_000_000:
            name = f"call-{again:04d}-".encode()
            for line in block:
                file.write(line.replace(b"call-0000-", name, 1))
                written += len(line)
                calls += 1
                if written >= megabytes * 1_000_000:
                    break
            again += 1
    return calls
