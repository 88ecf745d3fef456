"""Two lists of numbers laid beside each other: grouping of digits is writing, another digit is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.text.numbers import Number

Pair = tuple[list["Number"], list["Number"]]
_SINGLE, _GROUP = 10, 11
_LONGEST_GROUP = 20
_MOST = 2_500


def misaligned(ours: list[Number], theirs: list[Number]) -> list[Pair]:
    """Return the numbers that differ when two lists are aligned at the least cost.

    Parameters
    ----------
    ours, theirs : list of Number
        What `numbers.numbers` gives for two texts.

    Returns
    -------
    list of (list of Number, list of Number)
        In order. One number stands against one of another value, against several digits read one by one
        ("708" against "7 0 3"), or against nothing. Numbers of equal value, and digits that are grouped on
        one side alone ("703", "7 0 3"), are left out; empty when nothing is left. Lists too long to align
        give what stands between their common ends.

    Examples
    --------
    >>> from workbench.text.numbers import numbers
    >>> found = misaligned(numbers("703, 22nd, 25th"), numbers("seven zero three, twenty fifth"))
    >>> [([str(n.value) for n in left], [str(n.value) for n in right]) for left, right in found]
    [(['22'], [])]
    """
    if len(ours) * len(theirs) > _MOST:
        return _between_common_ends(ours, theirs)
    best: dict[tuple[int, int], tuple[int, tuple[int, int]]] = {(0, 0): (0, (0, 0))}
    for i in range(len(ours) + 1):
        for j in range(len(theirs) + 1):
            cost = best[i, j][0]
            for p, q in _steps(len(ours) - i, len(theirs) - j):
                extra = _cost(ours[i : i + p], theirs[j : j + q])
                if extra is not None and ((i + p, j + q) not in best or cost + extra < best[i + p, j + q][0]):
                    best[i + p, j + q] = (cost + extra, (p, q))
    pairs: list[Pair] = []
    at = (len(ours), len(theirs))
    while at != (0, 0):
        cost, (p, q) = best[at]
        before = (at[0] - p, at[1] - q)
        if cost > best[before][0]:
            pairs.append((ours[before[0] : at[0]], theirs[before[1] : at[1]]))
        at = before
    return pairs[::-1]


def _steps(left: int, right: int) -> list[tuple[int, int]]:
    """Return how many numbers of each side a step may take: one against one, several or none."""
    steps = [(1, 1)] if left and right else []
    if left:
        steps += [(1, q) for q in range(2, min(right, _LONGEST_GROUP) + 1)] + [(1, 0)]
    if right:
        steps += [(p, 1) for p in range(2, min(left, _LONGEST_GROUP) + 1)] + [(0, 1)]
    return steps


def _cost(ours: list[Number], theirs: list[Number]) -> int | None:
    """Return what it costs to take two groups for each other; None where it is not allowed."""
    if not ours or not theirs:
        return _SINGLE
    if len(ours) == len(theirs):
        return 0 if ours[0].value == theirs[0].value else _SINGLE
    left, right = ("".join(number.digits for number in side) for side in (ours, theirs))
    if left == right:
        return 0
    return _GROUP if len(left) == len(right) else None


def _between_common_ends(ours: list[Number], theirs: list[Number]) -> list[Pair]:
    left, right = [n.value for n in ours], [n.value for n in theirs]
    shortest = min(len(left), len(right))
    head = next((n for n in range(shortest) if left[n] != right[n]), shortest)
    rest = shortest - head
    tail = next((n for n in range(rest) if left[-1 - n] != right[-1 - n]), rest)
    pair = (ours[head : len(ours) - tail], theirs[head : len(theirs) - tail])
    return [pair] if any(pair) else []
