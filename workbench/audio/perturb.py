"""Sound made worse in a way that can be repeated: noise, gain, clipping, a telephone line, lost packets, leakage.

Each perturbation takes 16-bit samples and a level, and returns 16-bit samples. With the same seed the same noise
is only made louder and the same packets stay lost, so that a series of levels is one thing getting worse.
"""

from __future__ import annotations

import wave
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.audio.config import MeasureConfig
from workbench.audio.frames import frame_levels, to_dbfs

if TYPE_CHECKING:
    from numpy.typing import NDArray

PACKET_S = 0.020
LINE_HZ = 8000
_BAND_HZ = (100.0, 300.0, 3400.0, 3800.0)  # between the outer and the inner ones it fades, so that it hardly rings
_LEAK_DELAY_S = 0.020
_NOISE_ROWS = 1 << 20
_MU_BIAS, _MU_CLIP = 132, 32635


class Sound(msgspec.Struct, frozen=True, kw_only=True):
    """Samples of shape (samples, channels), 16-bit, and how many a second."""

    samples: NDArray[np.int16]
    sample_rate_hz: int


class Perturbation(msgspec.Struct, frozen=True, kw_only=True):
    """One way to make sound worse: its levels from harmless to harmful, their unit, and what is done."""

    name: str
    unit: str
    levels: tuple[float, ...]
    recipe: str
    apply: Callable[[Sound, float, int], Sound]


def _made(values: NDArray[np.floating], sample_rate_hz: int) -> Sound:
    return Sound(samples=np.clip(np.rint(values), -32768, 32767).astype(np.int16), sample_rate_hz=sample_rate_hz)


def write_wav(path: str | Path, sound: Sound) -> None:
    """Write samples as a WAV file of 16 bits.

    Parameters
    ----------
    path : path
        The file; replaced where it is there.
    sound : Sound

    Returns
    -------
    None
    """
    with wave.open(str(path), "wb") as file:
        file.setnchannels(sound.samples.shape[1])
        file.setsampwidth(2)
        file.setframerate(sound.sample_rate_hz)
        file.writeframes(sound.samples.astype("<i2").tobytes())


def speech_rms(sound: Sound) -> NDArray[np.float64]:
    """Return the RMS of each channel while it is loud: within 20 dB of its loudest 20 ms.

    Parameters
    ----------
    sound : Sound

    Returns
    -------
    numpy.ndarray of float64, shape (channels,)
        Full scale 32,768; 0 for a channel without sound.
    """
    levels = frame_levels([sound.samples], sample_rate_hz=sound.sample_rate_hz, config=MeasureConfig()).rms
    found = []
    for row in levels:
        loud = row[(row > 0) & (to_dbfs(row) >= to_dbfs(row).max() - 20)]
        found.append(float(np.sqrt(np.mean(loud**2))) if len(loud) else 0.0)
    return np.array(found) * 32768


def noise(sound: Sound, level: float, seed: int) -> Sound:
    """Add white noise to every channel, `level` dB below its own speech.

    Parameters
    ----------
    sound : Sound
    level : float
        Signal-to-noise ratio in dB.
    seed : int
        Of the noise.

    Returns
    -------
    Sound
    """
    lot, size = np.random.default_rng(seed), speech_rms(sound) * 10 ** (-level / 20)
    made = [sound.samples[:0]]
    for at in range(0, len(sound.samples), _NOISE_ROWS):  # the same noise as drawn at once, and Ctrl-C is heard
        some = sound.samples[at : at + _NOISE_ROWS]
        made.append(_made(some + lot.normal(0.0, 1.0, some.shape) * size, sound.sample_rate_hz).samples)
    return Sound(samples=np.concatenate(made), sample_rate_hz=sound.sample_rate_hz)


def gain(sound: Sound, level: float) -> Sound:
    """Make every channel louder or softer; what passes full scale is clipped, what is lost in rounding is lost.

    Parameters
    ----------
    sound : Sound
    level : float
        In dB; positive is louder.

    Returns
    -------
    Sound
    """
    return _made(sound.samples * 10 ** (level / 20), sound.sample_rate_hz)


