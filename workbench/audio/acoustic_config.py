"""The settings of acoustic features, and the id of a set of them."""

from __future__ import annotations

import hashlib

import msgspec

from workbench.errors import UsageError


class AcousticConfig(msgspec.Struct, kw_only=True, frozen=True):
    """How the sound of a stretch is described.

    Parameters
    ----------
    frame_s, hop_s : float
        Hann window of a spectrum, and the distance between windows, in seconds.
    f0_frame_s : float
        Window in which the fundamental frequency is looked for, in seconds; it holds four periods of `f0_min_hz`.
    f0_min_hz, f0_max_hz : float
        Lowest and highest fundamental frequency that is looked for, in Hz.
    f0_step_semitones : float
        Grid of the fundamental frequency: steps of 1.2 % at 0.2 semitones.
    f0_thresholds : int
        Thresholds of YIN over which pYIN spreads its belief.
    loud_db : float
        A frame is loud when it lies at most this far below the loudest of the stretch, in dB. Level, spectrum and
        fundamental frequency are read from loud frames, so that pauses do not count.
    gate_dbfs : float
        A stretch whose loudest frame lies below this level is silence, in dBFS.
    rolloff_fraction : float
        Share (0..1) of the magnitude that lies below the roll-off.
    bandwidth_db : float
        The effective bandwidth ends where the mean power spectrum falls this far below its peak for good, in dB.
    narrow_hz : float
        A stretch whose effective bandwidth is at most this is narrow-band. Telephone speech (G.711) ends at
        3,400 to 4,000 Hz; wide-band speech (G.722) goes to 7,000 Hz.

    Raises
    ------
    UsageError
        When a length is not positive, or a frequency or share cannot be.
    """

    frame_s: float = 0.032
    hop_s: float = 0.010
    f0_frame_s: float = 0.064
    f0_min_hz: float = 65.0
    f0_max_hz: float = 500.0
    f0_step_semitones: float = 0.2
    f0_thresholds: int = 50
    loud_db: float = 30.0
    gate_dbfs: float = -70.0
    rolloff_fraction: float = 0.85
    bandwidth_db: float = 50.0
    narrow_hz: float = 4500.0

    def __post_init__(self) -> None:
        if min(self.frame_s, self.hop_s, self.f0_frame_s) <= 0:
            raise UsageError(
                f"frame_s {self.frame_s}, hop_s {self.hop_s} and f0_frame_s {self.f0_frame_s} must be above 0",
                hint="the usual values are 0.032, 0.01 and 0.064",
            )
        if not 0 < self.f0_min_hz < self.f0_max_hz or self.f0_frame_s * self.f0_min_hz < 2:
            raise UsageError(
                f"a fundamental frequency of {self.f0_min_hz} to {self.f0_max_hz} Hz cannot be found "
                f"in windows of {self.f0_frame_s} s",
                hint="the lowest must be below the highest, and a window must hold two periods of it",
            )
        if not 0 < self.rolloff_fraction < 1 or self.f0_step_semitones <= 0 or self.f0_thresholds < 1:
            raise UsageError(
                f"rolloff_fraction {self.rolloff_fraction} must lie between 0 and 1, "
                f"f0_step_semitones {self.f0_step_semitones} and f0_thresholds {self.f0_thresholds} above 0",
                hint="the usual values are 0.85, 0.2 and 50",
            )

    @property
    def config_id(self) -> str:
        """First 12 hex digits of the SHA-256 of the config as JSON with sorted keys, every number a float."""
        fields = {name: float(value) for name, value in msgspec.structs.asdict(self).items()}
        return hashlib.sha256(msgspec.json.encode(fields, order="sorted")).hexdigest()[:12]
