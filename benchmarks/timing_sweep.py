"""All verdicts of an archive anew after a threshold, a hangover or a bound was changed; no sound is touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np

from benchmarks import synthetic_archive
from benchmarks.measured import WORKBENCH, Cost, call, exponent, interleaved, process
from benchmarks.tables import Table, seconds
from workbench.analysis.timing_held import HeldMoments
from workbench.archive.archive import Archive
from workbench.timing.score_config import ScoreConfig

SIZES = {"tiny": ((2, 4), 1), "quick": ((20, 100), 3), "full": ((100, 1_000), 5)}
"""Calls of five minutes of each archive, rounds. There is no peer: hotato reads the sound again."""

LABELS = 4
"""Labelled moments of a call."""

BOUND, PAUSE = "bounds of yield and talk-over", "pause that is a yield (yield_hangover_s)"
THRESHOLD, LOW = "threshold (rel_db)", "threshold amid the speech (rel_db = 30)"
HANGOVER = "hangover of speech (hangover_s)"
READ, FRAMES = "read labels and runs", "read levels of all frames, once"
WHOLE = "workbench sweep-timing, 3 values of rel_db, whole process"


def run(size: str, scratch: Path) -> list[Table]:
    """Measure one changed parameter at a time, each with a value that was not tried before."""
    counts, rounds = SIZES[size]
    contestants: dict[tuple[str, int], Callable[[], Cost]] = {}
    for count in counts:
        place = scratch / f"calls-{count}"
        synthetic_archive.with_labels(place, calls=count, labels=LABELS)
        held = HeldMoments(Archive(place))
        reading = call(lambda held=held: held.levels)
        contestants |= {(name, count): once for name, once in _changes(held).items()}
        contestants[READ, count] = lambda place=place: call(lambda: HeldMoments(Archive(place)))
        contestants[FRAMES, count] = lambda reading=reading: reading
        command = [*WORKBENCH, "sweep-timing", "--grid", "rel_db=12,15,18", "--archive", place, "--json"]
        contestants[WHOLE, count] = lambda command=command: process(command)
    found = interleaved(contestants, rounds=rounds)
    table = Table(
        f"timing_sweep: verdicts anew, calls of 5 min with {LABELS} labelled moments each, {rounds} rounds",
        ["what was changed", "calls", "wall median", "min", "max", "CPU median"],
    )
    for (what, count), costs in found.items():
        cells = (costs.median(), costs.low(), costs.high(), costs.median("cpu_s"))
        table.rows.append([what, str(count), *(seconds(value) for value in cells)])
    few, many = counts[0], counts[-1]
    worst = max((found[what, many].high(), what) for what in (BOUND, PAUSE, THRESHOLD, LOW, HANGOVER))
    table.target(
        "all verdicts of 1,000 calls after a threshold change in under 1 s",
        found=f"{seconds(worst[0])} at most ({worst[1]})",
        reached=worst[0] < 1,
        size=size,
    )
    power = exponent([few, many], [found[THRESHOLD, count].median("cpu_s") for count in (few, many)])
    table.target("exponent of the growth at most 1.1 (CPU)", found=f"{power:.2f}", reached=power <= 1.1, size=size)
    table.remarks.append("no peer: it has no stored levels, and reads the sound again for every threshold")
    return [table]


def _changes(held: HeldMoments) -> dict[str, Callable[[], Cost]]:
    tried = iter(np.linspace(0.001, 0.02, 1000).tolist())  # no line of runs is found ready

    def measuring(name: str, value: float) -> Callable[[], Cost]:
        def once() -> Cost:
            config = msgspec.structs.replace(held.measured_with, **{name: value + next(tried)})
            return call(lambda: held.rows(ScoreConfig(), measure=config))

        return once

    return {
        BOUND: lambda: call(lambda: held.rows(ScoreConfig(max_time_to_yield_s=0.7, max_talk_over_s=0.5))),
        PAUSE: lambda: call(lambda: held.rows(ScoreConfig(yield_hangover_s=0.35))),
        THRESHOLD: measuring("rel_db", 12.0),
        LOW: measuring("rel_db", 30.0),
        HANGOVER: measuring("hangover_s", 0.2),
    }
