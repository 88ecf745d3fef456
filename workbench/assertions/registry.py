"""Finds the kinds of check by listing `checks/`: a new file is all it takes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import msgspec
    import polars as pl

    from workbench.assertions.pack import Definition
    from workbench.assertions.rows import Rows


@dataclass(frozen=True)
class Kind:
    """A kind of check.

    A module of `checks/` declares ``KIND`` (its name), ``ABOUT`` (one line), ``Parameters`` (a struct with a
    default for each, documented) and ``evaluate``. Optional: ``MAGNITUDE``, the name and unit of what a
    definition may escalate severity by, and ``STRETCH`` when a finding is a stretch of silence.

    Parameters
    ----------
    name, about : str
        What the module says of itself.
    parameters : type of msgspec.Struct
        Parameters a definition may set.
    evaluate : callable
        From rows and a definition to results, see :mod:`workbench.assertions.verdicts`.
    magnitude : str or None
        What severity may escalate by.
    stretch : bool
        Whether findings of this kind may share a stretch of silence with another kind's.
    """

    name: str
    about: str
    parameters: type[msgspec.Struct]
    evaluate: Callable[[Rows, Definition], pl.DataFrame]
    magnitude: str | None
    stretch: bool


@cache
def kinds() -> dict[str, Kind]:
    """Return all kinds of check by name.

    Returns
    -------
    dict of str to Kind
        In alphabetical order.

    Examples
    --------
    >>> kinds()["incomplete"].about
    'The call did not come to its end.'
    """
    found = {}
    for file in sorted((Path(__file__).parent / "checks").glob("*.py")):
        if file.stem == "__init__":
            continue
        module = import_module(f"workbench.assertions.checks.{file.stem}")
        found[module.KIND] = Kind(
            name=module.KIND,
            about=module.ABOUT,
            parameters=module.Parameters,
            evaluate=module.evaluate,
            magnitude=getattr(module, "MAGNITUDE", None),
            stretch=getattr(module, "STRETCH", False),
        )
    return found
