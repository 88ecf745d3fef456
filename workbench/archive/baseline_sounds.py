"""What the recordings of a check are to those of a baseline: the same, copies, other takes, or not known."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.archive.comparing import Sounds
from workbench.timing.contracts.freshness import DIFFERENT, SAME_ENVELOPE, SAME_PCM, UNKNOWN

if TYPE_CHECKING:
    from workbench.archive.lake import Reader

MOST_PAIRS, MOST_AT_ANY_SPEED = 10_000, 1_000
"""With more pairs of recordings, one is compared with the baseline's of its scenario only, as groups are; with more
than 1,000 only those are compared at other speeds."""


@dataclass(frozen=True)
class Standing:
    """State of each recording that is checked, and how many of the baseline's own are in the archive yet."""

    states: list[str]
    there: int


def digest(text: str) -> str:
    """Return what stands for a text that is not kept."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def mark_of(sounds: Sounds, call_id: str) -> str:
    """Return what tells the recording of a call from others; calls of the same samples share it."""
    return digest(sounds.pcm(call_id) or f"call {call_id}")


def marks(sounds: Sounds, calls: Iterable[str]) -> dict[str, str]:
    """Return what tells the recordings of calls from others, with a call of each.

    Parameters
    ----------
    sounds : Sounds
        The archive's.
    calls : iterable of str
        Ids of calls.

    Returns
    -------
    dict of str to str
        Call by mark, in the order of the marks; calls of the same samples share one.
    """
    found = {mark_of(sounds, call_id): call_id for call_id in sorted(calls, reverse=True)}
    return dict(sorted(found.items()))


def standing(reader: Reader, now: Iterable[str], *, baseline: Sequence[str]) -> Standing:
    """Return what each recording is to those of a baseline.

    Parameters
    ----------
    reader : Reader
        The archive.
    now : iterable of str
        Ids of the calls that are checked.
    baseline : sequence of str
        Marks of the baseline's recordings.

    Returns
    -------
    Standing
        A state of :mod:`workbench.timing.contracts.freshness` for each recording of `now`. `unknown` for one that is
        no copy of a baseline's recording that is there, when others are gone from the archive, or when it could not
        be told from one of them.
    """
    sounds = Sounds(reader)
    query = "from calls select call_id, scenario_id"
    scenarios: dict[str, str | None] = {row["call_id"]: row["scenario_id"] for row in reader.frame(query).to_dicts()}
    there = {mark: call for mark, call in marks(sounds, scenarios).items() if mark in set(baseline)}
    mine = marks(sounds, now)
    far = len(mine) * len(there) > MOST_PAIRS
    whole = len(there) == len(set(baseline))
    found = []
    for mark, call_id in mine.items():
        if mark in baseline:
            found.append(SAME_PCM)
            continue
        scenario = scenarios[call_id]
        others = _of(scenario, there.values(), scenarios) if far else list(there.values())
        near = others if len(mine) * len(there) <= MOST_AT_ANY_SPEED else _of(scenario, others, scenarios)
        found.append(_weakest(sounds, call_id, others, whole=whole, near=frozenset(near)))
    return Standing(found, len(there))


def _of(scenario: str | None, calls: Iterable[str], scenarios: Mapping[str, str | None]) -> list[str]:
    """The calls of a scenario; none where a call has none."""
    return [one for one in calls if scenario is not None and scenarios[one] == scenario]


def _weakest(sounds: Sounds, call_id: str, others: Sequence[str], *, whole: bool, near: frozenset[str]) -> str:
    """What a call is to the nearest of others; those `near` are compared at other speeds too."""
    known = whole and bool(others)
    for other in others:
        state = sounds.freshness(other, call_id, any_speed=other in near).state
        if state in (SAME_PCM, SAME_ENVELOPE):
            return SAME_ENVELOPE
        known = known and state == DIFFERENT
    return DIFFERENT if known else UNKNOWN
