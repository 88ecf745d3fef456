"""What would mend a file that is read without an archive: nothing is imported there, so no advice speaks of that."""

from __future__ import annotations

from workbench.timing.channels_hint import roles_example
from workbench.timing.health import NEXT_STEPS, ONE_PARTY, ROLES_GIVEN

_OF_A_FILE = {
    "dc_offset": "take the constant offset out of the recording (a high-pass filter at 20 Hz)",
    "pair_of_files": "scan their folder, which reads both, or write them as the two channels of one file",
}


def file_step(reason: str | None, *, count: int, roles_given: bool = False) -> str | None:
    """Return what to do about a file.

    Parameters
    ----------
    reason : str or None
        Of input health.
    count : int
        The file's channels, as many as the advice names roles for.
    roles_given : bool, optional
        Whether somebody has said whose channel is which, so that a suspected swap is pardoned.

    Returns
    -------
    str or None
        None where there is no reason, or none of input health.
    """
    if reason == "channel_map_unknown":
        return f"name one role a channel: --channels {roles_example(count)}"
    if count == 1 and reason in ("no_caller_channel", "no_agent_channel"):
        return ONE_PARTY
    if reason == "possible_swap" and roles_given:
        return ROLES_GIVEN
    return _OF_A_FILE.get(reason or "") or NEXT_STEPS.get(reason or "")
