"""From rows of `segments` to runs on one line, for the calls of a whole archive at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.timing.runs import Runs, Speech, joined
from workbench.timing.segments import frame_after

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from workbench.audio.config import MeasureConfig

FURTHEST_S = 1e9
"""Thirty years, which no recording lasts: a count of frames up to there overflows at no hop."""


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """Speech of many calls, and where each call is found on the line: its position and its first second."""

    speech: Speech
    place: dict[str, int]
    start_s: NDArray[np.float64]

    def frames(self, call: NDArray[np.int64], time_s: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return times on the calls' clocks as the nearest frames from the start of their recordings.

        A time further away than `FURTHEST_S` is that far away, before or after; none may be not-a-number.
        """
        since_s = np.clip(time_s - self.start_s[call], -FURTHEST_S, FURTHEST_S)
        return np.rint(since_s / self.speech.hop_s[call]).astype(np.int64)


def lay(
    recordings: pl.DataFrame,
    segments: pl.DataFrame,
    config: MeasureConfig,
    *,
    otherwise: Mapping[str, MeasureConfig] | None = None,
) -> Line:
    """Lay the calls that have audio of both parties on one line, in one file or in several.

    Parameters
    ----------
    recordings : polars.DataFrame
        `call_id`, `sample_rate_hz`, `offset_s`, `duration_s`.
    segments : polars.DataFrame
        `call_id`, `role`, `start_s`, `end_s`, `voiced_end_s`; roles other than caller and agent are left out.
    config : MeasureConfig
        What they were measured with: its hop and hangover.
    otherwise : mapping of str to MeasureConfig, optional
        By call, for those that were measured with another one.

    Returns
    -------
    Line
        Calls in the order of their ids; empty for no recordings.
    """
    import polars as pl

    calls = recordings.group_by("call_id").agg(
        pl.col("sample_rate_hz").min(),
        pl.col("offset_s").min(),
        (pl.col("offset_s") + pl.col("duration_s")).max().alias("end_s"),
    )
    calls = calls.sort("call_id")
    rates, which = np.unique(calls["sample_rate_hz"].to_numpy(), return_inverse=True)
    hop = np.array([config.hop_s(int(rate)) for rate in rates], np.float64)[which]
    place = {call_id: ix for ix, call_id in enumerate(calls["call_id"])}
    hangover_s = np.full(len(hop), config.hangover_s)
    for call_id, other in (otherwise or {}).items():
        if call_id in place:
            ix = place[call_id]
            hop[ix], hangover_s[ix] = other.hop_s(int(calls["sample_rate_hz"][ix])), other.hangover_s
    start = calls["offset_s"].to_numpy()
    count = np.maximum(1, frame_after(calls["end_s"].to_numpy() - start, hop))
    first = np.cumsum(count + 1) - count - 1  # a frame apart, so that no run touches one of the next call
    speech = Speech(
        caller=_party(segments, "caller", place=place, first=first, start=start, hop=hop),
        agent=_party(segments, "agent", place=place, first=first, start=start, hop=hop),
        first=first,
        after=first + count,
        hop_s=hop,
        pad=np.rint(hangover_s / hop).astype(np.int64),
    )
    return Line(speech=speech, place=place, start_s=start)


def _party(
    segments: pl.DataFrame,
    role: str,
    *,
    place: dict[str, int],
    first: NDArray[np.int64],
    start: NDArray[np.float64],
    hop: NDArray[np.float64],
) -> Runs:
    import polars as pl

    rows = segments.filter((pl.col("role") == role) & pl.col("call_id").is_in(list(place)))
    call = np.array([place[call_id] for call_id in rows["call_id"]], np.int64)
    begin, end, voiced = (rows[name].to_numpy() - start[call] for name in ("start_s", "end_s", "voiced_end_s"))
    return joined(
        first[call] + np.rint(begin / hop[call]).astype(np.int64),
        first[call] + frame_after(end, hop[call]),
        first[call] + frame_after(voiced, hop[call]),
    )
