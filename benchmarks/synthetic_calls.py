"""Synthetic two-channel calls: speech-like bursts that take turns over a noise floor, 8 kHz PCM16."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile as sf

DIFFERENT = 12
"""Calls that are made afresh; later ones are these, begun elsewhere, which is as much work to measure."""


def call(seconds: float, *, rate: int = 8000, seed: int = 0) -> np.ndarray:
    """Return an int16 array of shape (samples, 2): caller and agent in turn, now and then together."""
    rng = np.random.default_rng(seed)
    samples = int(seconds * rate)
    sound = rng.normal(0.0, 12.0, size=(samples, 2)).astype(np.float32)
    at, channel = 0.5, 1
    time = np.arange(rate * 9) / rate
    while at < seconds:
        length = float(rng.uniform(0.6, 8.0))
        first, count = int(at * rate), int(min(length, seconds - at) * rate)
        envelope = 0.25 + 0.75 * np.abs(np.sin(2 * np.pi * rng.uniform(2.0, 5.0) * time[:count]))
        carrier = rng.normal(0.0, 1.0, size=count) + np.sin(2 * np.pi * rng.uniform(90, 220) * time[:count])
        sound[first : first + count, channel] += (2500.0 * envelope * carrier).astype(np.float32)
        at += length + float(rng.choice([-0.6, 0.25, 0.6, 1.2, 2.8], p=[0.12, 0.4, 0.3, 0.13, 0.05]))
        channel = 1 - channel
    return np.clip(np.rint(sound), -32768, 32767).astype(np.int16)


def folder(path: Path, *, calls: int, minutes: float, rate: int = 8000) -> float:
    """Write that many calls as WAV files, no two alike; return the seconds of audio."""
    path.mkdir(parents=True, exist_ok=True)
    made = [call(minutes * 60, rate=rate, seed=ix) for ix in range(min(calls, DIFFERENT))]
    for ix in range(calls):
        again, which = divmod(ix, DIFFERENT)
        shift = int(again * 7.3 * rate) % len(made[which])
        sf.write(path / f"call-{ix:04d}.wav", np.roll(made[which], shift, axis=0), rate, subtype="PCM_16")
    return calls * minutes * 60
