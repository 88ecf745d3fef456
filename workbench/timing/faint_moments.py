"""Which moments rest on faint sound alone: without it they would not be there.

The published scan counts every run of speech. A faint run (more than `faint_db` under the speech of its own channel:
breath, clicks, bleed) is no speech of a turn, and views and checks leave it out. So that both tell one story each
moment says whether it stands without faint runs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.audio.config import LEAST_MS
from workbench.timing.moments import CRITICAL, ECHO, GAP, OVERLAP, START, STOP

if TYPE_CHECKING:
    from workbench.timing.score_config import ScoreConfig

_INSIDE_S = LEAST_MS / 2000
"""So far inside a run a moment is looked for that lies at its border: half of the shortest hop there can be."""

_Lane = tuple[list[float], list[float], list[bool]]


def resting(
    moments: Sequence[Mapping[str, Any]], segments: Sequence[Mapping[str, Any]], config: ScoreConfig
) -> list[bool]:
    """Tell of each moment whether it rests on faint sound alone.

    Parameters
    ----------
    moments : sequence of mapping
        `kind`, `severity` and `onset_s`, as :func:`workbench.timing.moments.scan` gives them.
    segments : sequence of mapping
        The runs of speech on the same clock: `role`, `channel_ix`, `start_s`, `end_s`, `faint`.
    config : ScoreConfig
        What the moments were found with.

    Returns
    -------
    list of bool
        In the order of the moments. Overlaps need two parties, so one of which all sound is faint makes them faint;
        a gap and a stop need the party that ended, echo the caller. Dead air (a critical gap or stop) and the silence
        of a single mixed channel are there whoever ended before them: without faint sound they only last longer.
    """
    lanes: dict[str, dict[int, _Lane]] = {}
    for row in sorted(segments, key=lambda row: float(row["start_s"])):
        starts, ends, faint = lanes.setdefault(row["role"], {}).setdefault(row["channel_ix"], ([], [], []))
        starts.append(row["start_s"])
        ends.append(row["end_s"])
        faint.append(bool(row["faint"]))

    def only_faint(role: str, from_s: float, to_s: float) -> bool:
        found = []
        for starts, ends, faint in lanes.get(role, {}).values():
            found += faint[bisect_right(ends, from_s) : bisect_left(starts, to_s)]
        return bool(found) and all(found)

    def rests(kind: str, severity: str, at: float) -> bool:
        after, before = at + _INSIDE_S, at - _INSIDE_S
        if kind == OVERLAP:
            lookback = at - config.agent_onset_lookback_s
            return only_faint("caller", at, after) or only_faint("agent", lookback, after)
        if kind == START:
            return only_faint("agent", at, after) or only_faint("caller", at, after)
        if kind == ECHO:
            return only_faint("caller", at, after)
        short = kind in (GAP, STOP) and severity != CRITICAL
        return short and only_faint("caller" if kind == GAP else "agent", before, at)

    return [rests(moment["kind"], moment["severity"], moment["onset_s"]) for moment in moments]
