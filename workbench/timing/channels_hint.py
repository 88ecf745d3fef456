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
    return f"name one role a channel, {count} in all, e.g. --channels {roles_example(count)}"


def roles_example(count: int) -> str:
    """Return roles as `--channels` takes them, as many as a file has channels.

    Parameters
    ----------
    count : int
        Its channels, 2 or more.

    Returns
    -------
    str
        "caller,agent" for 2, with "mixed" for each further one.
    """
    return ",".join(("caller", "agent", *["mixed"] * (count - 2)))


def map_step(count: int) -> str:
    """Return what to do about a recording of an archive of which nobody has said which channel is whose.

    Parameters
    ----------
    count : int
        Its channels, 2 or more.

    Returns
    -------
    str
        The commands that take it in anew, with as many roles.
    """
    roles = roles_example(count)
    return (
        f"say which channel is whose, one role a channel: `workbench import FILE --replace --channels {roles}`, "
        "then `workbench measure`"
    )
