"""Numbers as people read them: decimals and no powers of ten; an interval of which an end may be missing."""

from __future__ import annotations

import math
from decimal import Decimal

SMALLEST, LARGEST = 1e-6, 1e21
"""What lies beyond is no time and no count, and is written with its power of ten."""


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
