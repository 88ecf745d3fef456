"""A policy for a change: what has to get better, and what must not get worse for it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.errors import UsageError
from workbench.plural import plural
from workbench.timing.contracts.comparing import NOT_SCORABLE
from workbench.timing.contracts.freshness import DIFFERENT
from workbench.timing.contracts.pooled import pooled

if TYPE_CHECKING:
    from workbench.timing.contracts.battery import Twin

METRICS = {
    "talk_over_s_p95": "seconds: 95th percentile of how long both spoke, over all moments where it was measured",
    "time_to_yield_s_p95": "seconds: 95th percentile of the time to yield, over the moments to yield at; an agent that "
    "never stopped enters with the time for which it was heard not to, a lower bound",
    "failed_count": "moments that failed, whatever was expected there",
    "false_yield_count": "moments to hold at that failed: the agent should have gone on, and stopped",
}
"""What can be asked to get better: unit and meaning. All are over the pairs with a verdict on both sides."""

WORDS = {
    "decrease": "less than before",
    "increase": "more than before",
    "no_worse": "not more than before",
    "no_better": "not less than before",
    "unchanged": "as before",
}
AT_MOST = {
    "max_new_false_yields": "most pairs whose later side is a false yield and whose earlier one is none",
    "max_not_scorable": "most pairs without a verdict on both sides",
}
REQUIRED = {
    "require_hold_fixture": "there is a pair with a verdict on both sides at a moment to hold at",
    "require_yield_fixture": "there is a pair with a verdict on both sides at a moment to yield at",
}
MOST = 10**9
"""More than any metric can be: seconds of thirty years, or moments."""

_EQUAL = 1e-9
MOST_NAMED = 3


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """Targets by metric (a word, or the signed change that is required) and guardrails by name."""

    improve: dict[str, float | str]
    guardrails: dict[str, int | bool]


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """A target or guardrail and whether it holds.

    `before` and `after` are None where there was nothing to measure, which does not hold. `holds` is None where the
    pairs do not show a change of the agent, whatever their figures are, and where it would hold only with moments left
    out that have no partner: see :func:`withheld`.
    """

    name: str
    wanted: float | str | bool
    before: float | None
    after: float | None
    holds: bool | None


def policy_of(given: dict[str, Any], *, where: str) -> Policy:
    """Return the policy of a settings file.

    Parameters
    ----------
    given : dict
        ``{"target": {"improve": {...}}, "guardrails": {...}}``, one of both at least.
    where : str
        The file, for errors.

    Returns
    -------
    Policy

    Raises
    ------
    UsageError
        For an unknown name, a wrong type, or a policy that asks for nothing.
    """
    _known(given, ("target", "guardrails"), where)
    target = _mapping(given.get("target", {}), "target", where)
    _known(target, ("improve",), where)
    improve = _mapping(target.get("improve", {}), "target.improve", where)
    guardrails = _mapping(given.get("guardrails", {}), "guardrails", where)
    _known(improve, METRICS, where)
    _known(guardrails, (*AT_MOST, *REQUIRED), where)
    if not improve and not guardrails:
        raise UsageError("the policy asks for nothing", where=where, hint=f"a target is one of {', '.join(METRICS)}")
    for name, wanted in improve.items():
        number = isinstance(wanted, int | float) and not isinstance(wanted, bool) and abs(wanted) <= MOST
        if not number and not (isinstance(wanted, str) and wanted in WORDS):
            raise UsageError(
                f"target.improve.{name} is {wanted!r}",
                where=where,
                hint=f"a number such as -0.5 (a fall of at least that), or {', '.join(WORDS)}",
            )
    for name, wanted in guardrails.items():
        right = isinstance(wanted, bool) if name in REQUIRED else type(wanted) is int and 0 <= wanted <= MOST
        if not right:
            kind = "true or false" if name in REQUIRED else "a whole number that is not negative"
            raise UsageError(f"guardrails.{name} is {wanted!r}", where=where, hint=f"give {kind}")
    return Policy(improve=improve, guardrails=guardrails)


def _mapping(value: Any, name: str, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UsageError(f"{name} is {value!r}", where=where, hint="write settings by name under it")
    return value


def _known(given: dict[str, Any], names: Collection[str], where: str) -> None:
    unknown = [str(name) for name in given if name not in names]
    if unknown:
        raise UsageError(f"unknown: {', '.join(unknown)}", where=where, hint=f"one of {', '.join(names)}")


def withheld(pairs: Sequence[Twin], *, missing: Sequence[str] = ()) -> str | None:
    """Return why no policy can be met: its figures would be of copies, or be better for moments that left.

    Parameters
    ----------
    pairs : sequence of Twin
        All pairs of the comparison.
    missing : sequence of str
        Moments with a verdict before that have no partner after.

    Returns
    -------
    str or None
        None where each pair with a verdict on both sides is of two takes, there is one, and nothing is missing.
    """
    judged = [pair for pair in pairs if pair.result != NOT_SCORABLE]
    copies = [pair.freshness.state for pair in judged if pair.freshness.state != DIFFERENT]
    if copies:
        kinds = ", ".join(sorted(set(copies)))
        return f"{len(copies)} of {plural(len(judged), 'pair')} not known to be different recordings ({kinds})"
    if not judged:
        return "no pair has a verdict on both sides"
    if not missing:
        return None
    count = plural(len(missing), "moment with a verdict before has", many="moments with a verdict before have")
    return f"{count} no partner after: {named(missing)}"


def named(moments: Sequence[str]) -> str:
    """Return the names of moments in one line.

    Parameters
    ----------
    moments : sequence of str
        Their names.

    Returns
    -------
    str
        Parted by commas; of more than three the first three and how many more, empty for none.
    """
    more = [f"{len(moments) - MOST_NAMED:,} more"] if len(moments) > MOST_NAMED else []
    return ", ".join([*moments[:MOST_NAMED], *more])


def evaluate(policy: Policy, pairs: Sequence[Twin], *, missing: Sequence[str] = ()) -> list[Rule]:
    """Hold a comparison against a policy.

    Parameters
    ----------
    policy : Policy
        The rules.
    pairs : sequence of Twin
        All pairs of the comparison.
    missing : sequence of str
        As :func:`withheld` takes them. A rule that is broken without them stays broken; none holds.

    Returns
    -------
    list of Rule
        Targets, then guardrails; each withheld where :func:`withheld` says why. Metrics are taken over the pairs with
        a verdict on both sides; an agent that never stopped enters its time to yield with the time for which it was
        heard not to, a lower bound.

    Notes
    -----
    p95 as :func:`workbench.timing.contracts.pooled.pooled` has it.
    """
    if withheld(pairs) is not None:
        asked = {**policy.improve, **policy.guardrails}
        return [Rule(name=name, wanted=wanted, before=None, after=None, holds=None) for name, wanted in asked.items()]
    judged = [pair for pair in pairs if pair.result != NOT_SCORABLE]
    sides = ([pair.before for pair in judged], [pair.after for pair in judged])
    rules = []
    for name, wanted in policy.improve.items():
        before, after = (_metric(name, events) for events in sides)
        holds = before is not None and after is not None and _met(wanted, before, after)
        rules.append(Rule(name=name, wanted=wanted, before=before, after=after, holds=holds))
    for name, wanted in policy.guardrails.items():
        seen = _seen(name, pairs, judged)
        holds = seen <= wanted if name in AT_MOST else not wanted or seen > 0
        rules.append(Rule(name=name, wanted=wanted, before=None, after=float(seen), holds=holds))
    if not missing:
        return rules
    return [msgspec.structs.replace(rule, holds=None) if rule.holds else rule for rule in rules]


def _metric(name: str, events: Sequence[dict[str, Any]]) -> float | None:
    if name == "failed_count":
        return float(sum(event["status"] == "FAIL" for event in events))
    if name == "false_yield_count":
        return float(sum(_false_yield(event) for event in events))
    return pooled(events)[name.removesuffix("_p95")].p95


def _false_yield(event: dict[str, Any]) -> bool:
    return bool(event["expect"] == "hold" and event["status"] == "FAIL")


def _met(wanted: float | str, before: float, after: float) -> bool:
    if not isinstance(wanted, str):
        return after - before <= wanted + _EQUAL
    return {
        "decrease": after < before - _EQUAL,
        "increase": after > before + _EQUAL,
        "no_worse": after <= before + _EQUAL,
        "no_better": after >= before - _EQUAL,
        "unchanged": abs(after - before) <= _EQUAL,
    }[wanted]


def _seen(name: str, pairs: Sequence[Twin], judged: Sequence[Twin]) -> int:
    if name == "max_not_scorable":
        return len(pairs) - len(judged)
    if name == "max_new_false_yields":
        takes = [pair for pair in pairs if pair.freshness.state == DIFFERENT]
        return sum(_false_yield(pair.after) and not _false_yield(pair.before) for pair in takes)
    expect = "hold" if name == "require_hold_fixture" else "yield"
    return sum(pair.before["expect"] == expect for pair in judged)
