"""A call in a line: the facts to know before its timing is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.plural import plural
from workbench.text.visible import visible


def call_facts(overview: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return labels and values for the head of a page about a call.

    Parameters
    ----------
    overview : mapping
        A row of the view `call_overview`.

    Returns
    -------
    list of (str, str)
        Safe to show. What was not measured says so and is never 0; what was never supplied is left out.
    """
    o = overview
    health = (o["health"] or "not measured") if o["has_audio"] else "no audio"
    facts = [
        ("source", o["source_format"]),
        ("origin", o["origin"]),
        ("tier", str(o["evidence_tier"])),
        ("length", _seconds(o["duration_s"], "no clock")),
        ("health of the audio", health),
        ("clock", o["clock"] or "none"),
        (
            "longest response gap",
            _seconds(o["worst_response_gap_s"], "not measured" if o["clock_reason"] else "no answer"),
        ),
        ("talk-over", "not measured" if o["overlap_count"] is None else plural(o["overlap_count"], "time")),
        ("findings", _findings(o)),
    ]
    for label, name in (
        ("agent", "agent_id"),
        ("version", "agent_version"),
        ("outcome", "outcome"),
        ("wanted", "expected_outcome"),
    ):
        if o[name] is not None:
            facts.append((label, o[name]))
    return [(label, visible(value)) for label, value in facts]


def verdict(overview: Mapping[str, Any]) -> str:
    """Return what the newest assertion run says of a call in which it found nothing.

    Parameters
    ----------
    overview : mapping
        A row of the view `call_overview`.

    Returns
    -------
    str
        A sentence that never calls a check passed that could not say.
    """
    if overview["high_finding_count"] is None:
        return "This call was not judged: workbench assert --pack caller-experience"
    unsaid = overview["open_check_count"] or 0
    if not unsaid:
        return "Nothing failed."
    checks = plural(unsaid, "check")
    return f"Nothing was found to fail, but {checks} could not say: evidence is missing."


def _seconds(value: float | None, instead: str) -> str:
    return instead if value is None else f"{value:.2f} s"


def _findings(o: Mapping[str, Any]) -> str:
    if o["high_finding_count"] is None:
        return "not judged"
    counts = f"{o['high_finding_count']} high, {o['medium_finding_count']} medium, {o['low_finding_count']} low"
    return counts + (f"; {plural(o['open_check_count'], 'check')} could not say" if o["open_check_count"] else "")
