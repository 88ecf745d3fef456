"""Recordings of a folder with one sound of which two things are said: whose channel is which, or when a side begins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.decimals import decimals
from workbench.timing.stated_roles import PARTIES

if TYPE_CHECKING:
    from workbench.analysis.incidents_of_file import Examined

_SAYS = {
    "option": "as --channels says",
    "sidecar": "as its sidecar says",
    "name": "as the names of the files say",
    "assumed": "as is assumed where nobody says it",
}


def contradiction(left_out: Examined, counted: Examined) -> tuple[str, str] | None:
    """Say what a recording that is left out contradicts of the one with its sound that is counted.

    Parameters
    ----------
    left_out, counted : Examined
        Recordings with the same bytes or samples, or one of them with a channel of the other.

    Returns
    -------
    tuple of str and str, or None
        A clause with what is taken, and what to do; None where both say the same, or one of them nothing.
    """
    ours, theirs = (_parties(one, by_sound=_told_apart(left_out, counted)) for one in (left_out, counted))
    if any({ours[at], theirs[at]} == set(PARTIES) for at in ours.keys() & theirs.keys()):
        clause = f"their channel maps contradict: taken is {_map(counted)}, not {_map(left_out)}"
        return clause, "listen whose channel is which, and correct what is wrong"
    if None not in (left_out.lead_s, counted.lead_s) and left_out.lead_s != counted.lead_s:
        clause = f"their offsets contradict: taken is that {_lead(counted)}, not that {_lead(left_out)}"
        return clause, 'correct "offset_s" of the sidecar that is wrong'
    return None


def _told_apart(*both: Examined) -> bool:
    """Whether each channel has a digest of its own."""
    return all(one.sound and len(set(one.sound)) == len(one.sound) for one in both)


def _parties(one: Examined, *, by_sound: bool) -> Mapping[str | int, str]:
    """The role of each channel, by its sound, or else by its place."""
    return dict(zip(one.sound if by_sound else range(len(one.roles)), one.roles, strict=True))


def _map(one: Examined) -> str:
    return f"{','.join(one.roles)} of {one.file}, {_SAYS.get(one.channel_map, 'as its format says')}"


def _lead(one: Examined) -> str:
    lead_s = one.lead_s or 0.0
    if lead_s == 0:
        return "both sides begin at once"
    later, first = ("agent", "caller") if lead_s > 0 else ("caller", "agent")
    return f"the {later}'s side begins {decimals(abs(lead_s))} s after the {first}'s"
