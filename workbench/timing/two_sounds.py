"""The samples of two parties side by side, from one file or from one a party: how far one agrees with the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.audio.read import excerpt
from workbench.audio.source import Source
from workbench.timing.copied_waveform import agreement_in, densest
from workbench.timing.leakage import waveform_agreement

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COMPARED_S = 8.0


class Sound(msgspec.Struct, frozen=True, kw_only=True):
    """Where a party is heard: file, channel, and how many seconds after the start of the earlier file it begins."""

    source: Source
    channel_ix: int
    late_s: float = 0.0

    def stretch(self, first: int, last: int, rate: int) -> NDArray[np.float64]:
        """Return samples `first` up to but not including `last` at a rate, counted on the clock of both.

        Parameters
        ----------
        first, last : int
            `first` before `last`.
        rate : int
            In Hz, at most that of the file.

        Returns
        -------
        numpy.ndarray of float64, shape (last - first,)
            Silence where the file has nothing.
        """
        own = self.source.sample_rate_hz
        shift = round(self.late_s * own)
        start, stop = round(first * own / rate) - shift, round(last * own / rate) - shift
        found = np.zeros(stop - start)
        heard = excerpt(self.source, start, stop)[:, self.channel_ix]
        at = max(0, -start)
        found[at : at + len(heard)] = heard
        return found if own == rate else _resampled(found, last - first)


def _resampled(samples: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Fewer samples over the same time, without what lies above half their rate."""
    spectrum = np.fft.rfft(samples)[: count // 2 + 1]
    return np.fft.irfft(spectrum, count) * (count / max(1, len(samples)))


class TwoSounds(msgspec.Struct, frozen=True, kw_only=True):
    """Two parties whose samples can be compared: a caller first, an agent second, or two channels without a role.

    `window_s` is how long a frame lasts.
    """

    first: Sound
    second: Sound
    window_s: float

    @property
    def sample_rate_hz(self) -> int:
        """The rate at which both are compared: the lower one."""
        return min(self.first.source.sample_rate_hz, self.second.source.sample_rate_hz)

    def stretch(self, first: int, last: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the same stretch of both, see :meth:`Sound.stretch`."""
        if self.first.source == self.second.source:
            both = excerpt(self.first.source, first, last)
            return both[:, self.first.channel_ix].astype(np.float64), both[:, self.second.channel_ix].astype(np.float64)
        rate = self.sample_rate_hz
        return self.first.stretch(first, last, rate), self.second.stretch(first, last, rate)

    def agreement(self, both: NDArray[np.bool_], *, hop_s: float) -> float:
        """Return the agreement (0..1) of the samples from where both are first active.

        Parameters
        ----------
        both : numpy.ndarray of bool, shape (frames,)
            Where both parties speak.
        hop_s : float
            Seconds from frame to frame.
        """
        rate = self.sample_rate_hz
        start = float(np.argmax(both)) * hop_s if both.any() else 0.0
        first = int(start * rate)
        return waveform_agreement(*self.stretch(first, first + int(_COMPARED_S * rate)), sample_rate_hz=rate)

    def copy_agreement(self, nth: int, frames: NDArray[np.int64], lag: int, *, hop_s: float) -> float:
        """Return the agreement (0..1) of one party's samples with the other's a delay later.

        Parameters
        ----------
        nth : {0, 1}
            Which party is the source.
        frames : numpy.ndarray of int64
            Frames of the source, rising, at least one: compared is the stretch of 8 s that holds most of them.
        lag : int
            The delay in frames, at least 0; it is looked for up to a frame to either side.
        hop_s : float
            Seconds from frame to frame.
        """
        rate = self.sample_rate_hz
        near = densest(frames, width=round(_COMPARED_S / hop_s))
        starts = np.rint(near * hop_s * rate).astype(np.int64)
        first = max(0, int(starts[0]) - round(hop_s * rate))
        last = int(starts[-1]) + round((lag * hop_s + 2 * hop_s + self.window_s) * rate)
        samples = self.stretch(first, last)
        return agreement_in(
            samples[nth],
            samples[1 - nth],
            starts=starts - first,
            window=round(self.window_s * rate),
            lag=round(lag * hop_s * rate),
            slack=round(hop_s * rate),
        )
