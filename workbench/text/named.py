"""Normalisers by name and version, old versions included: results name what they were made with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from workbench.errors import UsageError
from workbench.text.normalize import words, words_numbers
from workbench.text.spelling import spelled

NORMALISERS: Mapping[str, Callable[[str], str]] = MappingProxyType(
    {"words/1": words, "words-numbers/1": words_numbers, "words-numbers/2": spelled}
)


def normaliser(name: str) -> Callable[[str], str]:
    """Return a normaliser by its name and version.

    Parameters
    ----------
    name : str
        For instance ``words/1``.

    Returns
    -------
    callable
        From text to text.

    Raises
    ------
    UsageError
        When there is none of that name.
    """
    if name not in NORMALISERS:
        raise UsageError(f"no normaliser {name!r}", hint="there are: " + ", ".join(NORMALISERS))
    return NORMALISERS[name]
