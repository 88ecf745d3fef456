"""Cuts the clip of a moment: caller left, agent right, on the frames of the recording it comes from."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.audio import stopping
from workbench.audio.config import MeasureConfig
from workbench.audio.read import excerpt
from workbench.audio.source import identify
from workbench.decimals import decimals
from workbench.errors import NotScorable

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Side(msgspec.Struct, frozen=True, kw_only=True):
    """Where a party is heard: file, channel, and the second of the call at which the file begins.

    `encoding` and `sample_rate_hz` are those of a headerless file.
    """

    path: str
    channel_ix: int
    offset_s: float = 0.0
    encoding: str | None = None
    sample_rate_hz: int | None = None


class Clip(msgspec.Struct, frozen=True, kw_only=True):
    """A 16-bit WAV file of two channels, and the second of the call at which it begins."""

    wav: bytes
    start_s: float
    sample_rate_hz: int


def cut(caller: Side, agent: Side, *, from_s: float, to_s: float, measure: MeasureConfig) -> Clip:
    """Cut a stretch of a call out of one recording, or out of one recording a party.

    Parameters
    ----------
    caller, agent : Side
        Where they are heard.
    from_s, to_s : float
        On the call's clock; what lies outside the recordings is left out. The start is moved back to the nearest
        frame, so that the frames of the clip are those of the recording.
    measure : MeasureConfig
        Says where frames begin.

    Returns
    -------
    Clip
        Where one party's recording is shorter than the other's it is filled with silence.

    Raises
    ------
    NotScorable
        When the two recordings have different sample rates, or nothing lies in the stretch.
    ImportFailed, MissingExtra
        As :func:`workbench.audio.read.blocks`.
    """
    sources = [
        identify(side.path, encoding=side.encoding, sample_rate_hz=side.sample_rate_hz) for side in (caller, agent)
    ]
    rate = sources[0].sample_rate_hz
    if sources[1].sample_rate_hz != rate:
        raise NotScorable(
            f"caller and agent have different sample rates ({rate} and {sources[1].sample_rate_hz} Hz)",
            where=caller.path,
            hint="record both at one rate, or import a file with both channels",
        )
    base_s, hop = min(caller.offset_s, agent.offset_s), measure.hop_samples(rate)
    first = max(0, int((from_s - base_s) * rate / hop + 1e-6)) * hop
    last = max(first, round((to_s - base_s) * rate))
    parts = []
    for side, source in zip((caller, agent), sources, strict=True):
        shift = round((side.offset_s - base_s) * rate)
        samples = excerpt(source, first - shift, last - shift)[:, side.channel_ix]
        parts.append(np.concatenate([np.zeros(max(0, min(shift, last) - first), np.int16), samples]))
    count = max(len(part) for part in parts)
    if not count or not any(part.any() for part in parts):
        raise NotScorable(
            f"nothing is heard between {decimals(from_s)} and {decimals(to_s)} s",
            where=caller.path,
            hint="check the moment, and the offset of the recording",
        )
    both = np.stack([np.pad(part, (0, count - len(part))) for part in parts], axis=1)
    return Clip(wav=_wav(both, rate), start_s=round(base_s + first / rate, 6), sample_rate_hz=rate)


def _wav(samples: NDArray[np.int16], rate: int) -> bytes:
    import soundfile

    out = io.BytesIO()
    with stopping.held():
        soundfile.write(out, samples, rate, format="WAV", subtype="PCM_16")
    return out.getvalue()
