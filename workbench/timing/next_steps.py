"""What to do about a moment that was not judged."""

from __future__ import annotations

from workbench.timing.events import REASONS
from workbench.timing.health import NEXT_STEPS


def meaning(reason: str | None) -> str:
    """Return what a reason means and, where something mends it, what to do.

    Parameters
    ----------
    reason : str or None
        Of a scored event, or of input health; several are parted by a comma.

    Returns
    -------
    str
        A sentence for each without its full stop, parted by a semicolon; the reason itself where nothing more is
        known, empty for None.
    """
    return "; ".join(REASONS.get(one) or NEXT_STEPS.get(one) or one for one in (reason or "").split(", ") if one)


def next_step(reason: str | None) -> str | None:
    """Return what would mend it.

    Parameters
    ----------
    reason : str or None
        Of a scored event, or of input health.

    Returns
    -------
    str or None
        None where there is no reason, or nothing to mend but the agent.
    """
    if reason in NEXT_STEPS:
        return NEXT_STEPS[reason]
    _, colon, step = REASONS.get(reason or "", "").partition(": ")
    return step if colon else None
