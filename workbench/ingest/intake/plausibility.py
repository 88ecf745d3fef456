"""Refuses calls whose clock cannot be in seconds, by thresholds no real speech reaches.

Speech runs at 2 to 4 words a second, so a word takes 0.25 to 0.5 s; with all silences of a call counted, a
few seconds. A factor of 1000 is therefore seen from afar, and the thresholds keep a factor of 30 and more
from either side.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Final

from workbench.decimals import decimals
from workbench.ingest.intake.refusing import of_call
from workbench.ingest.intake.units import PER_SECOND
from workbench.ingest.protocol import Options
from workbench.plural import plural
from workbench.schema.call import Call, Refusal

MAX_CALL_S: Final = 86_400.0
"""Longest call: a day."""

EPOCH_S: Final = 1e8
"""From here on times that all lie close together are dates (1973 and later), not times within a call."""

EPOCH_SPREAD: Final = 0.9
"""How close: the earliest over the latest."""

LETTERS_A_WORD: Final = 6
"""Counts words where a script has no spaces; English has about five letters and a space a word."""

MAX_SECONDS_A_WORD: Final = 60.0
"""Turn time over words, from 3 words; of each turn when all times are whole numbers, from one word on."""

MIN_SECONDS_A_WORD: Final = 0.01
"""Turn time over words, from 10 words: a hundred words a second."""

MAX_CALL_SECONDS_A_WORD: Final = 300.0
"""Time from first to last turn over words, from 20 words: less than one word in five minutes."""

MAX_GAP_S: Final = 300.0
"""Time from start to start when all times are whole and no turn has a length."""

FAR_SHARE: Final = 0.8
"""So many of the steps between three turns or more are that long; of two turns both are, and the start of the first."""

MAX_STAGE_MS: Final = 600_000.0
"""Longest reported latency: ten minutes."""

MIN_STAGE_MS: Final = 10.0
"""When the largest latency of a call is a fraction below this, it is in seconds."""

QUANTISED_FROM: Final = 4
"""So many times, all whole, are whole seconds by rounding and not by chance."""


def clock_problem(call: Call, options: Options) -> Refusal | None:
    """Return why the times of a call cannot be in seconds.

    Parameters
    ----------
    call : Call
        Times finite; the call is not changed.
    options : Options
        `time_unit` only words the hint.

    Returns
    -------
    Refusal or None
        Of scope ``call``, naming the field, its value and the option that mends it. None for a plausible
        call and for one without times.
    """
    times = list(_times(call))
    field, value = max(times, key=lambda pair: pair[1], default=("", 0.0))
    words, spoken, span = _speech(call)
    within = [time for name, time in times if not name.startswith(("duration", "audio"))]
    if value >= EPOCH_S and within and min(within) >= EPOCH_SPREAD * value:
        return of_call(
            call,
            "epoch_time",
            message=f"{field} is {decimals(value)}, a date and not seconds from the start of the call",
            hint="subtract the start of the call from every time",
        )
    if value > MAX_CALL_S:
        unit = _mends(value, words, spoken) or "ms"
        return _unit(call, f"{field} is {decimals(value)} s, longer than a day", _unit_hint(unit, options))
    early, least = min(times, key=lambda pair: pair[1], default=("", 0.0))
    if least < -MAX_CALL_S:
        message = f"{early} is {decimals(least)} s, more than a day before the call"
        return _unit(call, message, _unit_hint("ms", options))
    if call.turn_clock == "generated":
        return None
    if words >= 3 and spoken > MAX_SECONDS_A_WORD * words:
        message = f"turns.end_s: {words} words take {decimals(spoken)} s, {decimals(spoken / words)} s a word"
        return _unit(call, message, _unit_hint(_mends(value, words, spoken) or "ms", options))
    if words >= 20 and span > MAX_CALL_SECONDS_A_WORD * words:
        message = f"turns.start_s: {words} words lie {decimals(span)} s apart"
        return _unit(call, message, _unit_hint("ms", options))
    if words >= 10 and 0 < spoken < MIN_SECONDS_A_WORD * words:
        message = f"turns.end_s: {words} words take {decimals(spoken)} s, {decimals(spoken / words)} s a word"
        return _unit(call, message, _unit_hint("s", options))
    few = _few_words_problem(call)
    if few is not None:
        return _unit(call, few, _unit_hint("ms", options))
    return _stage_problem(call, options)


def _few_words_problem(call: Call) -> str | None:
    """Say why a call of few words is in milliseconds: whole numbers only, and nothing of it is short.

    A hold is one long gap beside short ones, and a time that was measured in seconds has a fraction, so both
    pass. The turns that last are asked first; only where none does are the gaps between starts.
    """
    turns = [turn for turn in call.turns or () if turn.start_s is not None]
    times = [time for turn in turns for time in (turn.start_s, turn.end_s) if time is not None]
    if not all(float(time).is_integer() for time in times):
        return None
    lasting = [
        (_words(text), turn.end_s - turn.start_s)
        for turn in turns
        if turn.start_s is not None and turn.end_s is not None and turn.end_s > turn.start_s
        if (text := turn.text or turn.truth or turn.heard)
    ]
    if lasting:
        words, spoken = max(1, sum(count for count, _ in lasting)), sum(lasts for _, lasts in lasting)
        if all(lasts > MAX_SECONDS_A_WORD * max(1, count) for count, lasts in lasting):
            return f"turns.end_s: each turn takes over a minute a word ({plural(words, 'word')}, {decimals(spoken)} s)"
        return None
    if any(turn.end_s is not None and turn.end_s > (turn.start_s or 0.0) for turn in turns):
        return None
    starts = sorted(turn.start_s for turn in turns if turn.start_s is not None)
    if len(starts) < 2:
        return None
    first, *between = [after - before for before, after in itertools.pairwise([0.0, *starts])]
    if min(first, *between) > MAX_GAP_S:
        return f"turns.start_s: {len(starts)} turns, all over {MAX_GAP_S:.0f} s apart"
    far = sum(gap > MAX_GAP_S for gap in between)
    if len(between) >= 2 and far >= FAR_SHARE * len(between):
        return f"turns.start_s: {far} of {len(between)} steps from turn to turn are over {MAX_GAP_S:.0f} s"
    return None


def whole_seconds(call: Call) -> bool:
    """Return whether every turn time is a whole second, from four times on."""
    times = [t for turn in call.turns or () for t in (turn.start_s, turn.end_s) if t is not None]
    return len(times) >= QUANTISED_FROM and all(float(time).is_integer() for time in times)


def _times(call: Call) -> Iterator[tuple[str, float]]:
    if call.duration_s is not None:
        yield "duration_s", call.duration_s
    for kind in ("turns", "tool_calls", "spans"):
        for ix, row in enumerate(getattr(call, kind) or ()):
            for name in ("start_s", "end_s", "time_s"):
                value = getattr(row, name, None)
                if value is not None:
                    yield f"{kind}[{ix}].{name}", value
    for ix, turn in enumerate(call.turns or ()):
        for word in turn.words or ():
            if word.end_s is not None:
                yield f"turns[{ix}].words.end_s", word.end_s
    for ix, label in enumerate(call.labels or ()):
        if label.onset_s is not None:
            yield f"labels[{ix}].onset_s", label.onset_s
    for ix, audio in enumerate(call.audio or ()):
        yield f"audio[{ix}].offset_s", audio.offset_s


def _speech(call: Call) -> tuple[int, float, float]:
    """Words and seconds of turns that last, and seconds from the first to the last turn."""
    words, spoken = 0, 0.0
    starts = [turn.start_s for turn in call.turns or () if turn.start_s is not None]
    for turn in call.turns or ():
        text = turn.text or turn.truth or turn.heard
        if text and turn.start_s is not None and turn.end_s is not None and turn.end_s > turn.start_s:
            words += _words(text)
            spoken += turn.end_s - turn.start_s
    if not words:
        words = sum(_words(turn.text or "") for turn in call.turns or () if turn.start_s is not None)
    return words, spoken, max(starts) - min(starts) if starts else 0.0


def _words(text: str) -> int:
    return max(len(text.split()), len(text) // LETTERS_A_WORD)


def _mends(value: float, words: int, spoken: float) -> str | None:
    """Return the unit that would make the largest time and the speech plausible."""
    for unit in ("ms", "us", "ns"):
        factor = PER_SECOND[unit]
        rate = spoken / factor / words if words >= 3 and spoken else 0.3
        if abs(value) / factor <= MAX_CALL_S and MIN_SECONDS_A_WORD <= rate <= MAX_SECONDS_A_WORD:
            return unit
    return None


def _stage_problem(call: Call, options: Options) -> Refusal | None:
    values = [
        (f"stage_timings[{ix}].value_ms", row.value_ms)
        for ix, row in enumerate(call.stage_timings or ())
        if row.value_ms is not None and row.stage in ("stt", "llm_ttft", "tts_ttfa", "e2e")
    ]
    field, value = max(values, key=lambda pair: pair[1], default=("", 0.0))
    if value > MAX_STAGE_MS:
        unit = "us" if value / 1_000 <= MAX_STAGE_MS else "ns"
        return _unit(call, f"{field} is {decimals(value)} ms, over ten minutes", _unit_hint(unit, options))
    if 0 < value < MIN_STAGE_MS and not value.is_integer():
        message = f"{field} is {decimals(value)} ms, and no latency of the call is longer"
        return _unit(call, message, _unit_hint("s", options))
    return None


def _unit_hint(unit: str, options: Options) -> str:
    if options.time_unit == unit:
        return f"--time-unit {unit} was given, and no unit mends them: correct the times where they come from"
    if options.time_unit is None:
        return f"--time-unit {unit}"
    return f"--time-unit {options.time_unit} was given; try --time-unit {unit} or leave it out"


def _unit(call: Call, message: str, hint: str) -> Refusal:
    return of_call(call, "time_unit", message=message, hint=hint)
