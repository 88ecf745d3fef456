"""Up to where restricted means of several groups can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.stats.survival import checked

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def horizon(groups: Sequence[tuple[ArrayLike, ArrayLike]]) -> float:
    """Return the longest time up to which the survival curve of every group is known.

    Parameters
    ----------
    groups : sequence of (durations, observed)
        At least one, each as :func:`workbench.stats.survival.kaplan_meier` takes them and with at least one duration.

    Returns
    -------
    float
        In seconds. A group whose longest time ended with its event has a curve of 0 from there on, and is known at
        any time; one whose longest time is censored, or one of several that are as long, is known up to it. The
        shortest of the latter, else the longest time of all: the rule of rmst2 of the R package survRM2.

    Raises
    ------
    UsageError
        When durations and flags differ in length, or a duration is negative or not finite.

    Examples
    --------
    >>> horizon([([0.3, 0.4], [True, True]), ([3.0], [False])])
    3.0
    """
    ends = []
    for durations, observed in groups:
        times, came = checked(durations, observed)
        longest = float(times.max())
        ends.append((longest, bool(came[times == longest].all())))
    return min((at for at, ended in ends if not ended), default=max(at for at, _ in ends))
