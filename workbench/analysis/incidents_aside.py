"""What the published scan finds as well and nobody needs to look into: told apart, and counted apart.

Three things: a short stop of the agent (a pause, which the scan calls dead air however short it is), an overlap too
short to be told from none, and what rests on faint sound alone. The published severity stays with each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from workbench.plural import plural
from workbench.timing.moments import OVERLAP, START, STOP, WARNING
from workbench.timing.score_config import ScoreConfig

M = TypeVar("M", bound=Mapping[str, Any])

STOPS, TOUCHES, FAINT = "short_stop", "touch", "faint"
DEAD_AIR_S = ScoreConfig().dead_air_s
TOUCH_S = 0.04
"""A run begins up to one window early and ends up to one late (20 ms each)."""

ASIDE = {
    STOPS: (
        "stop of the agent",
        "stops of the agent",
        "with less than {dead_air_s:g} s of nobody speaking after the hangover: pauses, and no dead air",
    ),
    TOUCHES: ("overlap", "overlaps", "of {touch_s:g} s or less: one party begins as the other ends"),
    FAINT: (
        "incident that rests on faint sound alone",
        "incidents that rest on faint sound alone",
        "(breath, clicks, bleed), which `workbench show` and the checks leave out",
    ),
}
"""One, several, and why."""


def aside_of(moment: Mapping[str, Any], *, dead_air_s: float = DEAD_AIR_S) -> str | None:
    """Return why a moment stands apart, or None.

    Parameters
    ----------
    moment : mapping
        `kind`, `severity`, `magnitude_s`, `faint`, and for a stop `without_faint_s`.
    dead_air_s : float
        From which silence on it is dead air, in seconds.

    Returns
    -------
    str or None
        A key of `ASIDE`.
    """
    if moment.get("faint"):
        return FAINT
    if moment["severity"] != WARNING:
        return None
    if moment["kind"] in (OVERLAP, START) and moment["magnitude_s"] <= TOUCH_S + 1e-6:
        return TOUCHES
    if moment["kind"] == STOP and moment["without_faint_s"] < dead_air_s:
        return STOPS
    return None


def listed(found: Sequence[M]) -> list[M]:
    """Return the incidents that do not stand apart.

    Parameters
    ----------
    found : sequence of mapping
        Incidents; those without `aside` do not.

    Returns
    -------
    list of mapping
        In their order.
    """
    return [one for one in found if one.get("aside") is None]


def aside_counts(found: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """Count the incidents that stand apart, by why.

    Parameters
    ----------
    found : sequence of mapping
        Incidents.

    Returns
    -------
    dict of str to int
        Every key of `ASIDE`, those without an incident as 0.
    """
    return {name: sum(one.get("aside") == name for one in found) for name in ASIDE}


def aside_title(name: str, count: int, *, dead_air_s: float = DEAD_AIR_S) -> str:
    """Return what heads the incidents that stand apart for one reason.

    Parameters
    ----------
    name : str
        A key of `ASIDE`.
    count : int
        How many there are.
    dead_air_s : float
        From which silence on it is dead air, in seconds.

    Returns
    -------
    str
        The count, what they are, and why they stand apart.
    """
    one, many, why = ASIDE[name]
    return f"{plural(count, one, many=many)} {why.format(dead_air_s=dead_air_s, touch_s=TOUCH_S)}"
