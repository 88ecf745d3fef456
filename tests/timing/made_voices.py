"""Two voices made of noise, each over faint noise of its own, and the two files of a call."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

RATE = 16000


def voice(runs: list[tuple[float, float]], *, length_s: float, seed: int, rate: int = RATE) -> np.ndarray:
    """Coloured noise whose level moves as speech does, over faint noise of its own."""
    rng = np.random.default_rng(seed)
    count = round(length_s * rate)
    sound = rng.normal(size=count) * 1e-4
    for start_s, end_s in runs:
        first, last = round(start_s * rate), round(end_s * rate)
        syllables = np.repeat(rng.uniform(0.02, 0.3, size=(last - first) // (rate // 10) + 1), rate // 10)[
            : last - first
        ]
        sound[first:last] += np.convolve(rng.normal(size=last - first), np.ones(6) / 3, "same") * syllables
    return sound


def write(folder: Path, caller: np.ndarray, agent: np.ndarray, *, rates: tuple[int, int] = (RATE, RATE)) -> None:
    for role, samples, rate in zip(("caller", "agent"), (caller, agent), rates, strict=True):
        soundfile.write(folder / f"{role}.wav", samples, rate, subtype="PCM_16")


CALLER = voice([(2.0, 4.0), (6.0, 8.5)], length_s=10, seed=1)
AGENT = voice([(0.5, 2.6), (4.3, 5.5), (8.7, 9.8)], length_s=10, seed=2)


def delayed(sound: np.ndarray, by_s: float) -> np.ndarray:
    shift = round(by_s * RATE)
    return np.concatenate([np.zeros(shift), sound])[: len(sound)]
