"""The bootstrap that draws whole calls: quantiles, restricted means and ratios of sums in every replicate.

Moments of one call are not independent, so calls are drawn and not moments. The draws come from a seed made of
the calls' ids: the same calls always give the same limits.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from math import ceil
from typing import TYPE_CHECKING

import numpy as np

from workbench.errors import UsageError
from workbench.stats.rates import Interval

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST_CLUSTERS = 3
"""Of fewer calls no interval is given."""

NARROW_CLUSTERS = 40
"""Of fewer calls intervals over calls are too narrow."""

_AT_ONCE = 200_000


def narrow(cluster_count: int) -> str | None:
    """Return what speaks against intervals over so few calls.

    Parameters
    ----------
    cluster_count : int
        Calls that were drawn from, at least 0.

    Returns
    -------
    str or None
        None from 40 calls on.
    """
    few = cluster_count < NARROW_CLUSTERS
    return f"fewer than {NARROW_CLUSTERS} calls: the bounds are too narrow" if few else None


def numbered(clusters: Sequence[str]) -> tuple[list[str], NDArray[np.int64]]:
    """Return the distinct clusters in order, and the position of each value's cluster among them.

    Parameters
    ----------
    clusters : sequence of str, shape (n,)

    Returns
    -------
    tuple of list of str and numpy.ndarray of int64, shape (n,)
    """
    names, which = np.unique(np.asarray(clusters, dtype=object).astype(str), return_inverse=True)
    return names.tolist(), which.astype(np.int64)


def draws(clusters: Sequence[str], *, replicates: int = 2000) -> NDArray[np.int64]:
    """Return how often each cluster is drawn in each replicate.

    Parameters
    ----------
    clusters : sequence of str, shape (clusters,)
        Distinct ids; they make the seed, whatever their order.
    replicates : int
        Rows wanted, at least 1.

    Returns
    -------
    numpy.ndarray of int64, shape (replicates, clusters)
        Each row adds up to the number of clusters.

    Raises
    ------
    UsageError
        When there is nothing to draw.
    """
    count = len(clusters)
    if not count or replicates < 1:
        raise UsageError(f"{replicates} replicates of {count} clusters", hint="both must be at least 1")
    text = "\n".join(sorted(clusters)).encode()
    generator = np.random.default_rng(int.from_bytes(hashlib.sha256(text).digest()[:16], "big"))
    drawn = generator.integers(count, size=(replicates, count))
    drawn += np.arange(replicates)[:, None] * count
    return np.bincount(drawn.ravel(), minlength=replicates * count).reshape(replicates, count)


def quantiles(
    values: NDArray[np.float64], which: NDArray[np.int64], *, p: float, counts: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return a quantile of the pooled values in each replicate, linear between order statistics.

    Parameters
    ----------
    values : numpy.ndarray of float64, shape (n,)
    which : numpy.ndarray of int64, shape (n,)
        The cluster of each value.
    p : float
        0..1.
    counts : numpy.ndarray of int64, shape (replicates, clusters)
        From :func:`draws`; every cluster holds a value.

    Returns
    -------
    numpy.ndarray of float64, shape (replicates,)
    """
    order = np.argsort(values, kind="stable")
    ranked, which = values[order], which[order]
    found = []
    for some in _pieces(counts, len(values)):
        upto = np.cumsum(some[:, which], axis=1)
        at = p * (upto[:, -1:] - 1)
        below, above = ((upto <= rank).sum(axis=1) for rank in (np.floor(at + 1e-9), np.ceil(at - 1e-9)))
        part = np.clip(at[:, 0] - np.floor(at[:, 0] + 1e-9), 0.0, 1.0)
        found.append(ranked[below] + part * (ranked[above] - ranked[below]))
    return np.concatenate(found)


def survivals(
    durations: NDArray[np.float64],
    observed: NDArray[np.bool_],
    *,
    which: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the Kaplan-Meier curve of each replicate.

    Parameters
    ----------
    durations, observed : numpy.ndarray, shape (n,)
        Seconds, and whether the event came.
    which : numpy.ndarray of int64, shape (n,)
        The cluster of each.
    counts : numpy.ndarray of int64, shape (replicates, clusters)
        From :func:`draws`.

    Returns
    -------
    tuple of numpy.ndarray of float64
        Event times, shape (times,), and the share without the event from each on, shape (replicates, times).
        Past the last time that a replicate observed, its curve stays as it is.
    """
    times = np.unique(durations[observed])
    order = np.argsort(durations, kind="stable")
    came = observed[order].astype(np.int64)
    first, after = (np.searchsorted(durations[order], times, side=side) for side in ("left", "right"))
    drawn = [np.ones((0, len(times)))]
    for some in _pieces(counts, max(1, len(durations))):
        weight = some[:, which[order]]
        upto, ended = (np.cumsum(np.pad(part, ((0, 0), (1, 0))), axis=1) for part in (weight, weight * came))
        at_risk = upto[:, -1:] - upto[:, first]
        events = ended[:, after] - ended[:, first]
        drawn.append(np.cumprod(1.0 - events / np.maximum(at_risk, 1), axis=1))
    return times, np.concatenate(drawn)


def survival_quantiles(times: NDArray[np.float64], survival: NDArray[np.float64], *, p: float) -> NDArray[np.float64]:
    """Return the time by which a share `p` have had the event, in each replicate.

    Parameters
    ----------
    times, survival : numpy.ndarray of float64
        From :func:`survivals`.
    p : float
        Above 0 and below 1.

    Returns
    -------
    numpy.ndarray of float64, shape (replicates,)
        Infinite where the curve does not fall so far.
    """
    below = survival <= 1.0 - p + 1e-12
    return np.where(below.any(axis=1), times[np.argmax(below, axis=1)], np.inf)


def restricted_means(times: NDArray[np.float64], survival: NDArray[np.float64], *, tau_s: float) -> NDArray[np.float64]:
    """Return the area under each replicate's curve up to `tau_s`.

    Parameters
    ----------
    times, survival : numpy.ndarray of float64
        From :func:`survivals`.
    tau_s : float
        In seconds.

    Returns
    -------
    numpy.ndarray of float64, shape (replicates,)
    """
    inside = times < tau_s
    lengths = np.diff(np.concatenate([[0.0], times[inside], [tau_s]]))
    area: NDArray[np.float64] = lengths[0] + survival[:, inside] @ lengths[1:]
    return area


def ends(replicates: NDArray[np.float64], *, confidence: float = 0.95) -> Interval:
    """Return the percentile interval: the smallest replicates whose distribution function reaches both levels.

    Parameters
    ----------
    replicates : numpy.ndarray of float64, shape (replicates,)
        At least one; infinite ones have their place at the ends.
    confidence : float, default 0.95
        Two-sided level.

    Returns
    -------
    Interval
    """
    ranked, count = np.sort(replicates), len(replicates)
    tail = (1.0 - confidence) / 2
    low, high = (float(ranked[max(1, ceil(round(p * count, 9))) - 1]) for p in (tail, 1.0 - tail))
    return Interval(low, high)


def _pieces(counts: NDArray[np.int64], width: int) -> list[NDArray[np.int64]]:
    """Replicates in pieces that take little memory."""
    rows = max(1, _AT_ONCE // max(1, width))
    return [counts[at : at + rows] for at in range(0, len(counts), rows)]
