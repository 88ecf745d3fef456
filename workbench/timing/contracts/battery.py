"""Two groups of scored moments, paired: what was failing and passes, what passed and still does, and what may be said.

Both axes are needed. An agent that stops for everything fixes each moment it should have yielded at, and fails
those it should have held.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from workbench.plural import plural
from workbench.stats.paired import mcnemar
from workbench.stats.rates import Interval, wilson
from workbench.timing.contracts.comparing import FIXED, NOT_SCORABLE, REGRESSED, RESULTS, STILL_PASS, changes, result_of
from workbench.timing.contracts.freshness import DIFFERENT, Freshness
from workbench.timing.contracts.levels import Level, level_of

MIN_FAILING = 3


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A scored moment of one group. `key` names the same moment in the other; None where nothing does."""

    key: str | None
    event: dict[str, Any]


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


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """A measure over the judged pairs of one side: how many have it, how many are lower bounds, median and p95."""

    events: int
    censored: int
    median: float | None
    p95: float | None


class Battery(msgspec.Struct, frozen=True, kw_only=True):
    """What two groups show. `withheld` lists why no claim is made; empty: `claim` holds it.

    `unpaired_before`, `unpaired_after`: moments without a partner; `ambiguous`: those whose key a group has more
    than once. None of them counts anywhere else.
    """

    pairs: list[Twin]
    counts: dict[str, int]
    unpaired_before: int
    unpaired_after: int
    ambiguous: int
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
        after stays in the denominator: it was not fixed.
    """
    ours, theirs = _by_key(before), _by_key(after)
    twice = {key for group in (ours, theirs) for key, cases in group.items() if len(cases) > 1}
    shared = sorted((ours.keys() & theirs.keys()) - twice)
    pairs = []
    for key in shared:
        one, two = ours[key][0].event, theirs[key][0].event
        pairs.append(
            Twin(
                key=key,
                before=one,
                after=two,
                result=result_of(one, two),
                changes=changes(one, two),
                freshness=fresh(one, two),
            )
        )
    ambiguous = sum(len(group.get(key, [])) for group in (ours, theirs) for key in twice)
    in_twice = [sum(len(group.get(key, [])) for key in twice) for group in (ours, theirs)]
    counted = Counter(pair.result for pair in pairs)
    failing = [pair for pair in pairs if pair.before["status"] == "FAIL"]
    passing = [pair for pair in pairs if pair.before["status"] == "PASS"]
    fixed, still = counted[FIXED], counted[STILL_PASS]
    judged = [pair for pair in pairs if pair.result != NOT_SCORABLE]
    withheld = _withheld(pairs, counted, failing=len(failing), min_n=min_n)
    claim = f"{fixed} of {len(failing)} that failed pass now, and {still} of {len(passing)} that passed still do"
    return Battery(
        pairs=pairs,
        counts={result: counted[result] for result in RESULTS},
        unpaired_before=len(before) - len(pairs) - in_twice[0],
        unpaired_after=len(after) - len(pairs) - in_twice[1],
        ambiguous=ambiguous,
        regression_axis=Axis(count=fixed, of=len(failing), interval=wilson(fixed, len(failing))),
        hold_axis=Axis(count=still, of=len(passing), interval=wilson(still, len(passing))),
        p_exact=mcnemar(fixed, counted[REGRESSED]).p_exact if fixed + counted[REGRESSED] else None,
        pooled_before=pooled([pair.before for pair in judged]),
        pooled_after=pooled([pair.after for pair in judged]),
        withheld=withheld,
        claim=None if withheld else claim,
        evidence_level=level_of(
            [pair.freshness.state for pair in judged],
            expectations={str(pair.before["expect"]) for pair in judged},
            deployed=deployed,
        ),
    )


def pooled(events: Sequence[dict[str, Any]]) -> dict[str, Spread]:
    """Return how the measures of scored events are spread.

    Parameters
    ----------
    events : sequence of dict
        Rows of `scored_events` with a verdict; none gives no events and no quantiles.

    Returns
    -------
    dict of str to Spread
        `time_to_yield_s` is over moments to yield at, with the time heard for an agent that never stopped, so its
        quantiles are lower bounds where any are censored.

    Notes
    -----
    Linear interpolation, position ``q (n - 1)``: numpy's default.
    """
    asked = [event for event in events if event["expect"] == "yield"]
    values = {
        "time_to_yield_s": [event["yield_observed_s"] for event in asked],
        "talk_over_s": [event["talk_over_s"] for event in events],
        "response_gap_s": [event["response_gap_s"] for event in events],
    }
    found = {}
    for name, measured in values.items():
        there = [value for value in measured if value is not None]
        median, p95 = (round(float(value), 6) for value in np.percentile(there, [50, 95])) if there else (None, None)
        never = sum(not event["did_yield"] for event in asked) if name == "time_to_yield_s" else 0
        found[name] = Spread(events=len(there), censored=never, median=median, p95=p95)
    return found


def _by_key(cases: Sequence[Case]) -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in cases:
        if case.key is not None:
            found.setdefault(case.key, []).append(case)
    return found


def _withheld(pairs: Sequence[Twin], counted: Counter[str], *, failing: int, min_n: int) -> list[str]:
    reasons = []
    if not pairs:
        reasons.append("no moment is in both groups")
    if failing < min_n:
        reasons.append(f"{plural(failing, 'moment')} failed before, fewer than {min_n}")
    copies = [pair for pair in pairs if pair.freshness.state != DIFFERENT]
    if copies:
        kinds = ", ".join(sorted({pair.freshness.state for pair in copies}))
        reasons.append(f"{len(copies)} of {plural(len(pairs), 'pair')} not known to be different recordings ({kinds})")
    if counted[REGRESSED]:
        reasons.append(f"{counted[REGRESSED]} that passed fail now")
    if counted[NOT_SCORABLE]:
        reasons.append(f"{plural(counted[NOT_SCORABLE], 'pair')} with a side without a verdict")
    if pairs and not counted[FIXED]:
        reasons.append("nothing was fixed")
    return reasons
