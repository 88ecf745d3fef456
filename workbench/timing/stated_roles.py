"""Roles that a file, its sidecar or its document states: whether others contradict them, and how to correct them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

PARTIES: Final[tuple[Literal["caller"], Literal["agent"]]] = ("caller", "agent")
"""Whose two files of one call are, in the order in which roles are said of them."""
FIXED: Final = frozenset({"harper_valley", "eva"})
"""Formats that fix which channel is whose: no file of theirs says it, so none can be corrected."""


def contradicts(stated: Sequence[str] | None, asked: Sequence[str] | None) -> bool:
    """Return whether `--channels` gives a channel another role than is stated of it.

    Parameters
    ----------
    stated : sequence of str or None
        The roles that a sidecar or document gives the channels.
    asked : sequence of str or None
        The roles of `--channels`.

    Returns
    -------
    bool
        False where one of the two is silent or they speak of another number of channels.
    """
    if stated is None or asked is None or len(stated) != len(asked):
        return False
    return any(one not in ("unknown", other) for one, other in zip(stated, asked, strict=True))


def remedy(name: str, source: str, *, document: str, source_format: str, sidecar: str) -> str:
    """Return how stated roles are exchanged, in a sentence.

    Parameters
    ----------
    name : str
        Of the file with the sound.
    source : {'declared', 'sidecar', 'format', 'name'}
        What states the roles.
    document : str
        Name of the file that the call was read from.
    source_format : str
        Its format.
    sidecar : str
        What its sidecar is called.

    Returns
    -------
    str
    """
    if source == "name":
        how = "exchange the names of the two files"
    elif source == "sidecar":
        how = f'say the right roles in "channels" of {sidecar}'
    elif source == "format" and source_format in FIXED:
        how = f"its format fixes them: exchange the channels of {name}"
    else:
        how = f'say the right roles in "channels" of {document}'
    return f"if that is wrong, {how} and import it again with --replace"
