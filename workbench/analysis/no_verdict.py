"""Why a moment gets no verdict, in a few words."""

from __future__ import annotations

from workbench.analysis.incidents_health import REASONS as HEALTH
from workbench.timing.events import REASONS

OF_THE_MOMENT = {
    "agent_silent_at_onset": "the agent is silent at its onset",
    "no_caller_at_onset": "no caller is heard at its onset",
    "recording_ended": "the recording ends before the search for a stop with a caller near does, and that decides "
    "nothing without a bound",
}


def no_verdict(reason: str) -> str:
    """Return what a reason of a scored event, or of the health of its recording, says.

    Parameters
    ----------
    reason : str
        A stable name such as `recording_ended`, or words of its own.

    Returns
    -------
    str
        Without what would mend it.
    """
    return OF_THE_MOMENT.get(reason) or (REASONS.get(reason) or HEALTH.get(reason) or reason).partition(":")[0]
