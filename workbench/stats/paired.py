"""Two yes-no verdicts on the same calls.

**Conventions.** ``both``, ``first_only``, ``second_only`` and ``neither`` count the pairs; only pairs with a
verdict on both sides count. Differences are first minus second, ``(first_only - second_only) / n``. The
pairs must be independent: several pairs of one call need a method for clusters.
"""

from __future__ import annotations

from collections.abc import Callable
from math import comb, sqrt
from typing import NamedTuple

from workbench.errors import UsageError
from workbench.stats.rates import Difference, wilson, z_of


class McNemar(NamedTuple):
    """Two-sided p values of McNemar's test."""

    p_exact: float
    p_midp: float


def mcnemar(first_only: int, second_only: int) -> McNemar:
    """Test whether discordant pairs fall evenly on both sides.

    Parameters
    ----------
    first_only, second_only : int
        Discordant pairs, at least 0.

    Returns
    -------
    McNemar
        Exact and mid-p values, both 1 for equal counts. No discordant pair gives 1, which is no evidence,
        not a proof of equality.

    Raises
    ------
    UsageError
        For a negative count.

    Notes
    -----
    ``p = min(1, 2 P(X <= min))`` with X binomial(first_only + second_only, 1/2); mid-p takes off
    P(X = min) once. Fagerland, Lydersen and Laake 2013, BMC Med. Res. Methodol. 13:91. Six pairs, all one
    way, are the fewest with an exact p below 0.05.

    Examples
    --------
    >>> mcnemar(1, 7)
    McNemar(p_exact=0.0703125, p_midp=0.0390625)
    """
    _counts(first_only, second_only)
    if first_only == second_only:
        return McNemar(1.0, 1.0)
    pairs, fewer = first_only + second_only, min(first_only, second_only)
    tail = sum(comb(pairs, k) for k in range(fewer + 1))
    at = comb(pairs, fewer)
    whole = 2**pairs
    return McNemar(min(1.0, 2 * tail / whole), min(1.0, (2 * tail - at) / whole))


def tango(*, both: int, first_only: int, second_only: int, neither: int, confidence: float = 0.95) -> Difference | None:
    """Return the difference of two paired rates with Tango's score interval.

    Parameters
    ----------
    both, first_only, second_only, neither : int
        Pairs by outcome.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    Difference or None
        First minus second; never of zero width; None without pairs.

    Raises
    ------
    UsageError
        For a negative count.

    Notes
    -----
    Tango 1998, Stat. Med. 17:891-908: all D whose score statistic lies within the normal quantile, found
    by bisection. Depends on the discordant counts and the number of pairs only. With no discordant pair
    it is plus and minus ``z2 / (n + z2)``.
    """
    _counts(both, first_only, second_only, neither)
    pairs = both + first_only + second_only + neither
    if pairs == 0:
        return None
    z = z_of(confidence)
    difference = (first_only - second_only) / pairs

    def outside(delta: float) -> bool:
        return abs(_score(delta, first_only=first_only, second_only=second_only, pairs=pairs)) > z

    return Difference(
        difference,
        _limit(outside, inside=difference, end=-1.0),
        _limit(outside, inside=difference, end=1.0),
    )


def newcombe_paired(
    *, both: int, first_only: int, second_only: int, neither: int, confidence: float = 0.95
) -> Difference | None:
    """Return the difference of two paired rates with Newcombe's hybrid score interval.

    Parameters
    ----------
    both, first_only, second_only, neither : int
        Pairs by outcome.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    Difference or None
        First minus second, limits clamped to -1..1; None without pairs.

    Raises
    ------
    UsageError
        For a negative count.

    Notes
    -----
    Newcombe 1998, Stat. Med. 17:2635-2650, method 10: the correlation is 0 where a margin is 0, and its
    numerator is lessened by n/2, not below 0, where positive.
    """
    _counts(both, first_only, second_only, neither)
    pairs = both + first_only + second_only + neither
    first = wilson(both + first_only, pairs, confidence=confidence)
    second = wilson(both + second_only, pairs, confidence=confidence)
    if first is None or second is None:
        return None
    p1, p2 = (both + first_only) / pairs, (both + second_only) / pairs
    margins = (both + first_only) * (second_only + neither) * (both + second_only) * (first_only + neither)
    cross = float(both * neither - first_only * second_only)
    if cross > 0:
        cross = max(cross - pairs / 2, 0.0)
    phi = cross / sqrt(margins) if margins else 0.0
    down1, up1, down2, up2 = p1 - first.low, first.high - p1, p2 - second.low, second.high - p2
    low = p1 - p2 - sqrt(max(0.0, down1**2 - 2 * phi * down1 * up2 + up2**2))
    high = p1 - p2 + sqrt(max(0.0, up1**2 - 2 * phi * up1 * down2 + down2**2))
    return Difference((first_only - second_only) / pairs, max(-1.0, low), min(1.0, high))


def _counts(*counts: int) -> None:
    if min(counts) < 0:
        raise UsageError(f"counts of pairs are {counts}", hint="a count is 0 or more")


def _score(delta: float, *, first_only: int, second_only: int, pairs: int) -> float:
    """Return Tango's score statistic for a supposed difference."""
    a = 2 * pairs
    b = -first_only - second_only + (2 * pairs - first_only + second_only) * delta
    c = -second_only * delta * (1 - delta)
    q = (sqrt(max(0.0, b * b - 4 * a * c)) - b) / (2 * a)
    variance = pairs * (2 * q + delta * (1 - delta))
    distance = first_only - second_only - pairs * delta
    if variance <= 0.0:
        return 0.0 if distance == 0 else float("inf")
    return distance / sqrt(variance)


def _limit(outside: Callable[[float], bool], *, inside: float, end: float) -> float:
    """Return where the score leaves the band between a point inside it and an end of -1..1."""
    if not outside(end):
        return end
    near, far = inside, end
    for _ in range(200):
        middle = (near + far) / 2
        if outside(middle):
            far = middle
        else:
            near = middle
    return (near + far) / 2
