"""Limits of a survival curve where it is 1 or 0, or where few events came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from workbench.stats.distributions import beta_quantile
from workbench.stats.rates import Interval, z_of
from workbench.stats.survival import checked

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def beta_product(
    durations: ArrayLike, observed: ArrayLike, *, times: Sequence[float], confidence: float = 0.95
) -> list[Interval]:
    """Return limits of the survival curve that exist everywhere.

    Parameters
    ----------
    durations, observed : array_like, shape (n,)
        As :func:`workbench.stats.survival.kaplan_meier` takes them.
    times : sequence of float
        Where the limits are wanted, in seconds.
    confidence : float, default 0.95
        Two-sided level at each time.

    Returns
    -------
    list of Interval
        One a time, in 0..1; (0, 1) where nobody is at risk and no event came.

    Raises
    ------
    UsageError
        When the durations do not fit the flags.

    Notes
    -----
    Fay, Brittain and Proschan 2013, Biostatistics 14:723-736, by the method of moments: the upper limit is read
    from the product of beta(n - d + 1, d) over the events, the lower from that times beta(n(t), 1), n(t) at risk
    after the time. Without censoring these are Clopper-Pearson limits; with nothing but censoring,
    ``[(alpha/2) ** (1/n), 1]``.

    Examples
    --------
    >>> [interval] = beta_product([1, 2, 2, 3], [False] * 4, times=[2.5])
    >>> round(interval.low, 6), interval.high
    (0.025, 1.0)
    """
    durations_, came = checked(durations, observed)
    z_of(confidence)  # refuses a level out of range
    tail = (1.0 - confidence) / 2
    at, events = np.unique(durations_[came], return_counts=True)
    at_risk = len(durations_) - np.searchsorted(np.sort(durations_), at, side="left")
    found = []
    for time in times:
        before = at <= time
        a, b = (at_risk - events + 1)[before].astype(float), events[before].astype(float)
        left = int((durations_ > time).sum())
        low = _quantile(tail, np.append(a, left), np.append(b, 1.0)) if left else 0.0
        found.append(Interval(low, _quantile(1.0 - tail, a, b)))
    return found


def _quantile(p: float, a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """A quantile of a product of betas, as that of the beta with its mean and variance."""
    if not len(a):
        return 1.0
    mean = float(np.prod(a / (a + b)))
    square = float(np.prod(a * (a + 1) / ((a + b) * (a + b + 1))))
    weight = (mean - square) / (square - mean**2)
    return beta_quantile(p, mean * weight, b=(1.0 - mean) * weight)
