"""Numbers as people read them: decimals and no powers of ten; an interval of which an end may be missing."""

from __future__ import annotations

import math
from decimal import Decimal

SMALLEST, LARGEST = 1e-6, 1e21
"""What lies beyond is no time and no count, and is written with its power of ten."""

_NOISE = 1e-9
"""What is nearer to 0 or to 1 is that, but for the last bits of a sum."""


def decimals(value: float) -> str:
    """Return a number in plain decimals.

    Parameters
    ----------
    value : float
        Any number.

    Returns
    -------
    str
        Four digits, and more where the number is so large that two decimals need them; no zeros at the end.

    Examples
    --------
    >>> decimals(21590.375), decimals(0.25), decimals(0.000123456), decimals(3.0)
    ('21590.38', '0.25', '0.0001235', '3')
    """
    size = abs(value)
    if not math.isfinite(value) or not (size == 0 or SMALLEST <= size < LARGEST):
        return f"{value:.4g}"
    places = 0 if size == 0 else max(2, 3 - math.floor(math.log10(size)))
    text = f"{value:.{places}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def exact(value: float) -> str:
    """Return a number in plain decimals, in as many as tell it from every other.

    Parameters
    ----------
    value : float
        Any number.

    Returns
    -------
    str
        As :func:`decimals` where that is the number itself.

    Examples
    --------
    >>> exact(100.0001), exact(0.25), exact(100.0)
    ('100.0001', '0.25', '100')
    """
    text = decimals(value)
    return text if math.isnan(value) or float(text) == value else f"{Decimal(repr(float(value))):f}"


def percent(rate: float, *, places: int = 0) -> str:
    """Return a rate in percent, without the sign; one that is neither 0 nor 1 is never rounded to 0 or 100.

    Parameters
    ----------
    rate : float
        A rate or a bound of one, 0..1.
    places : int
        Decimals; more where it takes more to tell it from 0 and from 100.

    Returns
    -------
    str

    Examples
    --------
    >>> percent(0.8), percent(0.999232), percent(0.99998), percent(0.0004), percent(1.0), percent(0.0)
    ('80', '99.9', '99.998', '0.04', '100', '0')
    """
    return _apart(100 * rate, 100.0, places, sign="")


def points(difference: float) -> str:
    """Return a difference of two rates in percentage points, with its sign; none before 0.

    Parameters
    ----------
    difference : float
        -1..1.

    Returns
    -------
    str
        As :func:`percent`: one that is not 0 is not written as 0.

    Examples
    --------
    >>> points(0.25), points(-0.0004), points(-0.0), points(-1.0)
    ('+25', '-0.04', '0', '-100')
    """
    return _apart(100 * difference, 100.0, 0, sign="+")


def proportion(rate: float) -> str:
    """Return a rate from 0 to 1 with two decimals, or as many more as tell it from 0 and from 1.

    Parameters
    ----------
    rate : float
        A rate or a bound of one, 0..1.

    Returns
    -------
    str

    Examples
    --------
    >>> proportion(0.8), proportion(0.9992), proportion(1.0), proportion(0.0)
    ('0.80', '0.999', '1.00', '0.00')
    """
    return _apart(rate, 1.0, 2, sign="")


def _apart(value: float, whole: float, places: int, *, sign: str) -> str:
    """Write a number in so many places that it is not read as 0 or as the whole where it is neither."""
    ends = (0.0, whole, -whole)
    near = next((end for end in ends if abs(value - end) <= _NOISE * whole), None)
    if near is not None:
        return f"{near:{sign if near else ''}.{places}f}"
    while round(value, places) in ends:
        places += 1
    return f"{value:{sign}.{places}f}"


def between(low: float | None, high: float | None) -> str | None:
    """Return an interval in words.

    Parameters
    ----------
    low, high : float or None
        Its ends; None, or infinite, for one that the data do not reach.

    Returns
    -------
    str or None
        Two decimals each; None where neither end is known.

    Examples
    --------
    >>> between(0.25, 0.5), between(3.0, None), between(None, 0.5), between(None, math.inf)
    ('0.25 to 0.50', 'above 3.00', 'up to 0.50', None)
    """
    first, last = ("" if end is None or not math.isfinite(end) else f"{end:.2f}" for end in (low, high))
    if first and last:
        return f"{first} to {last}"
    return f"above {first}" if first else f"up to {last}" if last else None
