"""Quantiles and tails of the distributions that intervals are read from, without a statistics package.

**Conventions.** Probabilities in 0..1. Degrees of freedom are whole numbers of at least 1. The regularised
incomplete beta function is the continued fraction DLMF 8.17.22; a quantile is found by halving.
"""

from __future__ import annotations

from functools import lru_cache
from math import erfc, exp, lgamma, log, log1p, pi, sqrt

from workbench.errors import UsageError

_TINY = 1e-300
_STEPS = 500


def beta_below(x: float, a: float, *, b: float) -> float:
    """Return the probability that a beta variable lies below `x`: the regularised incomplete beta function.

    Parameters
    ----------
    x : float
        0..1.
    a, b : float
        Shapes, above 0.

    Returns
    -------
    float
        0..1, to about 1e-14.

    Raises
    ------
    UsageError
        When a shape is not above 0.
    """
    if not (a > 0 and b > 0):
        raise UsageError(f"the shapes of a beta distribution are {a} and {b}", hint="both are above 0")
    if x <= 0.0 or x >= 1.0:
        return 0.0 if x <= 0.0 else 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1.0 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction by the method of Lentz."""
    above, below = 1.0, 1.0 - (a + b) * x / (a + 1)
    below = 1.0 / (below if abs(below) > _TINY else _TINY)
    value = below
    for m in range(1, _STEPS):
        for step in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            below = 1.0 + step * below
            below = 1.0 / (below if abs(below) > _TINY else _TINY)
            above = 1.0 + step / above
            above = above if abs(above) > _TINY else _TINY
            value *= below * above
        if abs(below * above - 1.0) < 1e-16:
            break
    return value


@lru_cache(maxsize=4096)
def beta_quantile(p: float, a: float, *, b: float) -> float:
    """Return the value below which a beta variable lies with probability `p`.

    Parameters
    ----------
    p : float
        0..1.
    a, b : float
        Shapes, above 0.

    Returns
    -------
    float
        0..1.

    Raises
    ------
    UsageError
        When a shape is not above 0.
    """
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if beta_below(middle, a, b=b) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def t_quantile(p: float, df: int) -> float:
    """Return a quantile of Student's t distribution.

    Parameters
    ----------
    p : float
        Above 0 and below 1.
    df : int
        Degrees of freedom, at least 1.

    Returns
    -------
    float

    Raises
    ------
    UsageError
        When `p` or `df` is out of range.

    Notes
    -----
    With X beta(df/2, 1/2) and p above a half, ``t = sqrt(df (1/x - 1))`` where P(X < x) = 2 (1 - p).

    Examples
    --------
    >>> round(t_quantile(0.975, 5), 6)
    2.570582
    """
    if not 0.0 < p < 1.0 or df < 1:
        raise UsageError(f"there is no quantile {p} of t with {df} degrees of freedom", hint="0 < p < 1, df >= 1")
    if p < 0.5:
        return -t_quantile(1.0 - p, df)
    x = beta_quantile(2 * (1.0 - p), df / 2, b=0.5)
    return sqrt(df * (1.0 - x) / x)


def chi_square_above(x: float, df: int) -> float:
    """Return the probability that a chi-square variable is at least `x`.

    Parameters
    ----------
    x : float
        At least 0.
    df : int
        Degrees of freedom, at least 1.

    Returns
    -------
    float
        0..1.

    Raises
    ------
    UsageError
        When `x` or `df` is out of range.

    Notes
    -----
    Closed sums for whole degrees of freedom: Abramowitz and Stegun 26.4.4 and 26.4.5.

    Examples
    --------
    >>> round(chi_square_above(3.841458820694124, 1), 6)
    0.05
    """
    if not x >= 0 or df < 1:
        raise UsageError(f"chi-square {x} with {df} degrees of freedom", hint="x >= 0, df >= 1")
    half = x / 2
    if df % 2 == 0:
        term, total = 1.0, 1.0
        for k in range(1, df // 2):
            term *= half / k
            total += term
        return min(1.0, exp(-half) * total)
    term, total = sqrt(2 * x / pi), 0.0
    for k in range(1, (df - 1) // 2 + 1):
        total += term
        term *= x / (2 * k + 1)
    return min(1.0, erfc(sqrt(half)) + exp(-half) * total)
