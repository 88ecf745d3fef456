"""A stretch of a call as sound: the caller left, the agent right, checked against what was imported."""

from __future__ import annotations

import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.audio import stopping
from workbench.errors import NotScorable, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.archive.archive import Archive

LONGEST_S = 300.0
_RECORDINGS = "from recordings where call_id = $call order by (boundary <> 'combined'), recording_id"
_CLOCK = "select caller_recording_id, agent_recording_id from call_clocks where call_id = $call"


@dataclass(frozen=True)
class Side:
    """Where a role's voice lies: its recording's row, the checked file, and the channel in it."""

    role: str
    recording: dict[str, Any]
    path: Path
    channel_ix: int

    @property
    def headerless(self) -> dict[str, Any]:
        """Encoding and sample rate that a file without a header is read with."""
        raw = self.recording["container"] == "raw"
        return {
            "encoding": self.recording["codec"] if raw else None,
            "sample_rate_hz": self.recording["sample_rate_hz"] if raw else None,
        }


@dataclass(frozen=True)
class Stretch:
    """A stretch of a call as a WAV file: `roles` in channel order, times on the call's clock."""

    wav: bytes
    start_s: float
    end_s: float
    sample_rate_hz: int
    roles: tuple[str, ...]

    @property
    def duration_s(self) -> float:
        """Length in seconds."""
        return self.end_s - self.start_s

    @property
    def sides(self) -> str:
        """Who is heard where: "caller left, agent right", or the one that both ears hear."""
        return " left, ".join(self.roles) + (" right" if len(self.roles) > 1 else "")


def sides(archive: Archive, call_id: str) -> list[Side]:
    """Return the channels to listen to: caller and agent where they are apart, else what there is.

    Parameters
    ----------
    archive : Archive
        The archive.
    call_id : str
        The call; used as a parameter only.

    Returns
    -------
    list of Side
        Caller first. The recordings that timing is read from come before others.

    Raises
    ------
    NotScorable
        When the call has no audio.
    ArchiveFailed
        When an audio file is gone or its bytes have changed; it is never played as silence.
    """
    from workbench.archive import media

    rows = list(archive.sql(_RECORDINGS, {"call": call_id}).iter_rows(named=True))
    if not rows:
        raise NotScorable("this call has no audio", where=call_id, hint="import its recording beside it")
    clock = archive.sql(_CLOCK, {"call": call_id}).row(0, named=True)
    found: list[Side] = []
    checked: dict[str, Path] = {}
    for role in ("caller", "agent", "mixed", "unknown"):
        if found and role in ("mixed", "unknown"):
            break
        carriers = [row for row in rows if role in row["channel_roles"]]
        if not carriers:
            continue
        preferred = clock.get(f"{role}_recording_id")
        row = next((row for row in carriers if row["recording_id"] == preferred), carriers[0])
        if row["recording_id"] not in checked:
            checked[row["recording_id"]] = media.require(archive.layout, row)
        found.append(Side(role, row, checked[row["recording_id"]], row["channel_roles"].index(role)))
    return found


def stretch(archive: Archive, call_id: str, *, start_s: float, end_s: float) -> Stretch:
    """Cut a stretch of a call out of its recordings.

    Parameters
    ----------
    archive : Archive
        The archive.
    call_id : str
        The call.
    start_s, end_s : float
        Seconds on the call's clock. What lies outside all recordings is cut off; where only one of two
        recordings has sound, the other channel is silent.

    Returns
    -------
    Stretch
        16-bit WAV, at most 300 s.

    Raises
    ------
    UsageError
        When the stretch has no length, is longer than 300 s, or lies outside the audio.
    NotScorable, ArchiveFailed
        As :func:`sides`.
    """
    import soundfile

    heard = sides(archive, call_id)
    start_s = max(start_s, min(side.recording["offset_s"] for side in heard))
    end_s = min(end_s, max(side.recording["offset_s"] + side.recording["duration_s"] for side in heard))
    if end_s - start_s < 0.01:
        raise UsageError("the stretch lies outside the audio, or has no length", where=call_id, hint="choose another")
    if end_s - start_s > LONGEST_S:
        raise UsageError(
            f"{end_s - start_s:.0f} s are more than can be played at once",
            where=call_id,
            hint=f"choose up to {LONGEST_S:.0f} s",
        )
    rate = max(int(side.recording["sample_rate_hz"]) for side in heard)
    sound = np.stack([_samples(side, start_s, end_s, rate=rate) for side in heard], axis=1)
    out = io.BytesIO()
    with stopping.held():
        soundfile.write(out, sound, rate, format="WAV", subtype="PCM_16")
    return Stretch(out.getvalue(), start_s, start_s + len(sound) / rate, rate, tuple(side.role for side in heard))


def _samples(side: Side, start_s: float, end_s: float, *, rate: int) -> NDArray[np.int16]:
    """Return one channel over the whole stretch at `rate`, silent where its recording does not reach."""
    from workbench.audio.snippet import window

    count = round((end_s - start_s) * rate)
    offset = float(side.recording["offset_s"])
    begin = max(start_s - offset, 0.0)
    out = np.zeros(count, dtype=np.int16)
    if end_s - offset <= begin:
        return out
    source, samples = window(side.path, begin, end_s - offset, **side.headerless)
    voice = samples[:, side.channel_ix]
    if source.sample_rate_hz != rate and len(voice):
        # only where two recordings differ in rate: linear interpolation, for the ear and not for a measure
        times = np.arange(round(len(voice) * rate / source.sample_rate_hz)) * source.sample_rate_hz / rate
        voice = np.interp(times, np.arange(len(voice)), voice).astype(np.int16)
    at = round((begin + offset - start_s) * rate)
    voice = voice[: count - at]
    out[at : at + len(voice)] = voice
    return out
