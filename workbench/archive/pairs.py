"""Which two recordings of a call hold one party each, and which recordings must be measured together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from workbench.timing.stated_roles import PARTIES

_NEAREST = ("combined", "client_capture", "agent_output", "uploaded", "decoded", "asr_input")
"""Of several recordings of one party, the one taken nearest to where both are heard."""

Name = tuple[str, str]
"""Call and recording."""


def others(recordings: Iterable[Mapping[str, Any]]) -> dict[Name, str]:
    """Return the file of the other party for each of two files that hold one party of a call each.

    Parameters
    ----------
    recordings : iterable of mapping
        Of any calls: `call_id`, `recording_id`, `channel_roles`, `boundary`.

    Returns
    -------
    dict of (call, recording) to recording
        Two entries a call; none where a call has no file of the one party alone, or none of the other.
    """
    sides: dict[str, dict[str, list[tuple[int, str]]]] = defaultdict(lambda: {party: [] for party in PARTIES})
    for row in recordings:
        held = [party for party in PARTIES if party in row["channel_roles"]]
        if len(held) == 1:
            sides[row["call_id"]][held[0]].append((_NEAREST.index(row["boundary"]), row["recording_id"]))
    found = {}
    for call_id, side in sides.items():
        if all(side.values()):
            caller, agent = (min(side[party])[1] for party in PARTIES)
            found[call_id, caller], found[call_id, agent] = agent, caller
    return found


def units(pairs: Mapping[Name, str]) -> dict[str, str]:
    """Return what must be measured together: pairs, and pairs that share a recording.

    Parameters
    ----------
    pairs : mapping of (call, recording) to recording
        From :func:`others`.

    Returns
    -------
    dict of recording to str
        The name of its unit.
    """
    head: dict[str, str] = {}

    def root(recording_id: str) -> str:
        at = recording_id
        while head.setdefault(at, at) != at:
            head[at] = head[head[at]]
            at = head[at]
        return at

    for (_, one), other in pairs.items():
        first, second = sorted((root(one), root(other)))
        head[second] = first
    return {recording_id: root(recording_id) for _, recording_id in pairs}
