"""Which frames are speech: a threshold above the channel's own noise floor, then a hangover.

The rule is that of hotato's published method, so that results stay comparable: noise floor = 10th percentile
of the frame levels, threshold = max(floor + 15 dB, -60 dBFS), lowered to 22 dB under the loudest frame where
that lies above -60 dBFS. A frame at or above it is loud, and 0.15 s after the last loud frame still count as
speech. So ends are up to one hangover and one hop late (0.16 s) and starts up to one window early (0.02 s).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.audio.config import MeasureConfig

if TYPE_CHECKING:
    from numpy.typing import NDArray


SPEECH_PERCENTILE = 0.95
"""The speech level of a channel is this quantile of its loud frames."""


class Activity(msgspec.Struct, frozen=True, kw_only=True):
    """Speech of one channel: `loud` are the frames that reach the threshold, `active` also the hangover."""

    active: NDArray[np.bool_]
    loud: NDArray[np.bool_]
    noise_floor_dbfs: float | None
    threshold_dbfs: float | None

    @property
    def trimmed(self) -> NDArray[np.bool_]:
        """Speech without the hangover after a run: gaps stay bridged, a run ends at its last loud frame."""
        count = len(self.loud)
        after = np.where(self.loud, np.arange(count), count)
        after = np.minimum.accumulate(after[::-1])[::-1]
        reached = np.append(np.cumsum(~self.active), 0)
        inside = after < count
        kept: NDArray[np.bool_] = self.active & inside & (reached[after] == reached[:-1])
        return kept


class Flagging:
    """Flags the frames of a channel piece by piece; the hangover goes on from one piece to the next.

    Parameters
    ----------
    level : float
        Threshold in dBFS.
    hangover : int
        Frames after the last loud one that still count as speech.
    """

    def __init__(self, level: float, hangover: int) -> None:
        self._level, self._hangover = level, hangover
        self.since = hangover + 1  # frames from the last loud one to the first of the next piece

    def __call__(self, dbfs: NDArray[np.float64]) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Return which frames of the next piece are active, and which are loud."""
        loud = dbfs >= self._level
        position = np.arange(len(dbfs), dtype=np.int32)
        last = np.where(loud, position, np.int32(-self.since))
        np.maximum.accumulate(last, out=last)
        active = position - last <= self._hangover
        if len(dbfs):
            self.since = min(len(dbfs) - int(last[-1]), self._hangover + 1)
        return active, loud


def noise_floor(dbfs: NDArray[np.float64], percentile: float) -> float:
    """Return the level of rank ``int(percentile * (n - 1))``, without interpolation.

    Parameters
    ----------
    dbfs : numpy.ndarray of float64, shape (frames,)
        At least one level.
    percentile : float
        0..1.

    Returns
    -------
    float
        In dBFS.
    """
    rank = int(percentile * (len(dbfs) - 1))
    return float(np.partition(dbfs, rank)[rank])


def threshold(floor_dbfs: float, loudest_dbfs: float, config: MeasureConfig) -> float:
    """Return the level at or above which a frame counts as speech.

    Parameters
    ----------
    floor_dbfs, loudest_dbfs : float
        Noise floor and loudest frame of the channel.
    config : MeasureConfig
        Margins.

    Returns
    -------
    float
        In dBFS.
    """
    level = max(floor_dbfs + config.rel_db, config.abs_gate_db)
    cap = loudest_dbfs - config.dyn_margin_db
    return min(level, cap) if cap > config.abs_gate_db else level


def activity(dbfs: NDArray[np.float64], *, hop_s: float, config: MeasureConfig | None = None) -> Activity:
    """Return which frames of a channel are speech.

    Parameters
    ----------
    dbfs : numpy.ndarray of float64, shape (frames,)
        Unrounded levels of one channel.
    hop_s : float
        Seconds from frame to frame.
    config : MeasureConfig, optional
        Margins and hangover; the hangover is ``round(hangover_s / hop_s)`` frames.

    Returns
    -------
    Activity
        Empty, with floor and threshold None, for no frames.
    """
    config = config or MeasureConfig()
    if not len(dbfs):
        none = np.zeros(0, np.bool_)
        return Activity(active=none, loud=none, noise_floor_dbfs=None, threshold_dbfs=None)
    floor = noise_floor(dbfs, config.noise_percentile)
    level = threshold(floor, float(dbfs.max()), config)
    active, loud = Flagging(level, round(config.hangover_s / hop_s))(dbfs)
    return Activity(active=active, loud=loud, noise_floor_dbfs=floor, threshold_dbfs=level)
