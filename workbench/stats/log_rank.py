"""The log-rank test: whether times until an event differ between groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from workbench.errors import UsageError
from workbench.plural import plural
from workbench.stats.distributions import chi_square_above
from workbench.stats.survival import checked

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class LogRank(NamedTuple):
    """Chi-square with its degrees of freedom, and the events that came and were expected in each group."""

    chi2: float
    df: int
    p: float
    groups: tuple[str, ...]
    observed: tuple[int, ...]
    expected: tuple[float, ...]


def log_rank(durations: ArrayLike, observed: ArrayLike, *, groups: Sequence[str]) -> LogRank | None:
    """Test whether the curves of two or more groups are one.

    Parameters
    ----------
    durations, observed : array_like, shape (n,)
        As :func:`workbench.stats.survival.kaplan_meier` takes them.
    groups : sequence of str, shape (n,)
        The group of each.

    Returns
    -------
    LogRank or None
        Groups in the order of their names. None where there is nothing to test: no event, or fewer than two
        groups at risk when events came.

    Raises
    ------
    UsageError
        When the lengths differ.

    Notes
    -----
    Observed less expected events over all event times, hypergeometric variance with ties, no continuity
    correction (Mantel 1966, Cancer Chemother. Rep. 50:163-170). It weighs all times alike and is weak where
    curves cross; moments of one call depend on each other, which it does not know.
    """
    times, came = checked(durations, observed)
    if len(groups) != len(times):
        raise UsageError(
            f"{plural(len(groups), 'group')} for {plural(len(times), 'duration')}",
            hint="give one group for each duration",
        )
    names, which = np.unique(np.asarray(groups, dtype=object).astype(str), return_inverse=True)
    if not came.any():
        return None
    at = np.unique(times[came])
    member = which == np.arange(len(names))[:, None]
    at_risk = np.stack([(times[each] >= at[:, None]).sum(axis=1) for each in member])  # (groups, times)
    events = np.stack([(times[each & came] == at[:, None]).sum(axis=1) for each in member])
    n, d = at_risk.sum(axis=0), events.sum(axis=0)
    expected = (at_risk * d / n).sum(axis=1)
    share = at_risk / n
    factor = d * (n - d) / np.maximum(n - 1, 1)
    variance = np.diag((share * factor).sum(axis=1)) - (share * factor) @ share.T
    kept = np.flatnonzero(np.diag(variance) > 1e-12)
    if len(kept) < 2:
        return None
    off = (events.sum(axis=1) - expected)[kept[:-1]]
    chi2 = float(off @ np.linalg.solve(variance[np.ix_(kept[:-1], kept[:-1])], off))
    return LogRank(
        chi2=chi2,
        df=len(kept) - 1,
        p=chi_square_above(max(0.0, chi2), len(kept) - 1),
        groups=tuple(names.tolist()),
        observed=tuple(events.sum(axis=1).tolist()),
        expected=tuple(expected.tolist()),
    )
