"""Frame levels from 16-bit samples, against librosa and against a compiled kernel."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import synthetic_calls
from benchmarks.measured import call, interleaved, ratio
from benchmarks.tables import Table, times, timing
from workbench.audio.config import MeasureConfig
from workbench.audio.frames import frame_levels

SIZES = {"tiny": (0.2, 1), "quick": (10.0, 5), "full": (10.0, 15)}
"""Minutes of sound, rounds."""

RATE = 8000
OURS = "workbench frame_levels (levels, peak, clipping)"
LIBROSA = "librosa.feature.rms (float samples given)"
COMPILED = "numba kernel, compiled before (levels alone)"


def run(size: str, _scratch: Path) -> list[Table]:
    """Measure in this process; each contestant has run once before."""
    import librosa

    minutes, rounds = SIZES[size]
    sound = synthetic_calls.call(minutes * 60, rate=RATE, seed=1)
    config = MeasureConfig()
    hop, window = config.hop_samples(RATE), config.window_samples(RATE)
    floats = np.ascontiguousarray(sound.T).astype(np.float32) / 32768

    def ours() -> np.ndarray:
        return frame_levels([sound], sample_rate_hz=RATE, config=config).rms

    def theirs() -> np.ndarray:
        return librosa.feature.rms(y=floats, frame_length=window, hop_length=hop, center=False)[:, 0, :]

    work = {OURS: ours, LIBROSA: theirs}
    kernel = compiled(hop, window) if find_spec("numba") else None
    if kernel is not None:
        work[COMPILED] = lambda: kernel(sound)
    levels = {name: one() for name, one in work.items()}
    least = 0.0 if size == "tiny" else 0.2
    found = interleaved(
        {name: (lambda one=one: call(one, at_least_s=least)) for name, one in work.items()}, rounds=rounds
    )
    table = timing(f"frames: {minutes:g} min of 8 kHz, two channels, {rounds} rounds", found, peer=LIBROSA)
    worst = max(
        float(np.abs(levels[OURS][:, : one.shape[1]] - one).max()) for name, one in levels.items() if name != OURS
    )
    table.target(
        "the same levels within 1e-6 of full scale",
        found=f"{worst:.1e} at most",
        reached=worst <= 1e-6,
        size=size,
    )
    table.remarks.append(f"{times(minutes * 60 / found[OURS].median())} real time")
    if kernel is not None:
        slower = ratio(found[OURS], found[COMPILED])
        table.target("at most 2 x the compiled kernel's time", found=times(slower), reached=slower <= 2.0, size=size)
    return [table]


def compiled(hop: int, window: int) -> Any:
    """Return a compiled kernel: sums of squares of hops, then of windows, from (samples, channels)."""
    import numba

    if window % hop:
        raise ValueError("the kernel adds whole hops to a window")
    a_window = window // hop

    @numba.njit(cache=False)
    def kernel(sound: np.ndarray) -> np.ndarray:
        hops, channels = sound.shape[0] // hop, sound.shape[1]
        sums = np.zeros((channels, hops), np.int64)
        for n in range(hops):
            for ix in range(n * hop, (n + 1) * hop):
                for channel in range(channels):
                    value = np.int64(sound[ix, channel])
                    sums[channel, n] += value * value
        levels = np.empty((channels, hops - a_window + 1), np.float64)
        for channel in range(channels):
            for n in range(hops - a_window + 1):
                total = np.int64(0)
                for step in range(a_window):
                    total += sums[channel, n + step]
                levels[channel, n] = np.sqrt(total / window) / 32768.0
        return levels

    return kernel
