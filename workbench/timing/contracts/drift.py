"""Pooled means of timing, and whether they drifted from a baseline by more than a tolerance."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from workbench.errors import UsageError

DIMENSIONS = ("time_to_yield_s", "talk_over_s", "response_gap_s", "premature_start_s")
_TOLERANCE = re.compile(r"\+(\d+(?:\.\d+)?)(%?)")
_EQUAL = 1e-9


class Figure(msgspec.Struct, frozen=True, kw_only=True):
    """A pooled mean in seconds (None: nothing was measured), of how many events, how many of them censored."""

    value: float | None
    events: int
    censored: int


class Drift(msgspec.Struct, frozen=True, kw_only=True):
    """A dimension against its baseline; `allowed` is the highest value that is no drift."""

    dimension: str
    tolerance: str
    baseline: float
    now: float
    allowed: float
    drifted: bool


def figures(events: Sequence[Mapping[str, Any]]) -> dict[str, Figure]:
    """Return the pooled mean of each dimension over the events with a verdict.

    Parameters
    ----------
    events : sequence of mapping
        Rows of `scored_events`; those that are neither PASS nor FAIL do not count.

    Returns
    -------
    dict of str to Figure
        All dimensions. Times to yield are those of moments to yield at; an agent that never stopped enters with the
        time for which it was heard not to, so that stopping less never lowers the mean: it is the mean time to
        yield within the search window. A call that ended before an answer has no response gap; how many did is
        counted.
    """
    judged = [event for event in events if event["status"] in ("PASS", "FAIL")]
    asked = [event for event in judged if event["expect"] == "yield"]
    pooled = {
        "time_to_yield_s": (
            [event["yield_observed_s"] for event in asked],
            [event["yield_censored"] for event in asked],
        ),
        "talk_over_s": ([event["talk_over_s"] for event in judged], []),
        "response_gap_s": (
            [event["response_gap_s"] for event in judged],
            [event["response_censored"] for event in judged],
        ),
        "premature_start_s": ([event["premature_start_s"] for event in judged], []),
    }
    return {name: _figure(values, censored) for name, (values, censored) in pooled.items()}


def _figure(values: Sequence[float | None], censored: Sequence[bool | None]) -> Figure:
    there = [value for value in values if value is not None]
    mean = round(sum(there) / len(there), 6) if there else None
    return Figure(value=mean, events=len(there), censored=sum(bool(flag) for flag in censored))


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


def drifts(
    baseline: Mapping[str, float | None], now: Mapping[str, Figure], *, tolerances: Mapping[str, str]
) -> list[Drift]:
    """Compare figures with a baseline; one-sided, since less is better: an improvement is never drift.

    Parameters
    ----------
    baseline : mapping of str to float or None
        Pooled means.
    now : mapping of str to Figure
        From :func:`figures`.
    tolerances : mapping of str to str
        From :func:`tolerances_of`; only these dimensions are looked at.

    Returns
    -------
    list of Drift
        In the order of the tolerances.

    Raises
    ------
    UsageError
        When a dimension was not measured on a side.
    """
    found = []
    for name, tolerance in tolerances.items():
        before, after = baseline.get(name), now[name].value
        if before is None or after is None:
            side = "the baseline" if before is None else "the archive"
            raise UsageError(
                f"{name} was measured nowhere in {side}",
                hint="leave it out of the tolerances, or score moments that have it",
            )
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
            )
        )
    return found
