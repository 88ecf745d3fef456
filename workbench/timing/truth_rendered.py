"""Calls made from a seed whose speech begins and ends at known samples, and whose sound is like speech.

A voice is a sum of harmonics of a gliding pitch under three formants that wander, with a hiss between syllables; it
is never silent between its first sample and its last, and the neural track takes nearly all of it for speech. The
conditions add what measuring is difficult under: noise, the other party's voice leaking over, a breath before each
start, a telephone line. They say how far a detector is from the truth where the truth is exact; how people speak
they do not say.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from workbench.audio.perturb import Sound, leak, noise, telephone
from workbench.timing.truth import TruthCall

if TYPE_CHECKING:
    from numpy.typing import NDArray

RATE_HZ = 16_000
SECONDS = 16.0
_LEVEL = 2500.0
_FLOOR = 3.0
_RAMP_S = 0.004
_BREATH_S, _BREATH_BEFORE_S = 0.25, 0.15


def _both(sound: Sound, level: float) -> Sound:
    return leak(0, 1)(leak(1, 0)(sound, level), level)


CONDITIONS: dict[str, Callable[[Sound, int], Sound]] = {
    "clean": lambda sound, _seed: sound,
    "noise 20 dB": lambda sound, seed: noise(sound, 20.0, seed),
    "noise 10 dB": lambda sound, seed: noise(sound, 10.0, seed),
    "leak -20 dB": lambda sound, _seed: _both(sound, -20.0),
    "breath": lambda sound, _seed: sound,
    "telephone": lambda sound, _seed: telephone(sound),
}
"""What is done to the rendered calls; the breaths are put in while they are rendered."""


def rendered(condition: str, *, count: int = 12, seed: int = 1) -> list[tuple[TruthCall, Sound]]:
    """Return calls with exact boundaries.

    Parameters
    ----------
    condition : str
        A key of `CONDITIONS`.
    count : int
        How many calls; none gives an empty list.
    seed : int
        Other seeds give other calls.

    Returns
    -------
    list of (TruthCall, Sound)
        Caller in channel 0, agent in channel 1. In every second call the agent stops for the caller, in the
        others it goes on; then two more turns follow.
    """
    made = []
    for ix in range(count):
        text = f"{seed}/{ix}".encode()
        number = int.from_bytes(hashlib.sha256(text).digest()[:8], "big")
        rng = np.random.default_rng(number)
        stretches = _script(rng, yields=ix % 2 == 0)
        waves = np.random.default_rng(number + 1).normal(0.0, _FLOOR, (round(SECONDS * RATE_HZ), 2))
        for channel, role in enumerate(("caller", "agent")):
            pitch = float(rng.uniform(95, 230))
            for start, end in stretches[role]:
                first, after = round(start * RATE_HZ), round(end * RATE_HZ)
                waves[first:after, channel] += voice(rng, after - first, pitch_hz=pitch) * _LEVEL
                if condition == "breath":
                    _breathe(waves[:, channel], rng, first)
        samples = np.clip(np.rint(waves), -32768, 32767).astype(np.int16)
        sound = CONDITIONS[condition](Sound(samples=samples, sample_rate_hz=RATE_HZ), number % 2**32)
        call = TruthCall(
            call_id=f"rendered-{condition.replace(' ', '-')}-{ix:02d}",
            sample_rate_hz=sound.sample_rate_hz,
            duration_s=len(sound.samples) / sound.sample_rate_hz,
            stretches=stretches,
        )
        made.append((call, sound))
    return made


def _script(rng: np.random.Generator, *, yields: bool) -> dict[str, list[tuple[float, float]]]:
    """Agent speaks, caller breaks in, agent stops or goes on; then caller, agent, to the sample."""

    def at(time: float) -> float:
        return round(time * RATE_HZ) / RATE_HZ

    agent_start, onset = rng.uniform(0.5, 1.0), rng.uniform(2.2, 3.0)
    caller_end = onset + (rng.uniform(1.2, 2.2) if yields else rng.uniform(0.35, 0.7))
    agent_end = onset + (rng.uniform(0.2, 0.9) if yields else rng.uniform(3.2, 4.0))
    caller, agent = [(at(onset), at(caller_end))], [(at(agent_start), at(agent_end))]
    time = max(caller_end, agent_end)
    if yields:
        start = caller_end + rng.uniform(0.4, 1.5)
        agent.append((at(start), at(time := start + rng.uniform(1.0, 1.8))))
    start = time + rng.uniform(0.5, 1.0)
    caller.append((at(start), at(time := start + rng.uniform(0.8, 1.8))))
    start = time + rng.uniform(0.4, 1.5)
    agent.append((at(start), at(start + rng.uniform(1.0, 1.8))))
    return {"caller": caller, "agent": agent}


def voice(rng: np.random.Generator, count: int, *, pitch_hz: float) -> NDArray[np.float64]:
    """Return samples that sound like syllables, RMS 1, from the first sample to the last.

    Parameters
    ----------
    rng : numpy.random.Generator
        Chooses pitch, formants and syllables.
    count : int
        Samples at 16 kHz; 0 gives none.
    pitch_hz : float
        About which the pitch glides, in Hz.

    Returns
    -------
    numpy.ndarray of float64, shape (count,)
    """
    if not count:
        return np.zeros(0)
    time, place = np.arange(count) / RATE_HZ, np.arange(count)
    glide = 1 + 0.12 * np.sin(2 * np.pi * (rng.uniform(0.4, 1.2) * time + rng.uniform()))
    phase = 2 * np.pi * np.cumsum(pitch_hz * glide) / RATE_HZ
    knots = max(2, round(count / RATE_HZ / 0.1) + 1)
    places = np.linspace(0, count, knots)
    ranges = ((300.0, 800.0), (900.0, 2200.0), (2300.0, 3100.0))
    formants = [np.interp(place, places, rng.uniform(*span, knots)) for span in ranges]
    syllable = 2 * np.pi * rng.uniform(4.5, 6.5) * time
    wave = np.zeros(count)
    for harmonic in range(1, int(3800 / pitch_hz)):
        frequency = harmonic * pitch_hz * glide
        size = 0.01 + sum(
            weight / (1 + ((frequency - formant) / width) ** 2)
            for formant, width, weight in zip(formants, (80.0, 120.0, 180.0), (1.0, 0.5, 0.25), strict=True)
        )
        wave += size / harmonic * np.cos(harmonic * phase)
    wave = _unit(wave) * (0.55 + 0.45 * np.cos(syllable))
    hiss = _unit(np.diff(rng.normal(0.0, 1.0, count + 1)))
    wave += 0.25 * hiss * np.clip(-np.cos(syllable), 0.0, 1.0) ** 2
    ramp = min(count // 2, round(_RAMP_S * RATE_HZ))
    if ramp:
        wave[:ramp] *= np.linspace(0.1, 1.0, ramp)
        wave[-ramp:] *= np.linspace(1.0, 0.1, ramp)
    return _unit(wave)


def _unit(wave: NDArray[np.float64]) -> NDArray[np.float64]:
    return wave / max(1e-9, float(np.sqrt(np.mean(wave**2))))


def _breathe(wave: NDArray[np.float64], rng: np.random.Generator, first: int) -> None:
    """Put a breath before a start: soft high-passed noise that swells and dies, 24 dB below the voice."""
    after = first - round(_BREATH_BEFORE_S * RATE_HZ)
    begin = max(0, after - round(_BREATH_S * RATE_HZ))
    if after - begin < 2:
        return
    hiss = np.diff(rng.normal(0.0, 1.0, after - begin + 1)) / np.sqrt(2)
    wave[begin:after] += hiss * np.hanning(after - begin) * _LEVEL * 10 ** (-24 / 20) * 1.63
