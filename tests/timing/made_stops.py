"""A made call of eight seconds in which an agent speaks until some time, and a caller comes in at 2.0 s."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile

RATE = 8000


def sound(path: Path, *, stops: float, seed: int) -> Path:
    """The agent speaks from 0.5 s to `stops`, the caller 2.0 to 2.6 s; in bursts, so that each seed rises otherwise."""
    rng = np.random.default_rng(seed)
    samples = rng.normal(0, 3, (8 * RATE, 2))
    for channel, start, end in ((1, 0.5, stops), (0, 2.0, 2.6)):
        part = slice(round(start * RATE), round(end * RATE))
        loudness = np.repeat(10 ** rng.uniform(2.6, 3.6, 200), 400)[: part.stop - part.start]
        samples[part, channel] = rng.normal(0, 1, part.stop - part.start) * loudness
    soundfile.write(path, samples.astype(np.int16), RATE, subtype="PCM_16")
    return path
