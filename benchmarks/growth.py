"""Import and measure of ever larger folders: what an hour of audio costs, apart from what every run costs."""

from __future__ import annotations

import math
from pathlib import Path

from benchmarks import synthetic_calls
from benchmarks.folder import PEER, importing, scanning
from benchmarks.measured import interleaved
from benchmarks.tables import Table, seconds, times

SIZES = {"tiny": (1, 0.2, 1), "quick": (3, 2.0, 3), "full": (12, 5.0, 3)}
"""Calls of the smallest folder, minutes of each, rounds. The others hold 4 and 16 times as many calls; the peer
scans the two smaller ones, once."""


def run(size: str, scratch: Path) -> list[Table]:
    """Measure three folders in turn, then the peer on two of them."""
    calls, minutes, rounds = SIZES[size]
    counts = [calls, 4 * calls, 16 * calls]
    contestants = {}
    for count in counts:
        folder = scratch / f"calls-{count}"
        synthetic_calls.folder(folder, calls=count, minutes=minutes)
        contestants[str(count)] = importing(folder, scratch / "archive", media="reference", workers=1)
    found = interleaved(contestants, rounds=rounds)
    hours = [count * minutes / 60 for count in counts]
    table = Table(
        f"growth: import --measure of calls of {minutes:g} min, 1 worker, {rounds} rounds",
        ["calls", "hours of audio", "wall median", "CPU median", "CPU of one more hour", "peak MB"],
    )
    cpu = [found[str(count)].median("cpu_s") for count in counts]
    for ix, count in enumerate(counts):
        costs = found[str(count)]
        more = seconds((cpu[ix] - cpu[ix - 1]) / (hours[ix] - hours[ix - 1])) if ix else "-"
        table.rows.append(
            [
                str(count),
                f"{hours[ix]:.2f}",
                seconds(costs.median()),
                seconds(cpu[ix]),
                more,
                f"{costs.high('peak_mb'):.0f}",
            ]
        )
    # For t = fixed + c * n**k the fixed part drops out: (t16 - t4) / (t4 - t1) = 4**k.
    steps = cpu[1] - cpu[0], cpu[2] - cpu[1]
    power = math.log(steps[1] / steps[0], 4) if min(steps) > 0 else math.nan
    fixed = cpu[2] - (cpu[2] - cpu[0]) / (hours[2] - hours[0]) * hours[2]
    table.remarks.append(f"CPU of a run whatever its length: {seconds(max(fixed, 0.0))}")
    table.target(
        "exponent of the growth at most 1.1 (CPU, fixed cost apart)",
        found=f"{power:.2f}",
        reached=power <= 1.1,
        size=size,
    )
    if size != "tiny":
        scans = {str(count): scanning(scratch / f"calls-{count}", scratch / "peer") for count in counts[:2]}
        scanned = [costs.median("cpu_s") for costs in interleaved(scans, rounds=1).values()]
        peer_hour = (scanned[1] - scanned[0]) / (hours[1] - hours[0])
        own_hour = (cpu[2] - cpu[0]) / (hours[2] - hours[0])
        table.target(
            f"one more hour costs at most an 80th of what it costs {PEER} (CPU)",
            found=f"{seconds(own_hour)} against {seconds(peer_hour)}, {times(peer_hour / own_hour)}",
            reached=peer_hour / own_hour >= 80,
            size=size,
        )
    return [table]
