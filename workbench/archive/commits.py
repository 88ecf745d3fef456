"""How many transactions this process has committed: what changed an archive is not simply done again."""

from __future__ import annotations

_COUNT = [0]


def committed() -> None:
    """Count a transaction."""
    _COUNT[0] += 1


def count() -> int:
    """Return how many transactions of this process were committed, in whatever archive."""
    return _COUNT[0]
