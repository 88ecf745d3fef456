"""Errors as distributions: signed and absolute, in milliseconds, with intervals that draw whole calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from workbench.plural import plural
from workbench.stats.resampling import FEWEST_CLUSTERS, draws, ends, numbered, quantiles

if TYPE_CHECKING:
    from numpy.typing import NDArray

REPLICATES = 2000


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Where values lie, in ms. Quantiles are linear between order statistics; None where there is no value."""

    median: float | None = None
    p90: float | None = None
    mean: float | None = None
    min: float | None = None
    max: float | None = None
    median_interval: tuple[float, float] | None = None
    p90_interval: tuple[float, float] | None = None


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    """Errors of one signal: how many, of how many calls, how many were missed, and where they lie.

    `reason` says why there are no values, or no intervals.
    """

    n: int
    calls: int
    missed: int
    signed: Spread
    absolute: Spread
    reason: str | None = None


def distribution(errors: Sequence[Mapping[str, Any]], *, missed: int = 0) -> Distribution:
    """Return the distribution of the errors of one signal.

    Parameters
    ----------
    errors : sequence of mapping
        `call_id` and `error_ms`; empty gives a distribution of nulls with the reason.
    missed : int
        Values that the truth has and the measurement lacks.

    Returns
    -------
    Distribution
        Intervals at 95 %, by the percentile bootstrap over calls (2,000 draws, seeded by the calls' ids); none
        with fewer than three calls.
    """
    if not errors:
        why = "no value was measured" if missed else "the truth holds no such moment"
        return Distribution(n=0, calls=0, missed=missed, signed=Spread(), absolute=Spread(), reason=why)
    values = np.array([row["error_ms"] for row in errors], np.float64)
    names, which = numbered([row["call_id"] for row in errors])
    counts = draws(names, replicates=REPLICATES) if len(names) >= FEWEST_CLUSTERS else None
    few = f"no intervals: {plural(len(names), 'call')}, {FEWEST_CLUSTERS} at least are needed"
    return Distribution(
        n=len(values),
        calls=len(names),
        missed=missed,
        signed=_spread(values, which, counts),
        absolute=_spread(np.abs(values), which, counts),
        reason=few if counts is None else None,
    )


def _spread(values: NDArray[np.float64], which: NDArray[np.int64], counts: NDArray[np.int64] | None) -> Spread:
    intervals: dict[str, Any] = {}
    for name, p in (("median_interval", 0.5), ("p90_interval", 0.9)):
        if counts is not None:
            low, high = ends(quantiles(values, which, p=p, counts=counts))
            intervals[name] = (round(low, 3), round(high, 3))
    median, p90 = np.quantile(values, [0.5, 0.9])
    facts: dict[str, Any] = {
        "median": median,
        "p90": p90,
        "mean": values.mean(),
        "min": values.min(),
        "max": values.max(),
    }
    rounded: dict[str, Any] = {name: round(float(value), 3) for name, value in facts.items()}
    return Spread(**rounded, **intervals)
