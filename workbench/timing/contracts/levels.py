"""How far a claim reaches: five levels of evidence, and the only sentences that reports may say at each."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from workbench.timing.contracts.freshness import DIFFERENT


class Level(StrEnum):
    """What was done, from the weakest to the strongest."""

    CREATED = "created"
    REVERIFIED = "re-verified same audio"
    FRESH_TAKE = "fresh take"
    OPPOSITE_RISK = "fresh take and opposite risk"
    POST_DEPLOY = "post-deploy rerun"


class Claim(msgspec.Struct, frozen=True):
    """What a level lets a report say, and what it does not."""

    says: str
    says_nothing_of: str

    @property
    def sentence(self) -> str:
        """Both halves as they are printed."""
        return f"{self.says} {self.says_nothing_of}"


CLAIMS = {
    Level.CREATED: Claim(
        "A moment of a recorded call was labelled and scored.",
        "Its clip was measured as it was made, and not since; it says nothing of today's agent.",
    ),
    Level.REVERIFIED: Claim(
        "Stored evidence was measured again.",
        "No call was made: it says nothing of today's agent, only whether evidence, policy and measuring still agree.",
    ),
    Level.FRESH_TAKE: Claim(
        "Another recording of the moment was measured with the same ruler.",
        "It speaks of that recording and its version of the agent: one take is no rate, and a change that coincides "
        "is no cause.",
    ),
    Level.OPPOSITE_RISK: Claim(
        "Other recordings were measured with the same ruler, moments to yield at and moments to hold at.",
        "They speak of those recordings and their version of the agent, not of calls after a release; a change that "
        "coincides is no cause.",
    ),
    Level.POST_DEPLOY: Claim(
        "Recordings that their user says were made after the release were measured with the same ruler, moments to "
        "yield at and moments to hold at.",
        "They speak of those calls; the workbench has not seen the release, and a change that coincides is no cause.",
    ),
}
"""The sentences, for every place that prints one."""


def level_of(freshness: list[str], *, expectations: set[str], deployed: bool = False) -> Level:
    """Return the level that pairs of recordings support.

    Parameters
    ----------
    freshness : list of str
        State of each pair, as :class:`~workbench.timing.contracts.freshness.Freshness` has it.
    expectations : set of {'yield', 'hold'}
        What the labels of the judged pairs ask for.
    deployed : bool
        Whether the user says that the later recordings were made after the release.

    Returns
    -------
    Level
        The weakest pair decides: one that is not known to be another recording, or no pair at all, leaves
        re-verified evidence.
    """
    if not freshness or any(state != DIFFERENT for state in freshness):
        return Level.REVERIFIED
    if not {"yield", "hold"} <= expectations:
        return Level.FRESH_TAKE
    return Level.POST_DEPLOY if deployed else Level.OPPOSITE_RISK
