"""What is drawn of the incidents of one recording: the whole of it, and the stretch around each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from workbench.analysis.incidents import spoken
from workbench.analysis.incidents_aside import listed
from workbench.report.figures import LEVEL_COLUMNS, level_path
from workbench.report.moments import (
    AFTER_END_S,
    AFTER_S,
    BEFORE_S,
    LONGEST_S,
    MOST_MARKS,
    Lane,
    Mark,
    Moment,
    Scale,
    ticks,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from workbench.analysis.incidents_of_file import Examined
    from workbench.report.sound import Sound, Sounds
    from workbench.timing.measuring import Measured

LOOKS = {"critical": "high", "warning": "medium", "caveat": "low"}
FLAG_WIDTH, FLAG_ROWS = 2.6, 6
MOST_CARDS = 60
"""Incidents of a page with a card and a numbered flag; the others have a mark and a row of a table."""
STEPS_S = (1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1800.0, 3600.0, 7200.0)


@dataclass(frozen=True)
class Flag:
    """An incident on the overview: percent of the width, its number, the row it is written in; None for neither."""

    x: float
    width: float
    number: int
    look: str
    row: int | None
    label: str


@dataclass(frozen=True)
class Overview:
    """The whole recording: a lane for each side, a flag for each incident."""

    lanes: tuple[Lane, ...]
    flags: tuple[Flag, ...]
    row_count: int
    ticks: tuple[tuple[float, float], ...]
    end_s: float


@dataclass(frozen=True)
class Card:
    """An incident and the stretch of the recording around it."""

    incident: dict[str, Any]
    name: str
    look: str
    moment: Moment


class Drawing:
    """Levels and runs of one recording, kept for as long as its page is built.

    Parameters
    ----------
    examined : Examined
        The recording.
    measurement : Measured
        What was measured of it; its frames are read here.
    """

    def __init__(self, examined: Examined, measurement: Measured) -> None:
        import numpy as np

        self.examined = examined
        self.hop_s = measurement.hop_s
        roles = ["caller", "agent"] if {"caller", "agent"} <= set(examined.roles) else ["mixed"]
        levels: dict[str, list[NDArray[np.int16]]] = {role: [] for role in roles}
        for piece in measurement.frames:
            for role in roles:
                levels[role].append(piece.column(f"{role}_cdbfs").to_numpy())
        self.levels = {role: np.concatenate(pieces) for role, pieces in levels.items()}
        self.runs = {
            role: [
                (row["start_s"], row["voiced_end_s"], row["faint"])
                for row in measurement.segments
                if row["role"] == role or (role == "mixed" and row["role"] == "unknown")
            ]
            for role in roles
        }

    def overview(self) -> Overview:
        """Return the whole recording with its incidents; what stands apart is not drawn."""
        scale = Scale(0.0, self.examined.duration_s)
        flags = _flags(listed(self.examined.incidents), scale)
        step = next((step for step in STEPS_S if scale.end_s / step <= 8), STEPS_S[-1])
        times = [step * n for n in range(int(scale.end_s / step) + 1)]
        return Overview(
            lanes=self._lanes(scale),
            flags=flags,
            row_count=1 + max((flag.row for flag in flags if flag.row is not None), default=-1),
            ticks=tuple((scale.at(time), time) for time in times),
            end_s=scale.end_s,
        )

    def card(self, incident: dict[str, Any], sounds: Sounds) -> Card:
        """Return an incident with its lanes, its marks and its sound."""
        start, end = _stretch(incident, self.examined.duration_s)
        scale = Scale(start, end)
        marks = _marks(incident, listed(self.examined.incidents), scale)
        moment = Moment(
            call_id=self.examined.file,
            rank=incident["number"],
            code=spoken(incident["incident"]),
            severity=LOOKS[incident["severity"]],
            message=incident["sentence"],
            at_s=incident["onset_s"],
            start_s=start,
            end_s=end,
            lanes=self._lanes(scale),
            marks=tuple(marks[:MOST_MARKS]),
            more_marks=max(0, len(marks) - MOST_MARKS),
            ticks=ticks(start, end),
            said=(),
            more_said=0,
            sound=self._sound(sounds, start, end),
            notes=(),
        )
        return Card(incident, spoken(incident["incident"]), LOOKS[incident["severity"]], moment)

    def _lanes(self, scale: Scale) -> tuple[Lane, ...]:
        return tuple(
            Lane(role, self._path(levels, scale), _runs(self.runs[role], scale), ())
            for role, levels in self.levels.items()
        )

    def _path(self, levels: NDArray[np.int16], scale: Scale) -> str:
        """Outline of the loudest frame of each column."""
        import numpy as np

        span = scale.end_s - scale.start_s
        first, after = int(scale.start_s / self.hop_s), min(len(levels), int(np.ceil(scale.end_s / self.hop_s)))
        if after <= first:
            return ""
        times = np.arange(first, after) * self.hop_s
        column = np.clip((times - scale.start_s) / span * LEVEL_COLUMNS, 0, LEVEL_COLUMNS - 1).astype(np.int64)
        begins = np.flatnonzero(np.diff(column, prepend=-1))
        loudest = np.maximum.reduceat(levels[first:after], begins) / 100
        centres = scale.start_s + (column[begins] + 0.5) * span / LEVEL_COLUMNS
        return level_path(list(zip(centres.tolist(), loudest.tolist(), strict=True)), scale.start_s, scale.end_s)

    def _sound(self, sounds: Sounds, start_s: float, end_s: float) -> Sound:
        examined = self.examined
        row = {
            "recording_id": examined.sha256,
            "channel_count": len(examined.roles),
            "sample_rate_hz": examined.sample_rate_hz,
            "offset_s": 0.0,
            "channel_roles": list(examined.roles),
            "container": examined.container,
            "codec": examined.codec,
        }
        return sounds.of(dict.fromkeys(examined.roles, row), start_s, end_s)


def _runs(runs: Sequence[tuple[float, float, bool]], scale: Scale) -> tuple[tuple[float, float, bool], ...]:
    """Runs in percent of the width; those closer than can be seen are drawn as one, faint where both are."""
    found: list[tuple[float, float, bool]] = []
    for start, end, faint in runs:
        if not scale.holds(start, end):
            continue
        low, high = scale.at(start), scale.at(end)
        if found and low - found[-1][1] < 0.05:
            low, _, was_faint = found.pop()
            found.append((low, high, faint and was_faint))
        else:
            found.append((low, high, faint))
    return tuple((low, high - low, faint) for low, high, faint in found)


def _stretch(incident: dict[str, Any], duration_s: float) -> tuple[float, float]:
    at, until = incident["onset_s"], incident["end_s"]
    end = min(max(at + AFTER_S, until + AFTER_END_S), at - BEFORE_S + LONGEST_S, duration_s)
    start = max(0.0, min(at - BEFORE_S, end - BEFORE_S))
    return round(start, 2), max(round(end, 2), round(start, 2) + 0.01)


def _marks(main: dict[str, Any], others: Sequence[dict[str, Any]], scale: Scale) -> list[Mark]:
    near = [one for one in others if one is not main and scale.holds(one["onset_s"], one["end_s"])]
    near.sort(key=lambda one: (one["onset_s"], one["number"]))
    marks = []
    for one in [main, *near]:
        x = scale.at(one["onset_s"])
        label = f"{spoken(one['incident'])} {one['magnitude_s']:.2f} s"
        past = one["end_s"] > scale.end_s + 0.005
        marks.append(
            Mark(x, scale.at(one["end_s"]) - x, label, LOOKS[one["severity"]], main=one is main, open_ended=past)
        )
    return marks


def _flags(incidents: Sequence[dict[str, Any]], scale: Scale) -> tuple[Flag, ...]:
    """Flags by time, each in the first row with room; without a row where there is none, or no card to lead to."""
    taken = [-FLAG_WIDTH] * FLAG_ROWS
    flags = []
    for one in sorted(incidents, key=lambda one: (one["onset_s"], one["number"])):
        x = scale.at(one["onset_s"])
        free = (ix for ix, last in enumerate(taken) if x - last >= FLAG_WIDTH)
        row = next(free, None) if one["number"] <= MOST_CARDS else None
        if row is not None:
            taken[row] = x
        label = f"#{one['number']} {one['severity']} {spoken(one['incident'])} at {one['onset_s']:.2f} s"
        flags.append(Flag(x, scale.at(one["end_s"]) - x, one["number"], LOOKS[one["severity"]], row, label))
    return tuple(flags)
