"""The measuring config: every number that decides what counts as speech, and the id of a set of them."""

from __future__ import annotations

import hashlib
from typing import Literal

import msgspec

from workbench.decimals import exact
from workbench.errors import UsageError

LEAST_MS, MOST_MS = 1.0, 10_000.0
"""Shorter than a millisecond there is no level of speech; a hop of a sample gives a frame for each."""

RANGES = {
    "rel_db": (0.0, 120.0),
    "abs_gate_db": (-120.0, 0.0),
    "hangover_s": (0.0, 60.0),
    "noise_percentile": (0.0, 1.0),
    "dyn_margin_db": (0.0, 120.0),
    "faint_db": (0.0, 120.0),
}


class MeasureConfig(msgspec.Struct, kw_only=True, frozen=True):
    """How levels are taken and when a frame counts as speech.

    Parameters
    ----------
    frame_ms, hop_ms : float
        Length of the window whose RMS is a frame, and the distance between windows, in milliseconds.
    rel_db : float
        Speech is at least this far above the noise floor, in dB.
    abs_gate_db : float
        Speech is never below this level, in dBFS.
    hangover_s : float
        Time that still counts as speech after the last loud frame, in seconds.
    noise_percentile : float
        The noise floor is this quantile (0..1) of the frame levels.
    dyn_margin_db : float
        The threshold is never closer than this to the loudest frame, in dB, so that a channel that is
        hardly ever silent is still heard.
    faint_db : float
        A run of speech whose loudest frame is further than this below the channel's speech level is marked
        faint: it is stored, and no turn-taking is read from it.
    backend : {'energy'}
        What decides.

    Raises
    ------
    UsageError
        When a length lies outside 1..10,000 ms, a frame is shorter than a hop, or another value outside its range.
    """

    frame_ms: float = 20.0
    hop_ms: float = 10.0
    rel_db: float = 15.0
    abs_gate_db: float = -60.0
    hangover_s: float = 0.15
    noise_percentile: float = 0.10
    dyn_margin_db: float = 22.0
    faint_db: float = 20.0
    backend: Literal["energy"] = "energy"

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            if type(getattr(self, name)) is float:
                msgspec.structs.force_setattr(self, name, getattr(self, name) + 0.0)  # -0 is 0, and no other config
        if not LEAST_MS <= self.hop_ms <= self.frame_ms <= MOST_MS:
            raise UsageError(
                f"frame_ms is {exact(self.frame_ms)} and hop_ms {exact(self.hop_ms)}; both must lie in "
                f"{exact(LEAST_MS)}..{exact(MOST_MS)}, and a frame is at least a hop",
                hint="the published values are 20 and 10",
            )
        for name, (least, most) in RANGES.items():
            if not least <= getattr(self, name) <= most:
                raise UsageError(
                    f"{name} is {exact(getattr(self, name))}; it must lie in {exact(least)}..{exact(most)}",
                    hint="the published values are the defaults",
                )

    @property
    def config_id(self) -> str:
        """First 12 hex digits of the SHA-256 of the config as JSON: sorted keys, every number a float."""
        fields = {
            name: value if isinstance(value, str) else float(value)
            for name, value in msgspec.structs.asdict(self).items()
        }
        return hashlib.sha256(msgspec.json.encode(fields, order="sorted")).hexdigest()[:12]

    @property
    def windows(self) -> str:
        """How levels are taken, in words: ``20 ms windows every 10 ms``."""
        return f"{exact(self.frame_ms)} ms windows every {exact(self.hop_ms)} ms"

    def window_samples(self, sample_rate_hz: int) -> int:
        """Samples in a window: the nearest whole number (halves to even), at least 1."""
        return max(1, round(sample_rate_hz * self.frame_ms / 1000))

    def hop_samples(self, sample_rate_hz: int) -> int:
        """Samples from one window to the next: the nearest whole number (halves to even), at least 1."""
        return max(1, round(sample_rate_hz * self.hop_ms / 1000))

    def hop_s(self, sample_rate_hz: int) -> float:
        """Seconds from one window to the next; at 22,050 Hz a hop is 220 samples, 9.977 ms and not 10."""
        return self.hop_samples(sample_rate_hz) / sample_rate_hz
