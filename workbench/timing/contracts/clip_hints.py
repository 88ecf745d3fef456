"""What helps where a moment of a call has a verdict and the clip cut around it has none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.timing.events import REASONS

_NOT_HEARD = (
    "a clip has a threshold of its own, and what is heard in the whole call lies under it: choose another moment, or "
    "take the whole call as context with --pre-s and --post-s"
)
_SHORT = "the clip holds too little of the call: give it more context with --pre-s and --post-s"

CLIP_HINTS = {
    "agent_silent_at_onset": _NOT_HEARD,
    "no_caller_at_onset": _NOT_HEARD,
    "recording_ended": "the clip ends before the search for a yield does (max_search_s), and until then the agent was "
    "not heard to stop with a caller near: give it a longer --post-s",
    "did_not_go_on": "the clip ends before the agent is heard again: give it a longer --post-s",
    **dict.fromkeys(("too_short", "silent_caller", "silent_agent", "both_silent"), _SHORT),
}
"""By the reason of the clip, where it is the clip's own and no fault of the call."""


def clip_hint(event: Mapping[str, Any], health: Mapping[str, Any]) -> str:
    """Return what would give a clip a verdict.

    Parameters
    ----------
    event : mapping
        Its scored event, without a verdict: `reason`.
    health : mapping
        Its input health: `next_step`.

    Returns
    -------
    str
        More context only where that can help.
    """
    reason = event["reason"]
    return CLIP_HINTS.get(reason) or health["next_step"] or REASONS.get(reason) or "choose another moment"
