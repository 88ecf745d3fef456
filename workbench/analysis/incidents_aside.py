"""What the published scan finds as well and nobody needs to look into: told apart, and counted apart.

Five things: a short stop of the agent (which the scan calls dead air however short it is), an overlap too
short to be told from none, a barge-in of which the recording ends before it shows whether the agent stops, what rests
on faint sound alone, and the rest of a silence that began earlier. The published severity stays with each of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from workbench.plural import plural
from workbench.timing.events import CUT_SHORT_S
from workbench.timing.moments import CRITICAL, OVERLAP, START, STOP, WARNING
from workbench.timing.score_config import ScoreConfig

M = TypeVar("M", bound=Mapping[str, Any])

STOPS, TOUCHES, ENDED, FAINT, REST = "short_stop", "touch", "recording_ended", "faint", "rest"
DEAD_AIR_S = ScoreConfig().dead_air_s
TOUCH_S = 0.04
"""A run begins up to one window early and ends up to one late (20 ms each)."""
FRAMES_END_S = 0.01
"""So much before the recording its last frame begins, at the least: a search counts as cut short as scores have it."""

ASIDE = {
    STOPS: (
        "stop of the agent",
        "stops of the agent",
        "with nobody speaking for less than {dead_air_s:g} s after the hangover (check dead_air: above {check_s:g} s)",
    ),
    TOUCHES: ("overlap", "overlaps", "of {touch_s:g} s or less: one party begins as the other ends"),
    ENDED: (
        "barge-in",
        "barge-ins",
        "of which the recording ends before it shows whether the agent stops, so that nobody saw how severe it was",
    ),
    FAINT: (
        "incident that rests on faint sound alone",
        "incidents that rest on faint sound alone",
        "(breath, clicks, bleed), which `workbench show` and the checks leave out",
    ),
    REST: (
        "rest of a silence",
        "rests of silences",
        "told whole from where it began: only faint sound (breath, clicks, bleed) lies between",
    ),
}
"""One, several, and why."""


def cut_short(moment: Mapping[str, Any], *, duration_s: float, search_s: float) -> bool:
    """Tell whether the recording ended the search for a stop of the agent, which had not stopped until then.

    Parameters
    ----------
    moment : mapping
        `kind`, `onset_s`, `yield_after_s`, `agent_quiet_s`.
    duration_s : float
        Length of the recording in seconds.
    search_s : float
        How long after an onset the scan looked for a stop, in seconds.

    Returns
    -------
    bool
        Of a caller who begins while the agent speaks; False for another kind.
    """
    if moment["kind"] != OVERLAP or moment["yield_after_s"] is not None or moment["agent_quiet_s"] is not None:
        return False
    missing_s = moment["onset_s"] + search_s - duration_s
    return bool(missing_s > CUT_SHORT_S - FRAMES_END_S + 1e-6)


def aside_of(moment: Mapping[str, Any], *, duration_s: float, config: ScoreConfig) -> str | None:
    """Return why a moment stands apart, or None.

    Parameters
    ----------
    moment : mapping
        `kind`, `severity`, `onset_s`, `magnitude_s`, `yield_after_s`, `agent_quiet_s`, `faint`, and for a stop
        `without_faint_s`.
    duration_s : float
        Length of the recording in seconds.
    config : ScoreConfig
        From which silence on it is dead air, from which overlap on critical, and how long the search for a stop is.

    Returns
    -------
    str or None
        A key of `ASIDE`.
    """
    if moment.get("faint"):
        return FAINT
    if moment["kind"] in (OVERLAP, START) and moment["magnitude_s"] <= TOUCH_S + 1e-6:
        return TOUCHES
    if (
        moment["severity"] == CRITICAL
        and moment["magnitude_s"] <= config.critical_overlap_s
        and cut_short(moment, duration_s=duration_s, search_s=config.max_search_s)
    ):
        return ENDED
    if moment["severity"] == WARNING and moment["kind"] == STOP and moment["without_faint_s"] < config.dead_air_s:
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
    from workbench.assertions.checks.dead_air import Parameters

    one, many, why = ASIDE[name]
    check_s = Parameters().max_silence_s
    return f"{plural(count, one, many=many)} {why.format(dead_air_s=dead_air_s, touch_s=TOUCH_S, check_s=check_s)}"


def aside_name(one: Mapping[str, Any]) -> str:
    """Return what to call an incident that stands apart, in the line under its heading.

    Parameters
    ----------
    one : mapping
        `incident`, `kind` and `severity`.

    Returns
    -------
    str
        The incident as people write it; "short-stop" for a stop of the agent too short for an incident, which the
        published scan calls dead air however short it is.
    """
    if one["kind"] == STOP and one["severity"] == WARNING:
        return STOPS.replace("_", "-")
    return str(one["incident"]).replace("_", "-")
