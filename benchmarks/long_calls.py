"""Import and measure of single calls of an hour and of a day, and of four long ones on two threads: how much memory."""

from __future__ import annotations

from pathlib import Path

import soundfile as sf

from benchmarks import synthetic_calls
from benchmarks.folder import importing
from benchmarks.measured import interleaved
from benchmarks.tables import Table, seconds

SIZES = {"tiny": (0.02, 0.05), "quick": (0.5, 2.0), "full": (1.0, 24.0)}
"""Hours of the short and of the long call."""

RATE = 8000


def run(size: str, scratch: Path) -> list[Table]:
    """Measure whole processes: one call with one worker, four calls of a quarter of its length with four."""
    short, long = SIZES[size]
    folders = {"short": [short], "long": [long], "four": [long / 4] * 4}
    for name, lengths in folders.items():
        (scratch / name).mkdir()
        for ix, hours in enumerate(lengths):
            _write(scratch / name / f"call-{ix}.wav", length_s=hours * 3600, seed=ix)
    contestants = {
        f"1 call of {short:g} h, 1 worker": ("short", 1),
        f"1 call of {long:g} h, 1 worker": ("long", 1),
        f"4 calls of {long / 4:g} h, 2 workers": ("four", 2),
    }
    found = interleaved(
        {
            what: importing(scratch / name, scratch / "archive", media="reference", workers=workers)
            for what, (name, workers) in contestants.items()
        },
        rounds=1,
    )
    table = Table(
        "long_calls: import --measure, 8 kHz, two channels, whole processes", ["what", "wall", "CPU", "peak MB"]
    )
    table.rows = [
        [what, seconds(costs.median()), seconds(costs.median("cpu_s")), f"{costs.high('peak_mb'):.0f}"]
        for what, costs in found.items()
    ]
    highest = max(costs.high("peak_mb") for costs in found.values())
    table.target("peak memory below 400 MB", found=f"{highest:.0f} MB", reached=highest < 400, size=size)
    return [table]


def _write(path: Path, *, length_s: float, seed: int) -> None:
    part = synthetic_calls.call(min(300.0, length_s), rate=RATE, seed=seed)
    left = round(length_s * RATE)
    with sf.SoundFile(path, "w", RATE, 2, subtype="PCM_16") as file:
        while left > 0:
            file.write(part[:left])
            left -= len(part)
