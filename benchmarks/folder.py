"""A folder of two-channel calls, imported and measured, against the peer's scan of the same folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks import peer, synthetic_calls
from benchmarks.measured import WORKBENCH, Cost, interleaved, process, ratio
from benchmarks.tables import Table, times, timing

SIZES = {"tiny": (2, 0.2, 1), "quick": (3, 2.0, 2), "full": (12, 5.0, 3)}
"""Calls, minutes of each, rounds."""

PEER = "hotato scan"
ONE = "import --measure, 1 worker, audio referenced"
TWO = "import --measure, 2 workers, audio referenced"
COPY = "import --measure, 1 worker, audio copied"


def importing(folder: Path, archive: Path, *, media: str, workers: int) -> Callable[[], Cost]:
    """Return what imports and measures the folder into a new archive, as a user would from a shell."""

    def run() -> Cost:
        shutil.rmtree(archive, ignore_errors=True)
        said = ["--channels", "caller,agent", "--media", media, "--measure", "--workers", str(workers)]
        return process([*WORKBENCH, "import", folder, *said, "--archive", archive, "--quiet"])

    return run


def run(size: str, scratch: Path) -> list[Table]:
    """Measure whole processes, from the command to the written archive or report."""
    calls, minutes, rounds = SIZES[size]
    folder, archive = scratch / "calls", scratch / "archive"
    audio_s = synthetic_calls.folder(folder, calls=calls, minutes=minutes)
    found = interleaved(
        {
            ONE: importing(folder, archive, media="reference", workers=1),
            COPY: importing(folder, archive, media="copy", workers=1),
            TWO: importing(folder, archive, media="reference", workers=2),
            **({} if size == "tiny" else {PEER: scanning(folder, scratch / "peer")}),
        },
        rounds=rounds,
    )
    against = PEER if PEER in found else ONE
    title = f"folder: {calls} calls of {minutes:g} min, 8 kHz, two channels, whole processes, {rounds} rounds"
    table = timing(title, found, peer=against, memory=True)
    table.remarks += [
        f"{name}: {times(audio_s / costs.median())} real time by wall, {times(audio_s / costs.median('cpu_s'))} by CPU"
        for name, costs in found.items()
    ]
    if PEER in found:
        wall, cpu = ratio(found[PEER], found[ONE]), ratio(found[PEER], found[ONE], "cpu_s")
        table.target(
            f"at least 80 x faster than {PEER} with one worker (12 calls of 5 min or more)",
            found=f"{times(wall)} by wall, {times(cpu)} by CPU",
            reached=wall >= 80,
            size=size,
        )
    gain = ratio(found[ONE], found[TWO])
    table.remarks.append(f"a second worker adds {times(gain)} here; `growth` says what it adds to larger folders")
    peak = max(costs.high("peak_mb") for name, costs in found.items() if name != PEER)
    table.target("peak memory of a process below 400 MB", found=f"{peak:.0f} MB", reached=peak < 400, size=size)
    return [table]


def scanning(folder: Path, cwd: Path) -> Callable[[], Cost]:
    """Return what scans the folder with the peer, in an empty working folder, where it leaves its report."""
    command = peer.command()

    def run() -> Cost:
        shutil.rmtree(cwd, ignore_errors=True)
        cwd.mkdir()
        return process([command, "scan", folder], cwd=cwd)

    return run
