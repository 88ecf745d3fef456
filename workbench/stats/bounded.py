"""Limits that stay within the range of what they bound: of a mean up to a horizon, and of a rate over calls."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, log

from workbench.errors import UsageError
from workbench.stats.distributions import t_quantile
from workbench.stats.rates import Interval, wilson_of, z_of
from workbench.stats.ratios import ratio_of_sums
from workbench.stats.resampling import FEWEST_CLUSTERS


def within(mean: float, se: float, *, most: float, confidence: float = 0.95) -> Interval | None:
    """Return limits of a mean that can only lie between 0 and a horizon, made on the logit scale.

    Parameters
    ----------
    mean, se : float
        The mean and its standard error, in the unit of `most`.
    most : float
        The horizon, above 0: that of a restricted mean.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    Interval or None
        Above 0 and below `most`; None where the mean lies on either, or without a standard error.

    Raises
    ------
    UsageError
        When `confidence` is out of range.

    Notes
    -----
    With ``g = log(m / (tau - m))`` the delta method gives ``se(g) = se tau / (m (tau - m))``; the limits
    ``g +- z se(g)`` are turned back (Agresti 2013, Categorical Data Analysis, 3.1.6, of a share).

    Examples
    --------
    >>> low, high = within(0.505, 0.35, most=1.01)
    >>> round(low, 3), round(high, 3)
    (0.063, 0.947)
    """
    reach = z_of(confidence)
    if not 0.0 < mean < most or not se > 0.0:
        return None
    middle, off = log(mean / (most - mean)), reach * se * most / (mean * (most - mean))
    return Interval(most / (1.0 + exp(min(700.0, off - middle))), most / (1.0 + exp(max(-700.0, -off - middle))))


def wilson_over_calls(successes: Sequence[int], trials: Sequence[int], *, confidence: float = 0.95) -> Interval | None:
    """Return the Wilson interval of a rate whose trials lie in calls, at the effective number of trials.

    Parameters
    ----------
    successes, trials : sequence of int, shape (calls,)
        Counts of each call; one without a trial is left out.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    Interval or None
        Above 0 where a success was seen, below 1 where a failure was; None for fewer than three calls or no trials.
        Where all pass, or none, each call is one trial.

    Raises
    ------
    UsageError
        When the counts contradict each other.

    Notes
    -----
    The design effect is the squared linearised standard error of the ratio of sums over ``p (1 - p) / N``, at least
    1; the effective number ``N / deff`` is multiplied with ``(z / t(G - 1))^2`` for G calls, as few calls say little
    of how much they differ (Korn and Graubard 1998, Surv. Methodol. 24:193-201; Dean and Pagano 2015, J. Surv.
    Stat. Methodol. 3:484-503).
    """
    if any(not 0 <= good <= all_ for good, all_ in zip(successes, trials, strict=True)):
        raise UsageError("a call has more successes than trials", hint="0 <= successes <= trials")
    asked = [(good, all_) for good, all_ in zip(successes, trials, strict=True) if all_]
    successes, trials = [good for good, _ in asked], [all_ for _, all_ in asked]
    found = ratio_of_sums(successes, trials, confidence=confidence)
    calls, count, passed = len(trials), sum(trials), sum(successes)
    if found is None or calls < FEWEST_CLUSTERS:
        return None
    if passed in (0, count):
        return wilson_of(passed / count, float(calls), confidence=confidence)
    alone = found.ratio * (1.0 - found.ratio) / count
    effect = max(1.0, found.se**2 / alone)
    few = z_of(confidence) / t_quantile(0.5 + confidence / 2, calls - 1)
    return wilson_of(found.ratio, count / effect * few**2, confidence=confidence)
