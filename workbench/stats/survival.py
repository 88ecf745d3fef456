"""Times until something that may not happen: Kaplan-Meier, its quantiles, and restricted means.

**Conventions.** ``durations`` are seconds from a start, at least 0; ``observed`` says of each whether it ended
with the event, else it is censored: the event had not come when observation stopped. What is censored at a time
is still at risk at that time. A number that the data cannot give is ``None``, never 0 and never the last time.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.decimals import decimals
from workbench.errors import UsageError
from workbench.plural import plural
from workbench.stats.rates import z_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class Curve(NamedTuple):
    """A survival curve at its event times, with the log-log limits where they exist, else NaN.

    `survival` holds from each time up to the next; before the first it is 1. `n` are all durations,
    `event_count` those that ended with the event, `last_s` the longest of all.
    """

    time_s: NDArray[np.float64]
    at_risk: NDArray[np.int64]
    events: NDArray[np.int64]
    survival: NDArray[np.float64]
    se: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    n: int
    event_count: int
    last_s: float


class Quantile(NamedTuple):
    """A quantile of times with its limits; None where the curve, or its band, does not fall so far."""

    estimate: float | None
    low: float | None
    high: float | None


class RestrictedMean(NamedTuple):
    """Mean time up to `tau`; limits None where no event came before it, which is no certainty."""

    mean: float
    se: float
    low: float | None
    high: float | None


def kaplan_meier(durations: ArrayLike, observed: ArrayLike, *, confidence: float = 0.95) -> Curve:
    """Return the Kaplan-Meier curve with Greenwood's standard error and log-log limits.

    Parameters
    ----------
    durations : array_like of float, shape (n,)
        Seconds, at least 0.
    observed : array_like of bool, shape (n,)
        Whether the event came; False: censored.
    confidence : float, default 0.95
        Two-sided level of the limits at each time.

    Returns
    -------
    Curve
        Arrays of shape (distinct event times,); empty where no event came, also for no durations.

    Raises
    ------
    UsageError
        When the two differ in length, or a duration is negative or not finite.

    Notes
    -----
    ``S(t) = prod (1 - d/n)``, ``se = S sqrt(sum d / (n (n - d)))`` (Kaplan and Meier 1958, J. Am. Stat. Assoc.
    53:457-481; Greenwood 1926), limits ``S ** exp(+-z se / (S |log S|))`` (Kalbfleisch and Prentice 1980).
    Where S = 0 neither se nor limits exist: see :func:`workbench.stats.beta_product.beta_product`.

    Examples
    --------
    >>> curve = kaplan_meier([0.4, 0.9, 2.0], [True, True, False])
    >>> curve.survival.round(3).tolist(), curve.at_risk.tolist()
    ([0.667, 0.333], [3, 2])
    """
    times, came = checked(durations, observed)
    z = z_of(confidence)
    at, events = np.unique(times[came], return_counts=True)
    at_risk = len(times) - np.searchsorted(np.sort(times), at, side="left")
    survival = np.cumprod(1.0 - events / at_risk, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(np.cumsum(events / (at_risk * (at_risk - events))))
        se = np.where(survival > 0, survival * spread, np.nan)
        reach = np.exp(z * spread / np.abs(np.log(survival)))
        low, high = (np.where(survival > 0, survival**power, np.nan) for power in (reach, 1.0 / reach))
    return Curve(
        time_s=at,
        at_risk=at_risk.astype(np.int64),
        events=events.astype(np.int64),
        survival=survival,
        se=se,
        low=low,
        high=high,
        n=len(times),
        event_count=int(came.sum()),
        last_s=float(times.max()) if len(times) else 0.0,
    )


def checked(durations: ArrayLike, observed: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return durations and flags as arrays that fit each other.

    Parameters
    ----------
    durations : array_like of float, shape (n,)
    observed : array_like of bool, shape (n,)

    Returns
    -------
    tuple of numpy.ndarray
        Of float64 and of bool.

    Raises
    ------
    UsageError
        When the two differ in length, or a duration is negative or not finite.
    """
    times, came = np.asarray(durations, np.float64), np.asarray(observed, np.bool_)
    if times.shape != came.shape or times.ndim != 1:
        raise UsageError(f"{times.size} durations and {came.size} flags", hint="give one flag for each duration")
    if not (np.isfinite(times) & (times >= 0)).all():
        raise UsageError("a duration is negative or not finite", hint="leave out what was not measured and count it")
    return times, came


def quantile(curve: Curve, p: float) -> Quantile:
    """Return the time by which a share `p` have had the event, with the limits that the band gives.

    Parameters
    ----------
    curve : Curve
        From :func:`kaplan_meier`.
    p : float
        Above 0 and below 1; 0.5 for the median.

    Returns
    -------
    Quantile
        First time with S <= 1 - p; its limits where the limits of S pass there (Brookmeyer and Crowley 1982).
        None: longer than was observed.

    Raises
    ------
    UsageError
        When `p` lies outside 0..1.
    """
    if not 0.0 < p < 1.0:
        raise UsageError(f"there is no quantile {p} of times", hint="give a share such as 0.5")
    found = [_first(curve.time_s, line, 1.0 - p) for line in (curve.survival, curve.low, curve.high)]
    return Quantile(*found)


def _first(time_s: NDArray[np.float64], line: NDArray[np.float64], level: float) -> float | None:
    with np.errstate(invalid="ignore"):
        below = np.flatnonzero(line <= level + 1e-12)
    return float(time_s[below[0]]) if len(below) else None


def restricted_mean(
    durations: ArrayLike, observed: ArrayLike, *, tau_s: float, confidence: float = 0.95
) -> RestrictedMean:
    """Return the mean time up to `tau_s`: the area under the curve.

    Parameters
    ----------
    durations, observed : array_like, shape (n,)
        As :func:`kaplan_meier` takes them; at least one.
    tau_s : float
        Where the mean ends, above 0. It must have been observed: not beyond the longest duration, unless the curve
        is 0 there, as every one of that length ended with the event.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    RestrictedMean
        Without limits where no event came before `tau_s`.

    Raises
    ------
    UsageError
        When nothing was observed up to `tau_s`.

    Notes
    -----
    Variance ``sum A^2 d / (n (n - d))``, A the area from the event to tau (Royston and Parmar 2013, BMC Med. Res.
    Methodol. 13:152).
    """
    curve = kaplan_meier(durations, observed, confidence=confidence)
    ended = curve.event_count > 0 and curve.survival[-1] == 0.0
    if not tau_s > 0 or not curve.n or (tau_s > curve.last_s and not ended):
        raise UsageError(
            f"a mean up to {decimals(tau_s)} s cannot be read from {plural(curve.n, 'duration')} "
            f"of {decimals(curve.last_s)} s at most",
            hint="choose a shorter time",
        )
    inside = curve.time_s < tau_s
    edges = np.concatenate([[0.0], curve.time_s[inside], [tau_s]])
    steps = np.concatenate([[1.0], curve.survival[inside]]) * np.diff(edges)
    after = np.cumsum(steps[::-1])[::-1][1:]
    at_risk, events = curve.at_risk[inside], curve.events[inside]
    left = np.maximum(at_risk - events, 1)  # where nobody is left the area after it is 0
    se = sqrt(float((after**2 * events / (at_risk * left)).sum()))
    mean, reach = float(steps.sum()), z_of(confidence) * se
    return RestrictedMean(mean, se, mean - reach if se else None, mean + reach if se else None)
