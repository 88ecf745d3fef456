"""A straight line through points of which some are wrong: the median of all slopes (Theil 1950, Sen 1968)."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.errors import UsageError
from workbench.stats.rates import z_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Line(NamedTuple):
    """A line ``intercept + slope * x``; the limits of the slope are None where there are too few points for any."""

    slope: float
    intercept: float
    slope_low: float | None
    slope_high: float | None
    n: int


def theil_sen(x: ArrayLike, y: ArrayLike, *, confidence: float = 0.95) -> Line:
    """Fit a line that up to 29 % of wrong points do not move.

    Parameters
    ----------
    x, y : array_like of float, shape (n,)
        At least two points with different `x`; finite.
    confidence : float
        Level of the limits, between 0 and 1.

    Returns
    -------
    Line
        `slope`: median of ``(y_j - y_i) / (x_j - x_i)`` over all pairs with different `x`. `intercept`: median of
        ``y - slope * x``, in the middle of the residuals (`method="joint"` in SciPy). Limits of the slope by Sen
        (1968), eq. 2.6, with Kendall's variance, corrected for ties.

    Raises
    ------
    UsageError
        For fewer than two different `x`, unequal lengths or numbers that are not finite.
    """
    at, value = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    if at.ndim != 1 or at.shape != value.shape or not (np.isfinite(at).all() and np.isfinite(value).all()):
        raise UsageError(f"a line needs as many finite x as y, got shapes {at.shape} and {value.shape}")
    if len(np.unique(at)) < 2:
        raise UsageError("a line needs two points with different x")
    before, after = np.triu_indices(len(at), 1)
    run = at[after] - at[before]
    slopes = np.sort((value[after] - value[before])[run != 0] / run[run != 0])
    slope = float(np.median(slopes))
    low, high = _limits(slopes, at, value, confidence=confidence)
    return Line(slope, float(np.median(value - slope * at)), low, high, len(at))


def _limits(
    slopes: NDArray[np.float64], at: NDArray[np.float64], value: NDArray[np.float64], *, confidence: float
) -> tuple[float | None, float | None]:
    n = len(at)
    ties = sum(
        int(count * (count - 1) * (2 * count + 5))
        for numbers in (at, value)
        for count in np.unique(numbers, return_counts=True)[1]
    )
    variance = (n * (n - 1) * (2 * n + 5) - ties) / 18
    if variance <= 0:
        return None, None
    half = z_of(confidence) * sqrt(variance)
    lower, upper = round((len(slopes) - half) / 2) - 1, round((len(slopes) + half) / 2)
    if lower < 0 or upper > len(slopes) - 1:
        return None, None  # more pairs are needed than there are
    return float(slopes[lower]), float(slopes[upper])
