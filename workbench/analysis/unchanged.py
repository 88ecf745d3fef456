"""Results that are kept while what they were made of stays the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    import polars as pl

Made = TypeVar("Made")


class Unchanged:
    """The last result under each name, for pages in which a slider moves only some of what is shown.

    Examples
    --------
    >>> import polars as pl
    >>> last = Unchanged()
    >>> last("sum", pl.DataFrame({"s": [1, 2]}), make=lambda: 3)
    3
    >>> last("sum", pl.DataFrame({"s": [1, 2]}), make=lambda: "is not asked")
    3
    """

    def __init__(self) -> None:
        self._kept: dict[str, tuple[pl.DataFrame, tuple[Any, ...], Any]] = {}

    def __call__(self, name: str, frame: pl.DataFrame, *others: Any, make: Callable[[], Made]) -> Made:
        """Return what was made of an equal frame and equal others, or make it.

        Parameters
        ----------
        name : str
            Under which the last result is kept.
        frame : polars.DataFrame
            What it is made of; the names of its columns count.
        *others : object
            What else it is made of; compared with ``==``.
        make : callable
            Makes it, from nothing else.

        Returns
        -------
        object
            What `make` returned; it is handed out again, so it must not be changed.
        """
        before = self._kept.get(name)
        if before is None or before[1] != others or not before[0].equals(frame):
            before = self._kept[name] = (frame, others, make())
        made: Made = before[2]
        return made
