"""A number as people read it: decimals, and no powers of ten."""

from __future__ import annotations

import math

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
