"""A ratio of sums over calls, such as the share of speech that was talk-over, and how sure it is.

**Conventions.** One numerator and one denominator a call: sums over the call. The ratio is that of the totals, not
the mean of the calls' ratios, so a call counts by its length. A ratio may exceed 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.errors import UsageError
from workbench.stats.distributions import t_quantile
from workbench.stats.rates import Interval, z_of
from workbench.stats.resampling import FEWEST_CLUSTERS, ends

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Ratio(NamedTuple):
    """A ratio with its linearised standard error; limits None for fewer than three calls or no spread."""

    ratio: float
    se: float
    df: int
    low: float | None
    high: float | None


def ratio_of_sums(
    numerators: Sequence[float], denominators: Sequence[float], *, confidence: float = 0.95
) -> Ratio | None:
    """Return a ratio of sums with its linearised interval.

    Parameters
    ----------
    numerators, denominators : sequence of float, shape (calls,)
        Sums of each call; denominators at least 0.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    Ratio or None
        None where the denominators add up to 0: there is no rate.

    Raises
    ------
    UsageError
        When the lengths differ or a denominator is negative.

    Notes
    -----
    ``se^2 = G/(G-1) sum (x - r w)^2 / (sum w)^2``, limits ``r +- t(G - 1) se`` (Cochran 1977, Sampling
    Techniques, section 6.3); G calls, at least 3. They may leave the range of the ratio.

    Examples
    --------
    >>> found = ratio_of_sums([3, 0, 7, 2, 5, 1], [40, 25, 61, 33, 48, 20])
    >>> round(found.ratio, 4), round(found.low, 4), round(found.high, 4)
    (0.0793, 0.0386, 0.12)
    """
    x, w = _checked(numerators, denominators)
    z_of(confidence)  # refuses a level out of range
    whole, count = float(w.sum()), len(w)
    if not whole:
        return None
    ratio = float(x.sum()) / whole
    if count < 2:
        return Ratio(ratio, 0.0, 0, None, None)
    se = sqrt(count / (count - 1) * float(((x - ratio * w) ** 2).sum())) / whole
    if count < FEWEST_CLUSTERS or se <= 1e-15:
        return Ratio(ratio, se, count - 1, None, None)
    reach = t_quantile(0.5 + confidence / 2, count - 1) * se
    return Ratio(ratio, se, count - 1, ratio - reach, ratio + reach)


def bootstrap_t(
    numerators: Sequence[float],
    denominators: Sequence[float],
    *,
    counts: NDArray[np.int64],
    confidence: float = 0.95,
) -> Interval | None:
    """Return the studentised bootstrap interval of a ratio of sums, which holds its level with few calls.

    Parameters
    ----------
    numerators, denominators : sequence of float, shape (calls,)
        As :func:`ratio_of_sums` takes them.
    counts : numpy.ndarray of int64, shape (replicates, calls)
        How often each call is drawn: :func:`workbench.stats.resampling.draws`.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    Interval or None
        None where :func:`ratio_of_sums` gives no limits, or a limit would be infinite.

    Raises
    ------
    UsageError
        As :func:`ratio_of_sums`.

    Notes
    -----
    ``r - t*(1 - alpha/2) se .. r - t*(alpha/2) se`` with ``t* = (r* - r) / se*`` (Efron and Tibshirani 1993,
    section 12.5). A replicate without spread counts as infinite.
    """
    found = ratio_of_sums(numerators, denominators, confidence=confidence)
    if found is None or found.low is None:
        return None
    x, w = _checked(numerators, denominators)
    sum_x, sum_w = counts @ x, counts @ w
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = sum_x / sum_w
        squares = counts @ x**2 - 2 * ratios * (counts @ (x * w)) + ratios**2 * (counts @ w**2)
        se = np.sqrt(np.maximum(squares, 0.0) * len(x) / (len(x) - 1)) / sum_w
        off = ratios - found.ratio
        single = counts.max(axis=1) == len(x)
        t = np.where(single | (se <= 1e-12 * np.abs(ratios)), np.sign(off) * np.inf, off / se)
    low, high = ends(np.where(np.isnan(t), 0.0, t), confidence=confidence)
    if not np.isfinite([low, high]).all():
        return None
    return Interval(found.ratio - high * found.se, found.ratio - low * found.se)


def _checked(
    numerators: Sequence[float], denominators: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, w = np.asarray(numerators, np.float64), np.asarray(denominators, np.float64)
    if x.shape != w.shape or x.ndim != 1:
        raise UsageError(f"{x.size} numerators and {w.size} denominators", hint="give one of each for every call")
    if (w < 0).any():
        raise UsageError("a denominator is negative", hint="lengths and counts are at least 0")
    return x, w
