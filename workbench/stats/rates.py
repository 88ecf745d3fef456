"""Rates and differences of independent rates, with intervals.

**Conventions.** Counts are whole numbers, ``0 <= successes <= trials``. ``confidence`` is two-sided, in
0..1. No trials means no interval: the answer is ``None``, never 0. An interval always has a width.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple

from workbench.errors import UsageError


class Interval(NamedTuple):
    """A two-sided interval."""

    low: float
    high: float


class Difference(NamedTuple):
    """A difference of two rates, first minus second, with its interval."""

    difference: float
    low: float
    high: float


def z_of(confidence: float) -> float:
    """Return the two-sided normal quantile of a confidence level.

    Parameters
    ----------
    confidence : float
        Above 0 and below 1.

    Returns
    -------
    float
        1.959964 for 0.95.

    Raises
    ------
    UsageError
        When `confidence` is not between 0 and 1.
    """
    if not 0.0 < confidence < 1.0:
        raise UsageError(f"confidence is {confidence}", hint="give a share such as 0.95")
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def wilson(successes: int, trials: int, *, confidence: float = 0.95) -> Interval | None:
    """Return the Wilson score interval of a rate, without continuity correction.

    Parameters
    ----------
    successes, trials : int
        Counts, ``0 <= successes <= trials``.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    Interval or None
        Clamped to 0..1; None without trials.

    Raises
    ------
    UsageError
        When the counts contradict each other.

    Notes
    -----
    Wilson 1927, J. Am. Stat. Assoc. 22:209-212. For display; it does not guarantee its level as
    Clopper-Pearson does.

    Examples
    --------
    >>> low, high = wilson(13, 47)
    >>> round(low, 4), round(high, 4)
    (0.1694, 0.4176)
    """
    if not 0 <= successes <= trials:
        raise UsageError(f"{successes} successes in {trials} trials", hint="0 <= successes <= trials")
    if trials == 0:
        return None
    return wilson_of(successes / trials, float(trials), confidence=confidence)


def wilson_of(rate: float, trials: float, *, confidence: float = 0.95) -> Interval:
    """Return the Wilson score interval of a rate at a number of trials that need not be whole.

    Parameters
    ----------
    rate : float
        0..1.
    trials : float
        Above 0: trials, or an effective number of them.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    Interval
        As :func:`wilson`.

    Raises
    ------
    UsageError
        When the rate lies outside 0..1 or there are no trials.
    """
    if not 0.0 <= rate <= 1.0 or not trials > 0:
        raise UsageError(f"a rate of {rate} in {trials} trials", hint="give a rate of 0..1 and more than 0 trials")
    z2 = z_of(confidence) ** 2
    middle = rate + z2 / (2 * trials)
    half = sqrt(z2) * sqrt(rate * (1 - rate) / trials + z2 / (4 * trials**2))
    scale = 1 + z2 / trials
    low = 0.0 if rate == 0 else max(0.0, (middle - half) / scale)
    high = 1.0 if rate == 1 else min(1.0, (middle + half) / scale)
    return Interval(low, high)


def newcombe(
    successes_1: int,
    trials_1: int,
    *,
    successes_2: int,
    trials_2: int,
    confidence: float = 0.95,
) -> Difference | None:
    """Return the difference of two independent rates with Newcombe's hybrid score interval.

    Parameters
    ----------
    successes_1, trials_1, successes_2, trials_2 : int
        Counts of the two independent samples.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    Difference or None
        Rate 1 minus rate 2, limits clamped to -1..1; None when a sample is empty.

    Raises
    ------
    UsageError
        When the counts contradict each other.

    Notes
    -----
    Newcombe 1998, Stat. Med. 17:873-890, method 10. Not for the same calls measured twice: see
    :func:`workbench.stats.paired.tango`.
    """
    first = wilson(successes_1, trials_1, confidence=confidence)
    second = wilson(successes_2, trials_2, confidence=confidence)
    if first is None or second is None:
        return None
    p1, p2 = successes_1 / trials_1, successes_2 / trials_2
    difference = p1 - p2
    low = difference - sqrt((p1 - first.low) ** 2 + (second.high - p2) ** 2)
    high = difference + sqrt((first.high - p1) ** 2 + (p2 - second.low) ** 2)
    return Difference(difference, max(-1.0, low), min(1.0, high))
