"""The caller-side event log of an EVA record: who spoke when, and what each side said.

A row's `timestamp` is epoch **milliseconds**; `audio_timestamp`, on the rows where audio starts or ends,
is epoch **seconds**. Rows where the two are more than a minute apart are refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from workbench.errors import ImportFailed
from workbench.ingest.intake.shape import refusal, rows
from workbench.schema.call import Refusal, Role, Span

AGENT_VOICE: Final = "framework_agent"
LATE_END_S: Final = 0.1
"""A caller's end of audio that comes this close before her next start was sent with that start."""

_DELIVERY = re.compile(r"\[[^\]]*\]")


class Event(Struct):
    """One row of the log. `at_s` is epoch seconds."""

    timestamp: float
    type: str | None = None
    event_type: str | None = None
    user: str | None = None
    audio_timestamp: float | None = None
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def at_s(self) -> float:
        """Epoch seconds: of the audio where the row has it."""
        return self.timestamp / 1000 if self.audio_timestamp is None else self.audio_timestamp

    @property
    def text(self) -> str:
        """What was said, for rows of speech."""
        text = self.data.get("text")
        return text if isinstance(text, str) else ""


class Stretch(Struct):
    """Audio of one side with what was said. `late_end` says why `end_s` is None."""

    role: Role
    start_s: float
    end_s: float | None = None
    said: str | None = None
    late_end: bool = False


def events_of(path: Path) -> tuple[list[Event], list[Refusal]]:
    """Return the rows of the log in the order of the file, and the rows that were refused.

    Raises
    ------
    ImportFailed
        With the rule ``no_audio_events`` when no audio starts.
    """
    events: list[Event] = []
    refused: list[Refusal] = []
    for item in rows(path, Event):
        if isinstance(item, Refusal):
            refused.append(item)
            continue
        location, event = item
        if event.audio_timestamp is not None and abs(event.timestamp / 1000 - event.audio_timestamp) > 60:
            error = ImportFailed(
                f"timestamp {event.timestamp:.15g} ms and audio_timestamp {event.audio_timestamp:.15g} s "
                "are not the same moment",
                hint="`timestamp` is epoch milliseconds and `audio_timestamp` epoch seconds",
                rule="clocks_disagree",
            )
            refused.append(refusal(path, error, location=location, scope="row"))
        else:
            events.append(event)
    if not any(event.event_type == "audio_start" for event in events):
        raise ImportFailed(
            "no row says where audio starts",
            where=str(path),
            hint="the log of the caller's side has rows with event_type audio_start",
            rule="no_audio_events",
        )
    return events, refused


def zero_of(events: Sequence[Event]) -> float:
    """Return the start of the call in epoch seconds: the start of the session, else the first row."""
    for event in events:
        if event.data.get("state") == "session_started":
            return event.at_s
    return min(event.at_s for event in events)


def end_of(events: Sequence[Event]) -> float | None:
    """Return the end of the session in epoch seconds, or None when the log does not have it."""
    ends = [event.at_s for event in events if event.data.get("state") == "session_ended"]
    return ends[0] if ends else None


def stretches_of(events: Sequence[Event], zero: float) -> list[Stretch]:
    """Return the audio of both sides in order of start, in seconds from `zero`.

    What the simulated caller said (``user_speech``) belongs to the audio of hers that started last before
    it. Her end of audio is sometimes only sent with her next start, after a whole turn of the agent; such
    an end is left out.
    """
    found: list[Stretch] = []
    for event in events:
        at = round(event.at_s - zero, 6)
        role: Role = "agent" if event.user == AGENT_VOICE else "caller"
        if event.event_type == "audio_start":
            found.append(Stretch(role, at))
        elif event.event_type == "audio_end":
            own = [one for one in found if one.role == role and one.end_s is None]
            if own:
                own[-1].end_s = at
        elif event.type == "user_speech":
            hers = [one for one in found if one.role == "caller"]
            if hers:
                hers[-1].said = f"{hers[-1].said or ''} {event.text}".strip()
    found.sort(key=lambda one: one.start_s)
    for one in found:
        one.late_end = _late(one, found)
        if one.late_end:
            one.end_s = None
    return found


def _late(one: Stretch, found: Sequence[Stretch]) -> bool:
    if one.end_s is None or one.role == "agent":
        return False
    end = one.end_s
    wraps = any(
        other.role == "agent" and other.end_s is not None and one.start_s < other.start_s and other.end_s < end
        for other in found
    )
    return wraps and any(other.role == one.role and 0 <= other.start_s - end <= LATE_END_S for other in found)


def spoken(text: str) -> str:
    """Return what was said without directions to the synthesiser in brackets, spaces folded."""
    return " ".join(_DELIVERY.sub(" ", text).split())


def spans_of(events: Sequence[Event], zero: float) -> list[Span]:
    """Return the rows of the log as point events, with all they carry."""
    return [
        Span(
            type=event.type or event.event_type or "event",
            name=event.user,
            time_s=max(0.0, round(event.at_s - zero, 6)),
            attributes=event.data or None,
        )
        for event in events
    ]
