"""The sound of a stretch of a call as an address that lies inside the page."""

from __future__ import annotations

import base64
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.archive.deleted_meanwhile import require
from workbench.audio import stopping
from workbench.audio.snippet import MP3_RATES_HZ, cut, window
from workbench.errors import SnapshotGone, WorkbenchError

if TYPE_CHECKING:
    from markupsafe import Markup

    from workbench.archive.layout import Layout

BUDGET_BYTES = 6_000_000
"""All sound of a report together, before it is written as text, which takes a third more."""


@dataclass(frozen=True)
class Sound:
    """Sound of a stretch, or why there is none."""

    address: Markup | None
    note: str


@dataclass
class Sounds:
    """Cuts stretches out of recordings until the budget of a page is spent.

    Parameters
    ----------
    media : Layout or pathlib.Path
        The archive whose media are read, or the one file there is.
    left : int
        Bytes that may still be used.
    silent_count : int
        Stretches that found the budget spent.
    """

    media: Layout | Path
    left: int = BUDGET_BYTES
    silent_count: int = 0
    _checked: dict[str, Path] = field(default_factory=dict)

    def of(self, sides: dict[str, dict[str, Any]], start_s: float, end_s: float) -> Sound:
        """Return a stretch with both channels.

        Parameters
        ----------
        sides : dict
            Row of `recordings` by role; one row twice where one file carries both.
        start_s, end_s : float
            Seconds on the call's clock, inside the recordings.

        Returns
        -------
        Sound
            MP3 where it can carry the channels, else WAV; without an address where the file is missing, has
            changed, cannot be read, or the budget is spent.
        """
        from markupsafe import Markup

        if self.left <= 0:
            self.silent_count += 1
            return Sound(None, "no sound: the sound of other moments fills what a report may hold")
        try:
            data, kind, note = self._data(sides, start_s, end_s)
        except SnapshotGone:
            raise
        except WorkbenchError as error:
            return Sound(None, f"no sound: {error.what}")
        if len(data) > self.left:
            self.silent_count += 1
            return Sound(None, "no sound: the sound of other moments fills what a report may hold")
        self.left -= len(data)
        text = base64.b64encode(data).decode()
        return Sound(Markup(f"data:audio/{kind};base64,{text}"), note)  # noqa: S704 - base64 holds no markup

    def _data(self, sides: dict[str, dict[str, Any]], start_s: float, end_s: float) -> tuple[bytes, str, str]:
        rows = {row["recording_id"]: row for row in sides.values()}
        if len(rows) > 1:
            return self._joined(sides, start_s, end_s)
        (row,) = rows.values()
        path = self._path(row)
        small = row["channel_count"] <= 2 and row["sample_rate_hz"] in MP3_RATES_HZ
        data = cut(
            path,
            start_s - row["offset_s"],
            end_s - row["offset_s"],
            format="mp3" if small else "wav",
            **_headerless(row),
        )
        return data, "mpeg" if small else "wav", _ears(row["channel_roles"])

    def _joined(self, sides: dict[str, dict[str, Any]], start_s: float, end_s: float) -> tuple[bytes, str, str]:
        """Return two recordings as one file, the slower interpolated to the other's rate, to listen to."""
        import numpy as np
        import soundfile

        rate = max(row["sample_rate_hz"] for row in sides.values())
        grid = start_s + np.arange(max(1, round((end_s - start_s) * rate))) / rate
        lanes = []
        for role in sorted(sides, reverse=True):
            row = sides[role]
            begin = max(0.0, start_s - row["offset_s"])
            _, samples = window(self._path(row), begin, max(begin, end_s - row["offset_s"]) + 1e-3, **_headerless(row))
            channel = row["channel_roles"].index(role) if role in row["channel_roles"] else 0
            if len(samples):
                times = row["offset_s"] + begin + np.arange(len(samples)) / row["sample_rate_hz"]
                lanes.append(np.interp(grid, times, samples[:, channel], left=0.0, right=0.0))
            else:
                lanes.append(np.zeros(len(grid)))
        out = io.BytesIO()
        both = np.stack(lanes, axis=1).astype(np.float32) / 32768  # 16-bit is garbled: audio.snippet
        with stopping.held():
            if rate in MP3_RATES_HZ:
                soundfile.write(
                    out,
                    both,
                    rate,
                    format="MP3",
                    subtype="MPEG_LAYER_III",
                    bitrate_mode="VARIABLE",
                    compression_level=0.5,
                )
            else:
                soundfile.write(out, both, rate, format="WAV", subtype="PCM_16")
        ears = _ears(sorted(sides, reverse=True))
        return out.getvalue(), "mpeg" if rate in MP3_RATES_HZ else "wav", f"{ears}, from two recordings"

    def _path(self, row: dict[str, Any]) -> Path:
        if isinstance(self.media, Path):
            return self.media
        if row["recording_id"] not in self._checked:
            self._checked[row["recording_id"]] = require(self.media, row)
        return self._checked[row["recording_id"]]


def _headerless(row: dict[str, Any]) -> dict[str, Any]:
    raw = row["container"] == "raw"
    return {"encoding": row["codec"], "sample_rate_hz": row["sample_rate_hz"]} if raw else {}


def _ears(roles: list[str]) -> str:
    if len(roles) == 1:
        return f"one channel: {roles[0]}"
    return f"left: {roles[0]}, right: {roles[1]}"
