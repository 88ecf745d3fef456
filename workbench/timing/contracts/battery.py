"""Two groups of scored moments, paired: what was failing and passes, what passed and still does, and what may be said.

Only pairs of two takes tell of a change. Both axes are needed: an agent that stops for everything fixes each moment
it should have yielded at, and fails those it should have held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from workbench.plural import plural
from workbench.stats.paired import mcnemar
from workbench.stats.rates import Interval, wilson
from workbench.timing.contracts.comparing import (
    FIXED,
    NOT_SCORABLE,
    REGRESSED,
    RESULTS,
    SAME_RECORDING,
    STILL_PASS,
    UNKNOWN_RECORDING,
    changes,
    word_for,
)
from workbench.timing.contracts.freshness import DIFFERENT, SAME_ENVELOPE, SAME_PCM, Freshness
from workbench.timing.contracts.levels import Level, level_of
from workbench.timing.contracts.pairing import Case, paired
from workbench.timing.contracts.pooled import Spread, pooled

MIN_FAILING = 3


class Twin(msgspec.Struct, frozen=True, kw_only=True):
    """A moment in both groups."""

    key: str
    before: dict[str, Any]
    after: dict[str, Any]
    result: str
    changes: dict[str, float | None]
    freshness: Freshness


class Axis(msgspec.Struct, frozen=True, kw_only=True):
    """A count of a count, with the Wilson interval of its rate; no interval of nothing."""

    count: int
    of: int
    interval: Interval | None


class Battery(msgspec.Struct, frozen=True, kw_only=True):
    """What two groups show. `withheld` lists why no claim is made; empty: `claim` holds it.

    `unpaired_before`, `unpaired_after`: moments without a partner; `ambiguous`: those whose key a group has more
    than once. None of them counts anywhere else; `missing` names those with a verdict before that left with the later
    group, so that no gate may hold without them. A pair with two verdicts that is not known to be two takes stands in
    `pairs` and `counts`, and neither in the axes nor in what is pooled.
    """

    pairs: list[Twin]
    counts: dict[str, int]
    unpaired_before: int
    unpaired_after: int
    ambiguous: int
    missing: list[str]
    regression_axis: Axis
    hold_axis: Axis
    p_exact: float | None
    pooled_before: dict[str, Spread]
    pooled_after: dict[str, Spread]
    withheld: list[str]
    claim: str | None
    evidence_level: Level


def compare_groups(
    before: Sequence[Case],
    after: Sequence[Case],
    *,
    fresh: Callable[[dict[str, Any], dict[str, Any]], Freshness],
    min_n: int = MIN_FAILING,
    deployed: bool = False,
) -> Battery:
    """Pair two groups and compare them.

    Parameters
    ----------
    before, after : sequence of Case
        The groups, in any order.
    fresh : callable
        Takes the events of a pair; returns what their recordings are to each other.
    min_n : int
        With fewer moments that failed before no claim is made.
    deployed : bool
        Whether the user says that the later calls were made after the release.

    Returns
    -------
    Battery
        Pairs in the order of their keys; no pairs for empty groups. A moment that failed before and has no verdict
        in another take after stays in the denominator: it was not fixed.
    """
    found = paired(before, after)
    pairs = []
    for key, one, two in found.events:
        sound = fresh(one, two)
        word = word_for(one, two, sound)
        pairs.append(
            Twin(key=key, before=one, after=two, result=word, changes=changes(one, two), freshness=sound),
        )
    counted = Counter(pair.result for pair in pairs)
    takes = [pair for pair in pairs if not _aside(pair)]
    failing = [pair for pair in takes if pair.before["status"] == "FAIL"]
    passing = [pair for pair in takes if pair.before["status"] == "PASS"]
    fixed, still = counted[FIXED], counted[STILL_PASS]
    judged = [pair for pair in pairs if pair.result != NOT_SCORABLE]
    compared = [pair for pair in judged if pair.freshness.state == DIFFERENT]
    withheld = _withheld(pairs, counted, failing=len(failing), min_n=min_n)
    claim = f"{fixed} of {len(failing)} that failed pass now, and {still} of {len(passing)} that passed still do"
    return Battery(
        pairs=pairs,
        counts={result: counted[result] for result in RESULTS},
        unpaired_before=found.unpaired_before,
        unpaired_after=found.unpaired_after,
        ambiguous=found.ambiguous,
        missing=found.missing,
        regression_axis=Axis(count=fixed, of=len(failing), interval=wilson(fixed, len(failing))),
        hold_axis=Axis(count=still, of=len(passing), interval=wilson(still, len(passing))),
        p_exact=mcnemar(fixed, counted[REGRESSED]).p_exact if fixed + counted[REGRESSED] else None,
        pooled_before=pooled([pair.before for pair in compared]),
        pooled_after=pooled([pair.after for pair in compared]),
        withheld=withheld,
        claim=None if withheld else claim,
        evidence_level=level_of(
            [pair.freshness.state for pair in judged],
            expectations={str(pair.before["expect"]) for pair in judged},
            deployed=deployed,
        ),
    )


def _aside(pair: Twin) -> bool:
    """Whether a pair is outside both axes: one sound, or verdicts of sounds that may be one."""
    return pair.result in (SAME_RECORDING, UNKNOWN_RECORDING) or pair.freshness.state in (SAME_PCM, SAME_ENVELOPE)


def _withheld(pairs: Sequence[Twin], counted: Counter[str], *, failing: int, min_n: int) -> list[str]:
    reasons = []
    if not pairs:
        reasons.append("no moment is in both groups")
    copies = [pair for pair in pairs if pair.freshness.state != DIFFERENT]
    if failing < min_n:
        of = " of two takes" if copies else ""
        reasons.append(f"{plural(failing, f'moment{of}', many=f'moments{of}')} failed before, fewer than {min_n}")
    if copies:
        kinds = ", ".join(sorted({pair.freshness.state for pair in copies}))
        reasons.append(f"{len(copies)} of {plural(len(pairs), 'pair')} not known to be different recordings ({kinds})")
    if counted[REGRESSED]:
        reasons.append(f"{counted[REGRESSED]} that passed fail now")
    if counted[NOT_SCORABLE]:
        reasons.append(f"{plural(counted[NOT_SCORABLE], 'pair')} with a side without a verdict")
    if len(copies) < len(pairs) and not counted[FIXED]:
        reasons.append("nothing was fixed")
    return reasons
