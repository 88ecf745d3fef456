"""What to do about a moment that was not judged."""

from __future__ import annotations

from workbench.timing.events import REASONS
from workbench.timing.health import NEXT_STEPS


def meaning(reason: str | None) -> str:
    """Return what a reason means and, where something mends it, what to do.

    Parameters
    ----------
    reason : str or None
        Of a scored event, or of input health.

    Returns
    -------
    str
        A sentence without its full stop; the reason itself where nothing more is known, empty for None.
    """
    return REASONS.get(reason or "") or NEXT_STEPS.get(reason or "") or reason or ""


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
