"""The same moment before and after a change: verdicts side by side, signed changes, and one word for the pair."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.decimals import decimals
from workbench.errors import NotScorable
from workbench.timing.contracts.freshness import DIFFERENT, UNKNOWN, Freshness, freshness
from workbench.timing.contracts.levels import Level, level_of

if TYPE_CHECKING:
    from workbench.timing.contracts.judging import Judged

FIXED, REGRESSED, IMPROVED, WORSE = "fixed", "regressed", "improved", "worse"
UNCHANGED, STILL_PASS, NOT_SCORABLE = "unchanged", "still_pass", "not_scorable"
SAME_RECORDING, UNKNOWN_RECORDING = "same_recording", "unknown_recording"
RESULTS = (
    FIXED,
    REGRESSED,
    IMPROVED,
    WORSE,
    UNCHANGED,
    STILL_PASS,
    SAME_RECORDING,
    UNKNOWN_RECORDING,
    NOT_SCORABLE,
)
VERDICTS = ("PASS", "FAIL")

MEASURES = ("time_to_yield_s", "talk_over_s", "response_gap_s", "premature_start_s")
_SMALLEST = 1e-6

Event = Mapping[str, Any]


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison of two recordings of a moment. `changes` are after less before, None where a side has no value."""

    result: str
    before: dict[str, Any]
    after: dict[str, Any]
    changes: dict[str, float | None]
    freshness: Freshness
    evidence_level: Level


def result_of(before: Event, after: Event) -> str:
    """Return the word for a pair of scored events with the same expectation, of two takes.

    Parameters
    ----------
    before, after : mapping
        Rows of `scored_events`, of recordings that are different sound; :func:`word_for` asks that first.

    Returns
    -------
    str
        ``fixed`` FAIL to PASS, ``regressed`` PASS to FAIL, ``still_pass``; of two failures ``improved``, ``worse``
        or ``unchanged``; ``not_scorable`` where a side has no verdict. Of two failures to yield less talk-over
        decides, then a yield where there was none, then a sooner one; of two false yields a later one is the
        better. So does hotato 1.20.
    """
    verdicts = (before["status"], after["status"])
    if any(verdict not in VERDICTS for verdict in verdicts):
        return NOT_SCORABLE
    if verdicts == ("FAIL", "FAIL"):
        return _of_failures(before, after)
    return {("FAIL", "PASS"): FIXED, ("PASS", "FAIL"): REGRESSED}.get(verdicts, STILL_PASS)


def word_for(before: Event, after: Event, fresh: Freshness) -> str:
    """Return the word for a pair, which tells of a change only where the recordings are two takes.

    Parameters
    ----------
    before, after : mapping
        Rows of `scored_events` with the same expectation.
    fresh : Freshness
        What their recordings are to each other.

    Returns
    -------
    str
        ``not_scorable`` where a side has no verdict; ``same_recording`` for one sound, ``unknown_recording`` where
        nothing shows that the sounds are two, whatever the verdicts are; else as :func:`result_of`.
    """
    word = result_of(before, after)
    if word == NOT_SCORABLE or fresh.state == DIFFERENT:
        return word
    return UNKNOWN_RECORDING if fresh.state == UNKNOWN else SAME_RECORDING


def _of_failures(before: Event, after: Event) -> str:
    sooner = _better(before["time_to_yield_s"], after["time_to_yield_s"])
    if before["expect"] == "hold":
        return {IMPROVED: WORSE, WORSE: IMPROVED}.get(sooner, UNCHANGED)
    less = _better(before["talk_over_s"], after["talk_over_s"])
    if less != UNCHANGED:
        return less
    if before["did_yield"] != after["did_yield"]:
        return IMPROVED if after["did_yield"] else WORSE
    return sooner


def _better(before: float | None, after: float | None) -> str:
    if before is None or after is None or abs(after - before) <= _SMALLEST:
        return UNCHANGED
    return IMPROVED if after < before else WORSE


def changes(before: Event, after: Event) -> dict[str, float | None]:
    """Return what each measure changed by.

    Parameters
    ----------
    before, after : mapping
        Rows of `scored_events`.

    Returns
    -------
    dict of str to float or None
        After less before in seconds, by name. None where a side has no value: an agent that never stopped has no
        time to yield, and no difference of times either.
    """
    return {
        name: None if before[name] is None or after[name] is None else round(after[name] - before[name], 6)
        for name in MEASURES
    }


def _without_onset(event: Event) -> str:
    if event["onset_source"] != "detected" or event["onset_s"] is None:
        return ""
    return (
        f"; no --onset was given, and what was heard of the caller at {decimals(event['onset_s'])} s was taken for it"
    )


def _next_step(side: str, event: Event, of_health: str | None) -> str:
    if of_health and event["reason"] != "outside_the_recording":
        return of_health
    if event["onset_source"] == "label":
        return f"check --{side}-onset, --channels and --expect"
    return (
        f"name the moment the caller begins: --onset SECONDS for both files, or --{side}-onset; "
        "workbench autopsy FILE lists where a caller begins while the agent speaks"
    )


def compare(before: Judged, after: Judged, *, where: str) -> Pair:
    """Compare two recordings of one moment.

    Parameters
    ----------
    before, after : Judged
        Judged with one label and one config.
    where : str
        Their names, for errors.

    Returns
    -------
    Pair

    Raises
    ------
    NotScorable
        When a side gives no verdict.
    """
    for side, found in (("before", before), ("after", after)):
        if not found.scorable:
            raise NotScorable(
                f"the recording {side} gives no verdict: {found.event['status']}, {found.event['reason']}"
                + _without_onset(found.event),
                where=where,
                hint=_next_step(side, found.event, found.health["next_step"]),
            )
    fresh = freshness(before.envelope, after.envelope, first_pcm=before.pcm_sha256, second_pcm=after.pcm_sha256)
    return Pair(
        result=word_for(before.event, after.event, fresh),
        before=before.event,
        after=after.event,
        changes=changes(before.event, after.event),
        freshness=fresh,
        evidence_level=level_of([fresh.state], expectations={before.event["expect"]}),
    )
