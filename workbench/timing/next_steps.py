"""What to do about a moment that was not judged."""

from __future__ import annotations

from workbench.timing.events import REASONS
from workbench.timing.health import NEXT_STEPS


def meaning(reason: str | None, own: str | None = None) -> str:
    """Return what a reason means and, where something mends it, what to do.

    Parameters
    ----------
    reason : str or None
        Of a scored event, or of input health; several are parted by a comma.
    own : str, optional
        As for :func:`next_step`.

    Returns
    -------
    str
        A sentence for each without its full stop, parted by a semicolon; the reason itself where nothing more is
        known, empty for None.
    """
    found = (reason or "").split(", ")
    return "; ".join(REASONS.get(one) or next_step(one, own) or one for one in found if one)


def next_step(reason: str | None, own: str | None = None) -> str | None:
    """Return what would mend it.

    Parameters
    ----------
    reason : str or None
        Of a scored event, or of input health.
    own : str, optional
        What the input health of the call says of this reason: it knows whether the call has one file or two, and how
        many channels, and goes before what is said of the reason alone.

    Returns
    -------
    str or None
        None where there is no reason, or nothing to mend but the agent.
    """
    if reason in NEXT_STEPS:
        return own or NEXT_STEPS[reason]
    _, colon, step = REASONS.get(reason or "", "").partition(": ")
    return step if colon else None
