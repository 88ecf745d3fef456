"""The same moment in two groups, found by its key, and what has no partner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from workbench.timing.contracts.comparing import VERDICTS


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A scored moment of one group. `key` names the same moment in the other; None where nothing does."""

    key: str | None
    event: dict[str, Any]


class Paired(msgspec.Struct, frozen=True, kw_only=True):
    """Keys with the events before and after, in the order of the keys, and how many moments were left out.

    `unpaired_before`, `unpaired_after`: moments without a partner; `ambiguous`: those whose key a group has more
    than once. `missing`: keys of the moments with a verdict before that nothing after could be paired with, though the
    earlier group has each once.
    """

    events: list[tuple[str, dict[str, Any], dict[str, Any]]]
    unpaired_before: int
    unpaired_after: int
    ambiguous: int
    missing: list[str]


def paired(before: Sequence[Case], after: Sequence[Case]) -> Paired:
    """Pair the moments of two groups by their keys.

    Parameters
    ----------
    before, after : sequence of Case
        The groups, in any order.

    Returns
    -------
    Paired
        No pairs for an empty group.
    """
    ours, theirs = _by_key(before), _by_key(after)
    twice = {key for group in (ours, theirs) for key, cases in group.items() if len(cases) > 1}
    shared = sorted((ours.keys() & theirs.keys()) - twice)
    in_twice = [sum(len(group.get(key, [])) for key in twice) for group in (ours, theirs)]
    return Paired(
        events=[(key, ours[key][0].event, theirs[key][0].event) for key in shared],
        unpaired_before=len(before) - len(shared) - in_twice[0],
        unpaired_after=len(after) - len(shared) - in_twice[1],
        ambiguous=sum(in_twice),
        missing=sorted(
            key for key in ours.keys() - set(shared) if len(ours[key]) == 1 and ours[key][0].event["status"] in VERDICTS
        ),
    )


def _by_key(cases: Sequence[Case]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in cases:
        if case.key is not None:
            found.setdefault(case.key, []).append(case)
    return found
