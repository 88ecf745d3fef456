"""Numbers as a reader meets them: counts before rates, times on the call's clock, a dash for nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.decimals import between, percent
from workbench.plural import plural

NOTHING = "–"
LONGEST_TEXT = 900


def rate_words(count: int, trials: int, *, low: float | None, high: float | None) -> str:
    """Return counts, rate and interval, in that order.

    Parameters
    ----------
    count, trials : int
        Successes, and how many were tried.
    low, high : float or None
        Bounds of the interval, 0..1; None where there is no rate.

    Returns
    -------
    str
        "4/5 (80 %, 38-96)"; the counts alone where there are no bounds.

    Examples
    --------
    >>> rate_words(4, 5, low=0.3755, high=0.9638)
    '4/5 (80 %, 38-96)'
    >>> rate_words(0, 0, low=None, high=None)
    '0/0'
    """
    if not trials or low is None or high is None:
        return f"{count}/{trials}"
    return f"{count}/{trials} ({percent(count / trials)} %, {percent(low)}-{percent(high)})"


def seconds(value: float | None) -> str:
    """Return a length as "1.71 s", or a dash for None."""
    return NOTHING if value is None else f"{value:.2f} s"


def clock(value: float | None, *, digits: int = 1) -> str:
    """Return a time on the call's clock as minutes and seconds, or a dash for None.

    Examples
    --------
    >>> clock(86.04), clock(119.96), clock(5.0, digits=0), clock(None)
    ('1:26.0', '2:00.0', '0:05', '–')
    """
    if value is None:
        return NOTHING
    units = 10**digits
    whole, rest = divmod(round(value * units), 60 * units)
    width = 3 + digits if digits else 2
    return f"{whole}:{rest / units:0{width}.{digits}f}"


def bounds(low: float | None, high: float | None) -> str:
    """Return an interval in seconds; an end that the data do not reach leaves "above" or "up to", none a dash.

    Examples
    --------
    >>> bounds(1.2, 2.5), bounds(1.2, None), bounds(None, None)
    ('1.20 to 2.50', 'above 1.20', '–')
    """
    return between(low, high) or NOTHING


def short(text: str | None, *, limit: int = LONGEST_TEXT) -> str | None:
    """Return a text cut to a length, saying how much was left out; None stays None."""
    if text is None or len(text) <= limit:
        return text
    return f"{text[:limit]} … ({plural(len(text) - limit, 'character')} more)"


def noted(rows: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
    """Return what is to be said of the groups of a table, each sentence once.

    Parameters
    ----------
    rows : sequence of mapping
        `group`, `unit`, `reason` (None: nothing).

    Returns
    -------
    list of (str, list of str)
        What is said, and of which groups.

    Examples
    --------
    >>> noted([{"group": "1", "unit": "call", "reason": None}, {"group": "2", "unit": "call", "reason": None}])
    [('call', ['1', '2'])]
    """
    found: dict[str, list[str]] = {}
    for row in rows:
        said = row["unit"] + (f"; {row['reason']}" if row["reason"] else "")
        found.setdefault(said, []).append(row["group"])
    return list(found.items())


def plainly(name: str) -> str:
    """Return a name of the tables as words: "no_confirmation" becomes "no confirmation"."""
    return name.replace("_", " ")
