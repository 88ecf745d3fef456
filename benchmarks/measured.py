"""Contestants measured in turn (A B A B ...), wall and CPU seconds side by side."""

from __future__ import annotations

import gc
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

CHILD = Path(__file__).with_name("child.py")
WORKBENCH = [sys.executable, "-m", "workbench"]


@dataclass(frozen=True)
class Cost:
    """What one run took. `peak_mb` is 0.0 where memory was not looked at."""

    wall_s: float
    cpu_s: float
    peak_mb: float = 0.0


@dataclass
class Costs:
    """The runs of one contestant, oldest first."""

    runs: list[Cost] = field(default_factory=list)

    def median(self, part: str = "wall_s") -> float:
        """Median of `wall_s`, `cpu_s` or `peak_mb`."""
        return statistics.median(getattr(run, part) for run in self.runs)

    def low(self, part: str = "wall_s") -> float:
        """Smallest value of `wall_s`, `cpu_s` or `peak_mb`."""
        return min(getattr(run, part) for run in self.runs)

    def high(self, part: str = "wall_s") -> float:
        """Largest value of `wall_s`, `cpu_s` or `peak_mb`."""
        return max(getattr(run, part) for run in self.runs)


class Failed(RuntimeError):
    """A measured command failed, so its time says nothing."""


def process(command: Sequence[str | Path], *, cwd: Path | None = None) -> Cost:
    """Run a command as a process of its own and return what it took, from its start to its end.

    Raises
    ------
    Failed
        When it does not end with exit code 0.
    """
    words = [str(word) for word in command]
    with tempfile.NamedTemporaryFile() as errors:
        launcher = [sys.executable, "-I", "-S", str(CHILD), *words]
        environment = {**os.environ, "CHILD_ERRORS": errors.name}
        answer = subprocess.run(launcher, cwd=cwd, env=environment, capture_output=True, text=True, check=True)
        cost = json.loads(answer.stdout)
        if cost["exit_code"] != 0:
            said = Path(errors.name).read_text(encoding="utf-8", errors="replace")[-2000:]
            raise Failed(f"exit code {cost['exit_code']} from {' '.join(words)}\n{said}")
    return Cost(cost["wall_s"], cost["cpu_s"], cost["peak_kib"] * 1024 / 1e6)


def call(work: Callable[[], object], *, at_least_s: float = 0.0) -> Cost:
    """Run a function in this process, again and again until `at_least_s` has passed; return the mean."""
    gc.collect()
    gc.disable()
    count, wall, cpu = 0, time.perf_counter(), time.process_time()
    try:
        while True:
            work()
            count += 1
            spent = time.perf_counter() - wall
            if spent >= at_least_s:
                return Cost(spent / count, (time.process_time() - cpu) / count)
    finally:
        gc.enable()


def interleaved(contestants: dict[str, Callable[[], Cost]], *, rounds: int) -> dict[str, Costs]:
    """Run every contestant once a round, in turn, so that a busy minute hits all of them.

    Parameters
    ----------
    contestants : dict of str to callable
        What runs the contestant once and returns its cost.
    rounds : int
        At least 1.

    Returns
    -------
    dict of str to Costs
        In the order of `contestants`, each with `rounds` runs.
    """
    found = {name: Costs() for name in contestants}
    for _ in range(rounds):
        for name, run in contestants.items():
            found[name].runs.append(run())
    return found


def ratio(over: Costs, under: Costs, part: str = "wall_s") -> float:
    """Median over the rounds of one contestant's time divided by another's in the same round."""
    pairs = zip(over.runs, under.runs, strict=True)
    return statistics.median(getattr(a, part) / max(getattr(b, part), 1e-9) for a, b in pairs)


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Exponent k of the growth ``seconds = c * sizes ** k``: slope of the least-squares line in logarithms.

    Two points give the slope between them.
    """
    import math

    x, y = [math.log(size) for size in sizes], [math.log(second) for second in seconds]
    mean_x, mean_y = statistics.fmean(x), statistics.fmean(y)
    products = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return products / sum((a - mean_x) ** 2 for a in x)
