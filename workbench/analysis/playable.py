"""Which stretch of a call to play for a turn or a finding, or why none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

OPEN_TURN_S = 10.0
BEFORE_S, AFTER_S = 1.0, 3.0


@dataclass(frozen=True)
class Playable:
    """A stretch on the call's clock in seconds, and what to know about it; or no stretch, and why."""

    start_s: float | None
    end_s: float | None
    note: str | None


def turn_stretch(turns: pl.DataFrame, turn_ix: int, *, turn_clock: str) -> Playable:
    """Return the stretch of a turn.

    Parameters
    ----------
    turns : polars.DataFrame
        Rows of the table `turns` of one call.
    turn_ix : int
        The turn.
    turn_clock : str
        `calls.turn_clock` of the call.

    Returns
    -------
    Playable
        Exactly from start to end where the source gave both. A turn without an end goes on to the next start,
        at most 10 s; one whose clock counts whole seconds is given at least 1 s. None for a turn without a
        start, an unknown turn, and for times of generation, which are not times of speech.
    """
    import polars as pl

    found = turns.filter(pl.col("turn_ix") == turn_ix)
    if found.is_empty():
        return Playable(None, None, "there is no such turn")
    start_s, end_s = found["start_s"].item(), found["end_s"].item()
    if turn_clock == "generated":
        return Playable(None, None, "the times of this call's turns are times of generation, not of speech")
    if start_s is None:
        return Playable(None, None, "this turn has no time")
    if end_s is None:
        later = turns.filter(pl.col("start_s") > start_s)["start_s"].min()
        end_s = min(float(later), start_s + OPEN_TURN_S) if isinstance(later, float) else start_s + OPEN_TURN_S
        return Playable(start_s, end_s, "the turn has no end: played up to the next start, at most 10 s")
    if end_s - start_s < 1.0 and turn_clock in {"quantised", "ticks"}:
        return Playable(start_s, start_s + 1.0, f"the clock is {turn_clock}: at least 1 s is played")
    if end_s <= start_s:
        return Playable(start_s, start_s + 1.0, "the turn has no length: 1 s is played")
    return Playable(start_s, end_s, None)


def finding_stretch(finding: Mapping[str, Any]) -> Playable:
    """Return the stretch of a finding.

    Parameters
    ----------
    finding : mapping
        A row of the view `findings`.

    Returns
    -------
    Playable
        Exactly from start to end where it has both; for a moment, 1 s before it to 3 s after it. None without
        a time.
    """
    start_s, end_s = finding["start_s"], finding["end_s"]
    if start_s is None:
        return Playable(None, None, "this finding has no time: it speaks of the whole call, or the call has no clock")
    if end_s is None or end_s <= start_s:
        return Playable(max(0.0, start_s - BEFORE_S), start_s + AFTER_S, "a moment: 1 s before it to 3 s after it")
    return Playable(start_s, end_s, None)


def opening_stretch(findings: pl.DataFrame, *, end_s: float, step_s: float) -> list[float]:
    """Return the stretch a call opens with: its first finding of most weight, with a second around it.

    Parameters
    ----------
    findings : polars.DataFrame
        Rows of the view `findings` of one call.
    end_s : float
        Length of the call in seconds.
    step_s : float
        Start and end are multiples of it, as a slider needs.

    Returns
    -------
    list of float
        Start and end within the call; its first ten seconds where no finding has a time.
    """
    import polars as pl

    for severity in ("high", "medium", "low"):
        for row in findings.filter(pl.col("severity") == severity).sort("start_s").iter_rows(named=True):
            where = finding_stretch(row)
            if where.start_s is not None and where.end_s is not None:
                low, high = within((where.start_s - 1.0, where.end_s + 1.0), end_s=end_s)
                return [
                    round(round(low / step_s) * step_s, 2),
                    min(round(round(high / step_s) * step_s, 2), end_s),
                ]
    return [0.0, min(10.0, end_s)]


def within(value: object, *, end_s: float) -> tuple[float, float]:
    """Return two numbers from a page as a stretch within the call, whatever a reader's browser sent.

    Parameters
    ----------
    value : object
        What a slider gave; expected are two numbers.
    end_s : float
        Length of the call in seconds.

    Returns
    -------
    tuple of float
        Start and end, in order, in 0..`end_s`; the first ten seconds for anything but two finite numbers.
    """
    first = (0.0, min(10.0, end_s))
    if not isinstance(value, list | tuple) or len(value) != 2:
        return first
    if not all(isinstance(number, int | float) and math.isfinite(number) for number in value):
        return first
    low, high = sorted(min(max(float(number), 0.0), end_s) for number in value)
    return low, high
