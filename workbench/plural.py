"""A number with its noun, as every message, table and chart says it."""

from __future__ import annotations


def plural(count: int, noun: str, *, many: str | None = None) -> str:
    """Return a count and its noun.

    Parameters
    ----------
    count : int
        How many.
    noun : str
        The noun of one; more words may stand before it.
    many : str, optional
        The noun of several; with an s at its end by default.

    Returns
    -------
    str
        Thousands are set apart by commas.

    Examples
    --------
    >>> plural(1, "call"), plural(1200, "call"), plural(2, "copy", many="copies")
    ('1 call', '1,200 calls', '2 copies')
    """
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"
