"""Import and measure of ever larger folders, with one worker and with two, and the peer's scan of two of them."""

from __future__ import annotations

import math
from pathlib import Path

from benchmarks import synthetic_calls
from benchmarks.folder import PEER, importing, scanning
from benchmarks.measured import interleaved, ratio
from benchmarks.tables import Table, seconds, times

SIZES = {"tiny": (1, 0.2, 1), "quick": (3, 2.0, 3), "full": (12, 5.0, 3)}
"""Calls of the smallest folder, minutes of each, rounds."""

FACTORS = (1, 12, 48)
"""How many times as many calls each folder holds; the peer scans all but the largest, once."""

ONE, TWO = "1 worker", "2 workers"


def run(size: str, scratch: Path) -> list[Table]:
    """Measure the folders in turn, then the peer."""
    calls, minutes, rounds = SIZES[size]
    counts = [calls * factor for factor in FACTORS]
    largest = scratch / f"calls-{counts[-1]}"
    synthetic_calls.folder(largest, calls=counts[-1], minutes=minutes)
    for count in counts[:-1]:
        folder = scratch / f"calls-{count}"
        folder.mkdir()
        for path in sorted(largest.iterdir())[:count]:
            (folder / path.name).hardlink_to(path)
    archive = scratch / "archive"
    contestants = {
        f"{count} {name}": importing(scratch / f"calls-{count}", archive, media="reference", workers=workers)
        for count in counts
        for workers, name in ((1, ONE), (2, TWO))
    }
    found = interleaved(contestants, rounds=rounds)
    scans = {} if size == "tiny" else {n: scanning(scratch / f"calls-{n}", scratch / "peer") for n in counts[:-1]}
    scanned = {n: costs.runs[0] for n, costs in interleaved(scans, rounds=1).items()}
    table = Table(
        f"growth: import --measure of calls of {minutes:g} min, {rounds} rounds",
        [
            "calls",
            "hours of audio",
            "contestant",
            "wall median",
            "CPU median",
            "peak MB",
            "x faster than peer",
            "by CPU",
        ],
    )
    for count in counts:
        hours = f"{count * minutes / 60:.2f}"
        for name in (ONE, TWO):
            costs = found[f"{count} {name}"]
            peer = scanned.get(count)
            wall, cpu = costs.median(), costs.median("cpu_s")
            against = [times(peer.wall_s / wall), times(peer.cpu_s / cpu)] if peer else ["-", "-"]
            table.rows.append(
                [str(count), hours, name, seconds(wall), seconds(cpu), f"{costs.high('peak_mb'):.0f}", *against]
            )
        if count in scanned:
            peer = scanned[count]
            cells = [seconds(peer.wall_s), seconds(peer.cpu_s), f"{peer.peak_mb:.0f}", "1 x", "1 x"]
            table.rows.append([str(count), hours, f"{PEER} (peer)", *cells])
    cpu = [found[f"{count} {ONE}"].median("cpu_s") for count in counts]
    per_call = (cpu[-1] - cpu[0]) / (counts[-1] - counts[0])
    fixed = max(cpu[-1] - per_call * counts[-1], 0.0)
    table.remarks.append(
        f"1 worker, CPU of a run whatever its length: {seconds(fixed)}; of one more hour of audio: "
        f"{seconds(per_call * 60 / minutes)}"
    )
    power = _power(counts, cpu)
    table.target(
        "exponent of the growth at most 1.1 (CPU, fixed cost apart)",
        found=f"{power:.2f}",
        reached=power <= 1.1,
        size=size,
    )
    for count, peer in scanned.items():
        wall = peer.wall_s / found[f"{count} {ONE}"].median()
        what = f"at least 80 x faster than {PEER} with one worker, {count} calls of {minutes:g} min"
        table.target(what, found=times(wall), reached=wall >= 80, size=size)
    gains = {count: ratio(found[f"{count} {ONE}"], found[f"{count} {TWO}"]) for count in counts}
    one, two = (found[f"{counts[-1]} {name}"].median() - found[f"{counts[0]} {name}"].median() for name in (ONE, TWO))
    whole = ", ".join(f"{times(gain)} on {count} calls" for count, gain in gains.items())
    table.target(
        "a second worker adds at least 1.7 x, whole processes",
        found=f"{whole}; {times(one / two) if two > 0 else '-'} to what more calls take",
        reached=gains[counts[-1]] >= 1.7,
        size=size,
    )
    return [table]


def _power(counts: list[int], cpu: list[float]) -> float:
    """Return the k of ``cpu = fixed + c * counts ** k`` through three points, by halving; NaN where none fits."""
    if not cpu[0] < cpu[1] < cpu[2]:
        return math.nan
    wanted = (cpu[2] - cpu[0]) / (cpu[1] - cpu[0])
    low, high = 0.01, 4.0
    for _ in range(60):
        k = (low + high) / 2
        steps = counts[2] ** k - counts[0] ** k, counts[1] ** k - counts[0] ** k
        low, high = (k, high) if steps[0] / steps[1] < wanted else (low, k)
    return low
