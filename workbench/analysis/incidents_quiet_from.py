"""When a silence began: the scan puts it where the hangover of the sound before it ends, and people hear it earlier."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from workbench.timing.moments import GAP, SILENCE, STOP

BEFORE = {GAP: ("caller",), STOP: ("agent",), SILENCE: ("mixed", "unknown")}
"""Kinds of silence, and whose sound ended before each."""

_SAME_S = 1e-5


def hangovers(segments: Sequence[Mapping[str, Any]]) -> Callable[[Mapping[str, Any]], float]:
    """Return what tells how much of a hangover lies before a silence of the scan.

    Parameters
    ----------
    segments : sequence of mapping
        Runs of speech of one recording: `role`, `end_s`, and `voiced_end_s`, where its last loud frame ends.

    Returns
    -------
    callable
        Takes a moment (`kind`, `onset_s`), and returns the seconds from the last loud frame of the run that ended there
        to its onset; 0 for a kind that is no silence, and where no run ends there.
    """
    ends: dict[str, list[tuple[float, float]]] = {}
    for row in segments:
        voiced_end_s = row.get("voiced_end_s")
        ends.setdefault(row["role"], []).append((row["end_s"], row["end_s"] if voiced_end_s is None else voiced_end_s))
    for runs in ends.values():
        runs.sort()

    def hangover_s(moment: Mapping[str, Any]) -> float:
        onset_s, voiced = moment["onset_s"], []
        for role in BEFORE.get(moment["kind"], ()):
            of_role = ends.get(role, [])
            first, after = (bisect_left(of_role, (onset_s + off_s, 0.0)) for off_s in (-_SAME_S, _SAME_S))
            voiced += [voiced_end_s for _, voiced_end_s in of_role[first:after]]
        return max(0.0, round(onset_s - max(voiced), 6)) if voiced else 0.0

    return hangover_s
