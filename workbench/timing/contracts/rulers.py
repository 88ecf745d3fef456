"""Two scoring configs over the same moments: a verdict that differs tells of the rulers, and of no agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from workbench.timing.contracts.comparing import NOT_SCORABLE, STILL_PASS, VERDICTS, changes
from workbench.timing.contracts.pairing import Case, paired
from workbench.timing.contracts.pooled import Spread, pooled

BECAME_PASS, BECAME_FAIL, STILL_FAIL = "became_pass", "became_fail", "still_fail"
RESULTS = (BECAME_PASS, BECAME_FAIL, STILL_PASS, STILL_FAIL, NOT_SCORABLE)

SENTENCE = (
    "Two rulers were laid over the same recordings. What differs tells how far the verdicts rest on the config, "
    "and nothing of the agent."
)
_WORDS = {
    ("FAIL", "PASS"): BECAME_PASS,
    ("PASS", "FAIL"): BECAME_FAIL,
    ("PASS", "PASS"): STILL_PASS,
    ("FAIL", "FAIL"): STILL_FAIL,
}


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A moment under both configs."""

    key: str
    before: dict[str, Any]
    after: dict[str, Any]
    result: str
    changes: dict[str, float | None]


class Rulers(msgspec.Struct, frozen=True, kw_only=True):
    """What two configs make of the same moments; the counts left out are those of a pairing."""

    pairs: list[Reading]
    counts: dict[str, int]
    unpaired_before: int
    unpaired_after: int
    ambiguous: int
    pooled_before: dict[str, Spread]
    pooled_after: dict[str, Spread]


def compare_rulers(before: Sequence[Case], after: Sequence[Case]) -> Rulers:
    """Compare the verdicts of two configs.

    Parameters
    ----------
    before, after : sequence of Case
        The moments under each config, in any order.

    Returns
    -------
    Rulers
        Pairs in the order of their keys; no pairs for an empty side.
    """
    found = paired(before, after)
    pairs = [
        Reading(key=key, before=one, after=two, result=word_of(one, two), changes=changes(one, two))
        for key, one, two in found.events
    ]
    counted = Counter(pair.result for pair in pairs)
    judged = [pair for pair in pairs if pair.result != NOT_SCORABLE]
    return Rulers(
        pairs=pairs,
        counts={result: counted[result] for result in RESULTS},
        unpaired_before=found.unpaired_before,
        unpaired_after=found.unpaired_after,
        ambiguous=found.ambiguous,
        pooled_before=pooled([pair.before for pair in judged]),
        pooled_after=pooled([pair.after for pair in judged]),
    )


def word_of(before: dict[str, Any], after: dict[str, Any]) -> str:
    """Return the word for one moment under two configs.

    Parameters
    ----------
    before, after : dict
        Rows of `scored_events`.

    Returns
    -------
    str
        One of :data:`RESULTS`; ``not_scorable`` where a side has no verdict.
    """
    sides = (before["status"], after["status"])
    return _WORDS[sides] if all(side in VERDICTS for side in sides) else NOT_SCORABLE
