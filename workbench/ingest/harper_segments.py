"""Segments of a Harper Valley bank transcript, as turns with words, and as spans where nobody speaks.

`offset_ms` is the place on the call's timeline and the only time used; `start_ms` is the place in that
speaker's own track, which starts up to 2 s later. `human_transcript` was corrected by people,
`transcript` is the machine's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct, field

from workbench.ingest.intake.units import scale
from workbench.ingest.protocol import TimeUnit
from workbench.schema.call import Span, Turn, Word

SPEECH_UNKNOWN: Final = ("<unk>", "[unintelligible]")
"""Marks of words that nobody could write down: with one of them the truth of a segment is not known."""

_TAG = re.compile(r"\[[^\]]*\]|<[^>]*>")


class Segment(Struct):
    """A row of the transcript."""

    speaker_role: Literal["agent", "caller"]
    offset_ms: float
    duration_ms: float
    human_transcript: str
    start_ms: float | None = None
    transcript: str | None = None
    word_offsets_ms: list[float] = field(default_factory=list)
    word_durations_ms: list[float] = field(default_factory=list)
    dialog_acts: list[str] = field(default_factory=list)
    emotion: dict[str, float] = field(default_factory=dict)


def split(segments: Sequence[Segment], unit: TimeUnit) -> tuple[list[Turn], list[Span]]:
    """Return turns, and spans of type ``noise`` and ``annotation``, in order of their starts.

    A segment of nothing but tags such as ``[noise]``, ``[baby]`` or ``<unk>`` is noise and no turn; one
    that is ``[unintelligible]`` is a turn without truth, since somebody speaks. People decide what speech is:
    where they wrote none, what the machine heard makes no turn, and :func:`heard_in_noise` names it. An
    annotation holds what a machine said about a turn: its dialog acts and emotion.

    Parameters
    ----------
    segments : sequence of Segment
        Rows in any order; empty gives nothing.
    unit : {'s', 'ms', 'us', 'ns'}
        Unit of every time: ``ms`` unless the user says otherwise.
    """
    turns: list[Turn] = []
    spans: list[Span] = []
    for segment in sorted(segments, key=lambda one: one.offset_ms):
        start = scale(segment.offset_ms, unit)
        end = scale(segment.offset_ms + segment.duration_ms, unit)
        if not _speech(segment.human_transcript):
            tags = {"role": segment.speaker_role, "machine_transcript": segment.transcript}
            spans.append(Span(type="noise", name=segment.human_transcript, start_s=start, end_s=end, attributes=tags))
            continue
        unknown = any(mark in segment.human_transcript for mark in SPEECH_UNKNOWN)
        turns.append(
            Turn(
                role=segment.speaker_role,
                text=segment.human_transcript,
                heard=None if segment.transcript is None else without_tags(segment.transcript),
                truth=None if unknown else without_tags(segment.human_transcript),
                start_s=start,
                end_s=end,
                words=_words(segment, unit),
            )
        )
        if segment.dialog_acts or segment.emotion:
            said = {
                "turn_ix": len(turns) - 1,
                "dialog_acts": segment.dialog_acts,
                "emotion": segment.emotion,
                "by": "machine",
            }
            spans.append(Span(type="annotation", start_s=start, end_s=end, attributes=said))
    return turns, spans


def heard_in_noise(spans: Sequence[Span]) -> list[str]:
    """Return the words, place and speaker of each span of noise in which the machine heard words."""
    found = []
    for span in spans:
        about = span.attributes or {}
        words = without_tags(str(about.get("machine_transcript") or ""))
        if span.type == "noise" and words:
            found.append(f"{words!r} at {span.start_s:.2f} s ({about['role']})")
    return found


def without_tags(text: str) -> str:
    """Return a text without its tags, spaces folded."""
    return " ".join(_TAG.sub(" ", text).split())


def _speech(text: str) -> bool:
    return bool(without_tags(text)) or "[unintelligible]" in text


def _words(segment: Segment, unit: TimeUnit) -> list[Word] | None:
    """Return the machine's words with its times, or None where they do not pair up."""
    words = (segment.transcript or "").split()
    offsets, durations = segment.word_offsets_ms, segment.word_durations_ms
    if not words or not len(words) == len(offsets) == len(durations):
        return None
    return [
        Word(
            word=word,
            start_s=scale(segment.offset_ms + offset, unit),
            end_s=scale(segment.offset_ms + offset + duration, unit),
            source="machine",
        )
        for word, offset, duration in zip(words, offsets, durations, strict=True)
        if not _TAG.fullmatch(word)
    ]


def track_offset_s(segments: Sequence[Segment], role: str, unit: TimeUnit) -> float:
    """Return where a speaker's own track starts on the call's timeline, in seconds (0 when not stated)."""
    offsets = [
        segment.offset_ms - segment.start_ms
        for segment in segments
        if segment.speaker_role == role and segment.start_ms is not None
    ]
    return scale(min(offsets), unit) if offsets else 0.0
