"""When the caller begins in a file of which nobody said it: where the worst barge-in lies that `autopsy` lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.incidents_aside import listed
from workbench.analysis.incidents_of_file import TWO_CHANNELS, examine

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def barge_in_onset(path: str | Path, *, channels: Sequence[str]) -> float | None:
    """Return where the worst barge-in of a file begins.

    Parameters
    ----------
    path : path
        A sound file.
    channels : sequence of str
        One role a channel.

    Returns
    -------
    float or None
        Seconds from the start of the file; None where `autopsy` lists no barge-in, or cannot tell two parties apart.

    Raises
    ------
    UsageError, ImportFailed, MissingExtra
        As :func:`workbench.analysis.incidents_of_file.examine`.
    """
    examined = examine(path, channels=channels)
    if examined.mode != TWO_CHANNELS:
        return None
    return next((float(one["onset_s"]) for one in listed(examined.incidents) if one["incident"] == "barge_in"), None)
