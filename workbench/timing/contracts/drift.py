"""Pooled means of timing, and whether they drifted from a baseline by more than a tolerance."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np

from workbench.decimals import decimals
from workbench.errors import UsageError
from workbench.stats.horizon import horizon
from workbench.stats.survival import restricted_mean

DIMENSIONS = ("time_to_yield_s", "talk_over_s", "response_gap_s", "premature_start_s")
_TOLERANCE = re.compile(r"\+([0-9]{1,9}(?:\.[0-9]{1,9})?)(%?)")
_EQUAL = 1e-9


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A pooled mean in seconds (None: nothing was measured), of how many moments, how many of them censored.

    A time until something that may not happen is a mean up to `tau_s`, and keeps its `times`: seconds, how many ended
    then, how many were observed for so long without it. Other dimensions have neither.
    """

    value: float | None
    events: int
    censored: int
    tau_s: float | None = None
    times: tuple[tuple[float, int, int], ...] = ()


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """A dimension against its baseline; `allowed` is the highest value that is no drift.

    Both sides of a mean up to a time are taken up to the same one, `tau_s`; None: a plain mean.
    """

    dimension: str
    tolerance: str
    baseline: float
    now: float
    allowed: float
    drifted: bool
    tau_s: float | None


def figures(events: Sequence[Mapping[str, Any]]) -> dict[str, Figure]:
    """Return the pooled mean of each dimension over the events with a verdict.

    Parameters
    ----------
    events : sequence of mapping
        Rows of `scored_events`; those that are neither PASS nor FAIL do not count.

    Returns
    -------
    dict of str to Figure
        All dimensions. Times to yield are those of moments to yield at. They and response gaps are restricted means:
        an agent that never stopped, or had not answered when the recording ended, stays in with the time for which it
        was heard not to, so that doing less never lowers the mean.

    Notes
    -----
    The area under the Kaplan-Meier curve up to :func:`workbench.stats.horizon.horizon`, as `report timing` has it.
    """
    judged = [event for event in events if event["status"] in ("PASS", "FAIL")]
    asked = [event for event in judged if event["expect"] == "yield"]
    return {
        "time_to_yield_s": _until([(event["yield_observed_s"], event["yield_censored"]) for event in asked]),
        "talk_over_s": _mean([event["talk_over_s"] for event in judged]),
        "response_gap_s": _until([(event["response_observed_s"], event["response_censored"]) for event in judged]),
        "premature_start_s": _mean([event["premature_start_s"] for event in judged]),
    }


def _mean(values: Sequence[float | None]) -> Figure:
    there = [value for value in values if value is not None]
    mean = round(sum(there) / len(there), 6) if there else None
    return Figure(value=mean, events=len(there), censored=0)


def _until(waits: Sequence[tuple[float | None, bool | None]]) -> Figure:
    counted = Counter((seconds, bool(censored)) for seconds, censored in waits if seconds is not None)
    at = sorted({seconds for seconds, _ in counted})
    times = tuple((seconds, counted[seconds, False], counted[seconds, True]) for seconds in at)
    if not times:
        return Figure(value=None, events=0, censored=0)
    tau_s = horizon([_waited(times)])
    return Figure(
        value=_restricted(times, tau_s),
        events=counted.total(),
        censored=sum(going_on for _, _, going_on in times),
        tau_s=tau_s,
        times=times,
    )


def horizon_of(times: Sequence[tuple[float, int, int]]) -> float | None:
    """Return up to where the mean of a figure reaches.

    Parameters
    ----------
    times : sequence of (seconds, ended, going on)
        As a :class:`Figure` keeps them.

    Returns
    -------
    float or None
        In seconds; None for a figure without times.
    """
    return horizon([_waited(times)]) if times else None


def _waited(times: Sequence[tuple[float, int, int]]) -> tuple[np.ndarray, np.ndarray]:
    """Durations and flags, as the survival functions take them."""
    pairs = [(seconds, count, ended) for seconds, *both in times for count, ended in zip(both, (1, 0), strict=True)]
    seconds, count, ended = (np.array(part) for part in zip(*pairs, strict=True))
    return np.repeat(seconds, count), np.repeat(ended == 1, count)


def _restricted(times: Sequence[tuple[float, int, int]], tau_s: float) -> float:
    return round(restricted_mean(*_waited(times), tau_s=tau_s).mean, 6) if tau_s > 0 else 0.0


def tolerances_of(given: Mapping[str, Any], *, where: str) -> dict[str, str]:
    """Return the tolerances of a settings file.

    Parameters
    ----------
    given : mapping
        By dimension: ``"+10%"`` of the baseline, or ``"+0.05"`` seconds.
    where : str
        The file, for errors.

    Returns
    -------
    dict of str to str

    Raises
    ------
    UsageError
        For another dimension, or a tolerance that is none.
    """
    for name, tolerance in given.items():
        if name not in DIMENSIONS:
            raise UsageError(f"unknown: {name}", where=where, hint=f"one of {', '.join(DIMENSIONS)}")
        if not isinstance(tolerance, str) or not _TOLERANCE.fullmatch(tolerance):
            raise UsageError(
                f"the tolerance of {name} is {tolerance!r}", where=where, hint='write "+10%" or "+0.05" (seconds)'
            )
    return dict(given)


def drifts(baseline: Mapping[str, Figure], now: Mapping[str, Figure], *, tolerances: Mapping[str, str]) -> list[Drift]:
    """Compare figures with a baseline; one-sided, since less is better: an improvement is never drift.

    Parameters
    ----------
    baseline, now : mapping of str to Figure
        From :func:`figures`.
    tolerances : mapping of str to str
        From :func:`tolerances_of`; only these dimensions are looked at.

    Returns
    -------
    list of Drift
        In the order of the tolerances. Times to yield and response gaps of both sides end at one time: the longest up
        to which both are known.

    Raises
    ------
    UsageError
        When a dimension was not measured on a side, or what is known of both ends before anything happened.
    """
    found = []
    for name, tolerance in tolerances.items():
        before, after, tau_s = _level(name, baseline[name], now[name])
        given = _TOLERANCE.fullmatch(tolerance)
        assert given is not None
        allowed = before + (before * float(given[1]) / 100 if given[2] else float(given[1]))
        found.append(
            Drift(
                dimension=name,
                tolerance=tolerance,
                baseline=before,
                now=after,
                allowed=round(allowed, 6),
                drifted=after > allowed + _EQUAL,
                tau_s=tau_s,
            )
        )
    return found


def _level(name: str, baseline: Figure, now: Figure) -> tuple[float, float, float | None]:
    """The values of both sides, up to one time where they are means up to a time."""
    if baseline.value is None or now.value is None:
        side = "the baseline" if baseline.value is None else "the archive"
        raise UsageError(
            f"{name} was measured nowhere in {side}",
            hint="leave it out of the tolerances, or score moments that have it",
        )
    if not baseline.times:
        return baseline.value, now.value, None
    tau_s = horizon([_waited(baseline.times), _waited(now.times)])
    ends = any(ended and seconds < tau_s for side in (baseline, now) for seconds, ended, _ in side.times)
    if not ends and baseline.censored < baseline.events and baseline.censored + now.censored:
        raise UsageError(
            f"up to {decimals(tau_s)} s no {name} ended on either side, and longer was not observed of both",
            hint="leave it out of the tolerances, or measure recordings that go on for longer",
        )
    return _restricted(baseline.times, tau_s), _restricted(now.times, tau_s), tau_s
