"""What to do where `--channels` does not fit a file: one hint for every command, and one that fits this file."""

from __future__ import annotations

from workbench.timing.health import NEXT_STEPS


def channels_hint(count: int) -> str:
    """Return what to give for a file.

    Parameters
    ----------
    count : int
        Its channels, 1 or more.

    Returns
    -------
    str
        An example with as many roles as the file has channels. One channel cannot hold two parties apart, whatever
        roles are named, so there the hint is what to do instead.
    """
    if count == 1:
        return NEXT_STEPS["mono"]
    roles = ",".join(("caller", "agent", *["mixed"] * (count - 2)))
    return f"name one role a channel, {count} in all, e.g. --channels {roles}"