def telephone(sound: Sound, level: float = 1.0) -> Sound:
    """Send the sound over telephone lines: 300 to 3,400 Hz, 8 kHz, G.711 mu-law.

    Parameters
    ----------
    sound : Sound
    level : float
        How many lines one after the other; whole.

    Returns
    -------
    Sound
        At 8 kHz, the same length to half a sample.
    """
    for _ in range(round(level)):
        count = len(sound.samples)
        after = max(1, round(count * LINE_HZ / sound.sample_rate_hz))
        spectrum = np.fft.rfft(sound.samples.astype(np.float64), axis=0)
        frequency = np.arange(len(spectrum)) * (sound.sample_rate_hz / max(1, count))
        through = np.interp(frequency, _BAND_HZ, (0.0, 1.0, 1.0, 0.0))
        spectrum *= (0.5 - 0.5 * np.cos(np.pi * through))[:, None]
        spectrum = spectrum[: after // 2 + 1]
        line = _made(np.fft.irfft(spectrum, n=after, axis=0) * (after / max(1, count)), LINE_HZ)
        sound = Sound(samples=mu_law(line.samples), sample_rate_hz=LINE_HZ)
    return sound


def mu_law(samples: NDArray[np.int16]) -> NDArray[np.int16]:
    """Return samples as they are after G.711 mu-law: 8 bits each, decoded again.

    Parameters
    ----------
    samples : numpy.ndarray of int16, any shape

    Returns
    -------
    numpy.ndarray of int16
        Same shape. ITU-T G.711 (1988), table 2a: a sign, one of 8 segments, one of 16 steps.
    """
    wide = samples.astype(np.int32)
    size = np.minimum(np.abs(wide), _MU_CLIP) + _MU_BIAS
    segment = np.floor(np.log2(size)).astype(np.int32) - 7
    step = (size >> (segment + 3)) & 0x0F
    decoded = (((step << 3) + _MU_BIAS) << segment) - _MU_BIAS
    signed: NDArray[np.int16] = np.where(wide < 0, -decoded, decoded).astype(np.int16)
    return signed


def packet_loss(sound: Sound, level: float, seed: int) -> Sound:
    """Replace packets of 20 ms by silence, independently of one another and in all channels at once.

    Parameters
    ----------
    sound : Sound
    level : float
        Share of packets that are lost, in percent.
    seed : int
        Which.

    Returns
    -------
    Sound
    """
    packet = max(1, round(PACKET_S * sound.sample_rate_hz))
    lot = np.random.default_rng(seed).random(-(-len(sound.samples) // packet))
    lost = np.repeat(lot < level / 100, packet)[: len(sound.samples)]
    kept = sound.samples.copy()
    kept[lost] = 0
    return Sound(samples=kept, sample_rate_hz=sound.sample_rate_hz)


def leak(source: int, target: int) -> Callable[[Sound, float], Sound]:
    """Return the perturbation that adds one channel to another, 20 ms later.

    Parameters
    ----------
    source, target : int
        Channels.

    Returns
    -------
    callable
        Its level is that of the copy, in dB of the original.
    """

    def leaking(sound: Sound, level: float) -> Sound:
        delay = round(_LEAK_DELAY_S * sound.sample_rate_hz)
        values = sound.samples.astype(np.float64)
        copy = sound.samples[: max(0, len(values) - delay), source] * 10 ** (level / 20)
        values[delay:, target] += copy
        return _made(values, sound.sample_rate_hz)

    return leaking


def _seedless(change: Callable[[Sound, float], Sound]) -> Callable[[Sound, float, int], Sound]:
    return lambda sound, level, _seed: change(sound, level)


def perturbations(*, caller: int | None = 0, agent: int | None = 1) -> Sequence[Perturbation]:
    """Return what can be done to a two-channel call.

    Parameters
    ----------
    caller, agent : int, optional
        Channels; without both there is no leakage.

    Returns
    -------
    sequence of Perturbation
        Levels go from harmless to harmful.
    """
    down = tuple(float(-step) for step in range(3, 61, 3))
    kinds = [
        Perturbation(
            name="noise",
            unit="dB below speech",
            levels=tuple(float(step) for step in range(40, -6, -1)),
            recipe="white noise in every channel, relative to the RMS of its frames within 20 dB of the loudest",
            apply=noise,
        ),
        Perturbation(
            name="gain", unit="dB", levels=down, recipe="every sample times the gain, rounded", apply=_seedless(gain)
        ),
        Perturbation(
            name="clipping",
            unit="dB over",
            levels=tuple(float(step) for step in range(3, 43, 3)),
            recipe="every sample times the gain, clipped at full scale",
            apply=_seedless(gain),
        ),
        Perturbation(
            name="telephone",
            unit="lines",
            levels=(1.0, 2.0, 3.0),
            recipe="300 to 3,400 Hz, 8 kHz, G.711 mu-law, so many times",
            apply=_seedless(telephone),
        ),
        Perturbation(
            name="packet_loss",
            unit="% of packets",
            levels=(0.5, 1.0, 2.0, 3.0, 5.0, 7.5, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0),
            recipe="packets of 20 ms replaced by silence in all channels, independently",
            apply=packet_loss,
        ),
    ]
    if caller is not None and agent is not None:
        louder = tuple(float(step) for step in range(-60, 1, 2))
        for name, source, target in (("leak_to_caller", agent, caller), ("leak_to_agent", caller, agent)):
            kinds.append(
                Perturbation(
                    name=name,
                    unit="dB",
                    levels=louder,
                    recipe="the other party's channel added 20 ms later at this level",
                    apply=_seedless(leak(source, target)),
                )
            )
    return kinds
