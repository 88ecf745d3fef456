"""Runs of speech anew from stored levels, for another threshold or hangover, without the sound.

The archive keeps every frame's level in hundredths of a dB. So a frame that lies within 0.005 dB of a threshold may
fall on the other side of it than it did when it was measured. Where the threshold is the one that was measured with,
the stored runs settle those frames, and exactly the stored runs come out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.audio.activity import threshold
from workbench.timing.segments import frame_after

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from workbench.archive.lake import Reader
    from workbench.archive.scoring import Evidence
    from workbench.audio.config import MeasureConfig

THRESHOLDS = ("rel_db", "abs_gate_db", "noise_percentile", "dyn_margin_db")
"""Parameters of the measuring config that move the threshold."""

SWEPT = (*THRESHOLDS, "hangover_s")
"""All that can be changed without the sound; windows and hops cannot."""

_AT_ONCE = 32
_CHANNELS = (
    "select call_id, recording_id, role, noise_floor_dbfs, threshold_dbfs from channels where config_id = $config"
)
_ROUNDED = "round(caller_dbfs * 100)::smallint as caller, round(agent_dbfs * 100)::smallint as agent"
_SOME = "from frames where recording_id between $low and $high and config_id = $config"
_FRAMES = f"select recording_id, frame_ix, {_ROUNDED} {_SOME}"


class Track(msgspec.Struct, frozen=True, kw_only=True):
    """One party of one recording: its levels in hundredths of a dB, and what was measured of it."""

    call_id: str
    role: str
    levels: NDArray[np.int16]
    hop_s: float
    offset_s: float
    duration_s: float
    floor_dbfs: float
    threshold_dbfs: float
    loudest_dbfs: float
    start: NDArray[np.int64]
    voiced_end: NDArray[np.int64]


class HeldLevels:
    """Levels of some calls, in memory: two bytes a frame and party.

    Parameters
    ----------
    tracks : sequence of Track
    kept : polars.DataFrame
        Segments of parties that several channels carry: of those no single channel's levels are stored, so they
        stay as they were measured.
    measured_with : MeasureConfig
        What the tracks were measured with.
    """

    def __init__(self, tracks: Sequence[Track], kept: pl.DataFrame, *, measured_with: MeasureConfig) -> None:
        self.tracks, self.kept, self.measured_with = list(tracks), kept, measured_with
        self._floors: dict[float, list[float]] = {}
        self._kept_runs: tuple[object, list[tuple[NDArray[np.int64], NDArray[np.int64]]]] | None = None

    @classmethod
    def read(cls, reader: Reader, evidence: Evidence, *, call_ids: Sequence[str]) -> HeldLevels:
        """Read the frames of the recordings that timing of these calls is read from.

        Parameters
        ----------
        reader : Reader
            Of the archive.
        evidence : Evidence
            What scoring reads.
        call_ids : sequence of str
            Calls wanted.
        """
        import polars as pl

        wanted = pl.DataFrame({"call_id": sorted(set(call_ids))}, schema={"call_id": pl.String})
        inputs = pl.DataFrame(
            [
                {"call_id": call_id, "role": role, "recording_id": row[f"{role}_recording_id"]}
                for call_id, row in evidence.inputs.items()
                for role in ("caller", "agent")
            ],
            schema=dict.fromkeys(("call_id", "role", "recording_id"), pl.String),
        )
        channels = reader.frame(_CHANNELS, {"config": evidence.measured_with.config_id})
        sides = (
            inputs.join(wanted, on="call_id", how="semi")
            .join(channels, on=["call_id", "recording_id", "role"])
            .filter(pl.len().over("call_id", "recording_id", "role") == 1, pl.col("threshold_dbfs").is_not_null())
            .join(evidence.recordings, on=["call_id", "recording_id"])
            .sort("recording_id", "call_id", "role")
        )
        runs = evidence.segments.join(sides.select("call_id", "role"), on=["call_id", "role"], how="semi")
        by_side = runs.sort("start_s").partition_by("call_id", "role", as_dict=True)
        levels = _levels(reader, sides["recording_id"].unique().sort().to_list(), evidence.measured_with.config_id)
        tracks = [
            _track(row, levels[row["recording_id"]][row["role"]], by_side, config=evidence.measured_with)
            for row in sides.iter_rows(named=True)
            if row["recording_id"] in levels
        ]
        there = pl.DataFrame(
            [{"call_id": track.call_id, "role": track.role} for track in tracks],
            schema=dict.fromkeys(("call_id", "role"), pl.String),
        )
        rest = evidence.segments.join(wanted, on="call_id", how="semi").join(there, on=["call_id", "role"], how="anti")
        names = ("call_id", "role", "start_s", "end_s", "voiced_end_s")
        return cls(tracks, rest.select(names), measured_with=evidence.measured_with)

    def segments(self, config: MeasureConfig) -> pl.DataFrame:
        """Return the runs of speech that another config would have found.

        Parameters
        ----------
        config : MeasureConfig
            Differs from the one that was measured with in nothing but :data:`SWEPT`.

        Returns
        -------
        polars.DataFrame
            `call_id`, `role`, `start_s`, `end_s`, `voiced_end_s`, as in the table `segments`.
        """
        import polars as pl

        found = self._runs(config)
        count = np.array([len(start) for start, _ in found], np.int64)
        which = np.repeat(np.arange(len(found)), count)
        start, end = (np.concatenate([np.zeros(0, np.int64), *(pair[ix] for pair in found)]) for ix in (0, 1))
        hop, offset, duration, frames = (
            np.array(values, dtype)[which]
            for values, dtype in (
                ([track.hop_s for track in self.tracks], np.float64),
                ([track.offset_s for track in self.tracks], np.float64),
                ([track.duration_s for track in self.tracks], np.float64),
                ([len(track.levels) for track in self.tracks], np.int64),
            )
        )
        hangover = np.rint(config.hangover_s / hop).astype(np.int64)
        follows = np.append(False, (which[1:] == which[:-1]) & (start[1:] - end[:-1] <= hangover[1:]))
        first = np.flatnonzero(~follows[: len(start)])
        last = np.append(first[1:], len(start)) - 1 if len(start) else first
        ends = np.minimum(end + hangover, frames)[last]

        def seconds(frame: NDArray[np.int64], at: NDArray[np.int64]) -> NDArray[np.float64]:
            found: NDArray[np.float64] = np.round(np.minimum(frame * hop[at], duration[at]) + offset[at], 6)
            return found

        made = pl.DataFrame(
            {
                "call_id": np.array([track.call_id for track in self.tracks], dtype=object)[which[first]].tolist(),
                "role": np.array([track.role for track in self.tracks], dtype=object)[which[first]].tolist(),
                "start_s": seconds(start[first], first),
                "end_s": seconds(ends, first),
                "voiced_end_s": seconds(end[last], first),
            },
            schema={"call_id": pl.String, "role": pl.String}
            | dict.fromkeys(("start_s", "end_s", "voiced_end_s"), pl.Float64),
        )
        return pl.concat([made, self.kept]) if len(self.kept) else made

    def _runs(self, config: MeasureConfig) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """First frame of each run of each track and the one after its last; kept while only the hangover changes."""
        asked = tuple(getattr(config, name) for name in THRESHOLDS)
        if self._kept_runs is None or self._kept_runs[0] != asked:
            same = all(getattr(config, name) == getattr(self.measured_with, name) for name in THRESHOLDS)
            floors = self._noise_floors(config.noise_percentile)
            levels = [
                track.threshold_dbfs if same else threshold(floor, track.loudest_dbfs, config)
                for track, floor in zip(self.tracks, floors, strict=True)
            ]
            runs = [_edges(_loud(track, level)) for track, level in zip(self.tracks, levels, strict=True)]
            self._kept_runs = (asked, runs)
        return self._kept_runs[1]

    def _noise_floors(self, percentile: float) -> list[float]:
        if percentile == self.measured_with.noise_percentile:
            return [track.floor_dbfs for track in self.tracks]
        if percentile not in self._floors:
            ranks = [int(percentile * (len(track.levels) - 1)) for track in self.tracks]
            self._floors[percentile] = [
                float(np.partition(track.levels, rank)[rank]) / 100
                for track, rank in zip(self.tracks, ranks, strict=True)
            ]
        return self._floors[percentile]


def _levels(reader: Reader, ids: list[str], config_id: str) -> dict[str, dict[str, NDArray[np.int16]]]:
    """Levels by recording and role, read some recordings at a time."""
    found: dict[str, dict[str, NDArray[np.int16]]] = {}
    for at in range(0, len(ids), _AT_ONCE):
        some = ids[at : at + _AT_ONCE]
        rows = reader.frame(_FRAMES, {"low": some[0], "high": some[-1], "config": config_id})
        for recording_id, own in in_order(rows):
            if recording_id in some:
                parties = {role: own[role] for role in ("caller", "agent") if not own[role].null_count()}
                found[recording_id] = {role: series.to_numpy().astype(np.int16) for role, series in parties.items()}
    return found


def in_order(rows: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    """Part frames by recording, those of each in the order of time.

    They are stored in that order, and to sort them all would take longer than to read them.

    Parameters
    ----------
    rows : polars.DataFrame
        `recording_id` and `frame_ix` among others.

    Returns
    -------
    list of tuple of str and polars.DataFrame
        Each recording once; empty for no rows.
    """
    lengths, ids = rows["recording_id"].rle().struct.unnest().get_columns()
    rises = np.diff(rows["frame_ix"].to_numpy()) > 0
    rises[np.cumsum(lengths.to_numpy(), dtype=np.int64)[:-1] - 1] = True
    if ids.n_unique() < len(ids) or not rises.all():
        rows = rows.sort("recording_id", "frame_ix")
        lengths, ids = rows["recording_id"].rle().struct.unnest().get_columns()
    firsts = np.cumsum(lengths.to_numpy(), dtype=np.int64) - lengths.to_numpy()
    return [(name, rows[first : first + own]) for name, first, own in zip(ids, firsts.tolist(), lengths, strict=True)]


def _track(row: dict[str, object], levels: NDArray[np.int16], by_side: dict, *, config: MeasureConfig) -> Track:  # type: ignore[type-arg]
    hop_s, offset_s = config.hop_s(int(str(row["sample_rate_hz"]))), float(str(row["offset_s"]))
    runs = by_side.get((row["call_id"], row["role"]))
    none = np.zeros(0)
    start, voiced, peaks = (
        none if runs is None else runs[name].to_numpy() for name in ("start_s", "voiced_end_s", "peak_dbfs")
    )
    loudest = float(levels.max()) / 100
    if len(peaks) and abs(float(peaks.max()) - loudest) <= 0.0051:
        loudest = float(peaks.max())
    return Track(
        call_id=str(row["call_id"]),
        role=str(row["role"]),
        levels=levels,
        hop_s=hop_s,
        offset_s=offset_s,
        duration_s=float(str(row["duration_s"])),
        floor_dbfs=float(str(row["noise_floor_dbfs"])),
        threshold_dbfs=float(str(row["threshold_dbfs"])),
        loudest_dbfs=loudest,
        start=np.rint((start - offset_s) / hop_s).astype(np.int64),
        voiced_end=frame_after(voiced - offset_s, hop_s),
    )


def _loud(track: Track, level_dbfs: float) -> NDArray[np.bool_]:
    """Frames at or above a level; those too near to it to tell are settled by what was measured with that level."""
    if level_dbfs != track.threshold_dbfs:
        above: NDArray[np.bool_] = track.levels >= np.int16(np.ceil(level_dbfs * 100 - 1e-9))
        return above
    near = np.int16(np.rint(level_dbfs * 100))
    loud: NDArray[np.bool_] = track.levels > near
    unclear = np.flatnonzero(track.levels == near)
    run = np.searchsorted(track.start, unclear, side="right") - 1
    if len(track.start):
        loud[unclear] = (run >= 0) & (unclear < track.voiced_end[np.maximum(run, 0)])
    return loud


def _edges(loud: NDArray[np.bool_]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First frame of every run of true values, and the frame after its last."""
    from workbench.timing.segments import runs

    return runs(loud)
