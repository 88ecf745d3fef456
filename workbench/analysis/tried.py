"""A step of a notebook that may be refused: its result, or the refusal as text to show."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from workbench.errors import WorkbenchError
from workbench.text.visible import visible

T = TypeVar("T")


def tried(step: Callable[[], T]) -> tuple[T | None, str | None]:
    """Run a step; turn a refusal into text, and let every other error through.

    Parameters
    ----------
    step : callable
        Takes nothing.

    Returns
    -------
    tuple
        The result and None, or None and what was refused, where, and what to do about it, safe to show.
    """
    try:
        return step(), None
    except WorkbenchError as error:
        return None, visible(str(error))
