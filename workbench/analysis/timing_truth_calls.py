"""Calls whose speech is known: by labels, by a transcript with times, or because they were made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.audio.perturb import write_wav
from workbench.errors import ImportFailed, UsageError
from workbench.timing.truth import TruthCall
from workbench.timing.truth_rendered import rendered

if TYPE_CHECKING:
    from workbench.schema.call import Call

BRIDGED_S = 0.2
"""Words of a party closer than this are one stretch: the silence that ends a turn in the scoring."""

LABELS, WORDS, MACHINE, TURNS, EXACT = (
    "labelled stretches of speech",
    "word times of the transcript",
    "word times set by a recogniser",
    "turn times of the transcript",
    "rendered: exact to the sample",
)


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """A call whose speech is known, and where its sound is; `rest` are the options of a headerless file."""

    call: TruthCall
    path: Path
    roles: tuple[str, ...]
    truth: str
    rest: dict[str, Any] = msgspec.field(default_factory=dict)


def known_calls(place: Path) -> tuple[list[Item], list[dict[str, str]]]:
    """Return the calls of a folder whose speech is known, and those left out with the reason.

    Parameters
    ----------
    place : path
        As :func:`benchmark` takes it.

    Returns
    -------
    tuple of list of Item and list of dict

    Raises
    ------
    UsageError
        When the folder holds no call.
    """
    from workbench.ingest import read
    from workbench.schema.call import Call

    items: list[Item] = []
    left_out: list[dict[str, str]] = []
    for call in read([place]):
        if not isinstance(call, Call):
            if call.scope in ("row", "note"):
                continue
            left_out.append({"source": place.name, "call_id": call.source_uri, "reason": call.message})
            continue
        item, reason = _item(call)
        if item is not None:
            items.append(item)
        else:
            left_out.append({"source": place.name, "call_id": call.id, "reason": reason})
    if not items and not left_out:
        raise UsageError("no call was found", where=str(place), hint="give a folder of calls with sound and labels")
    return items, left_out


def _item(call: Call) -> tuple[Item | None, str]:
    from workbench.audio.read import probe

    both = [audio for audio in call.audio or () if {"caller", "agent"} <= set(audio.channels)]
    if not both:
        return None, "no recording with caller and agent in channels of their own"
    stretches, truth = known_speech(call)
    if not all(stretches.values()):
        return None, "no times of speech of both parties: neither labels of kind speech nor a transcript with times"
    audio = both[0]
    rest: dict[str, Any] = {"encoding": audio.encoding, "sample_rate_hz": audio.sample_rate_hz}
    try:
        info = probe(audio.path, **rest)
    except ImportFailed as error:
        return None, error.what
    known = TruthCall(
        call_id=call.id,
        sample_rate_hz=info.sample_rate_hz,
        duration_s=info.duration_s,
        offset_s=audio.offset_s,
        stretches=stretches,
    )
    return Item(call=known, path=Path(audio.path), roles=tuple(audio.channels), truth=truth, rest=rest), ""


def known_speech(call: Call) -> tuple[dict[str, list[tuple[float, float]]], str]:
    """Return when caller and agent are known to speak, and what says so.

    Parameters
    ----------
    call : Call
        Its labels of kind ``speech`` are taken; where there are none, the times of its words, else of its turns.

    Returns
    -------
    tuple of dict and str
        Starts and ends in seconds by role, pauses shorter than 0.2 s bridged; empty lists where nothing is known.
    """
    found: dict[str, list[tuple[float, float]]] = {"caller": [], "agent": []}
    said: dict[str | None, None] = {}
    for label in call.labels or ():
        role = label.value.get("role") if isinstance(label.value, dict) else None
        if label.kind == "speech" and role in found and label.onset_s is not None and label.end_s is not None:
            found[role].append((label.onset_s, label.end_s))
            said[label.authority] = None
    truth = f"{LABELS}, authority: {'; '.join(authority or 'not stated' for authority in said)}"
    if not any(found.values()):
        truth = TURNS
        for turn in call.turns or ():
            if turn.role not in found or turn.start_s is None or turn.end_s is None:
                continue
            words = [(w.start_s, w.end_s) for w in turn.words or () if w.start_s is not None and w.end_s is not None]
            if turn.words and words:
                truth = MACHINE if turn.words[0].source == "machine" else WORDS
            found[turn.role] += words or [(turn.start_s, turn.end_s)]
    return {role: _bridged(some) for role, some in found.items()}, truth


def _bridged(stretches: list[tuple[float, float]]) -> list[tuple[float, float]]:
    joined: list[tuple[float, float]] = []
    for start, end in sorted(stretches):
        if joined and start - joined[-1][1] < BRIDGED_S - 1e-9:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def rendered_calls(condition: str, *, count: int, folder: Path) -> list[Item]:
    """Return calls with exact boundaries, their sound written as WAV files.

    Parameters
    ----------
    condition : str
        A key of :data:`workbench.timing.truth_rendered.CONDITIONS`.
    count : int
        How many.
    folder : path
        Where the files go.

    Returns
    -------
    list of Item
    """
    items = []
    for call, sound in rendered(condition, count=count):
        path = folder / f"{call.call_id}.wav"
        write_wav(path, sound)
        items.append(Item(call=call, path=path, roles=("caller", "agent"), truth=EXACT))
    return items
