"""Fields of a transcript row under the many names that systems give them, and their times as seconds.

A number of at least 10^8 is a point on the calendar in s, ms, us or ns by its size; a smaller one is seconds
from the start of the call, or whatever unit the user names.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

import msgspec
from msgspec import Struct

from workbench.errors import ImportFailed
from workbench.ingest.intake.shape import since_1970, utc
from workbench.ingest.intake.units import scale
from workbench.ingest.protocol import TimeUnit
from workbench.schema.call import ToolCall

SPEAKER: Final = ("speaker", "role", "who", "from", "source", "party")
WORDS: Final = ("text", "content", "message", "utterance", "transcript", "value")
HEARD: Final = ("heard", "asr", "recognised", "recognized", "asr_text")
TIME: Final = ("started_at", "timestamp", "time", "ts", "at", "start")
TOOLS: Final = ("tool_calls", "tools", "function_calls")
TURNS: Final = ("turns", "conversation", "messages", "transcript", "events")

_CALENDAR: Final[tuple[tuple[float, TimeUnit], ...]] = ((1e17, "ns"), (1e14, "us"), (1e11, "ms"), (1e8, "s"))


class Clock(Struct, frozen=True):
    """A time of a row: seconds, whether they are on the calendar, and the unit they came in."""

    seconds: float
    calendar: bool
    unit: TimeUnit


def first(row: dict[str, Any], names: Iterable[str]) -> Any:
    """Return the first value under these names that is not missing, null or empty."""
    for name in names:
        value = row.get(name)
        if value is not None and value not in ("", []):
            return value
    return None


def words_of(row: dict[str, Any]) -> str | None:
    """Return what was said, with the parts of a list of parts joined, or None when there is nothing."""
    value = first(row, WORDS)
    if isinstance(value, list):
        parts = [part.get("text") if isinstance(part, dict) else part for part in value]
        value = " ".join(part for part in parts if isinstance(part, str))
    return value.strip() or None if isinstance(value, str) else None


def clock_of(row: dict[str, Any], *, unit: TimeUnit | None) -> Clock | None:
    """Return the time of a row, or None when it has none that can be read.

    Parameters
    ----------
    row : dict
        One row of a transcript.
    unit : {'s', 'ms', 'us', 'ns'} or None
        What the user says the unit is.
    """
    value = first(row, TIME)
    if isinstance(value, str):
        try:
            moment = utc(datetime.fromisoformat(value))
        except (ValueError, ImportFailed):
            try:
                value = float(value)
            except ValueError:
                return None
        else:
            return None if moment is None else Clock(moment.timestamp(), calendar=True, unit="s")
    if isinstance(value, bool) or not isinstance(value, int | float) or not -1e21 < value < 1e21:
        return None
    for least, calendar in _CALENDAR:
        if value >= least and unit in (None, calendar):
            return Clock(scale(value, calendar), calendar=True, unit=calendar)
    return Clock(scale(value, unit or "s"), calendar=False, unit=unit or "s")


def moment_of(clock: Clock) -> datetime | None:
    """Return the calendar moment of a clock, or None when it only counts from the start of the call.

    Raises
    ------
    ImportFailed
        As :func:`~workbench.ingest.intake.shape.since_1970`.
    """
    return since_1970(clock.seconds) if clock.calendar else None


def tools_of(row: dict[str, Any], *, turn_ix: int) -> list[ToolCall]:
    """Return the tool calls of a row; one without a name is left out."""
    rows = first(row, TOOLS)
    return [
        call
        for item in (rows if isinstance(rows, list) else [])
        if isinstance(item, dict) and (call := _tool(item, turn_ix)) is not None
    ]


def _tool(item: dict[str, Any], turn_ix: int) -> ToolCall | None:
    function = item.get("function")
    if isinstance(function, dict):  # the shape of chat completions
        item = {**item, **function, "function": function.get("name")}
    name = first(item, ("tool", "name", "function"))
    if not isinstance(name, str):
        return None
    error = first(item, ("error",))
    return ToolCall(
        name=name,
        turn_ix=turn_ix,
        arguments=as_json(first(item, ("arguments", "args", "input"))),
        result=as_json(first(item, ("result", "output"))),
        error=None if error is None else str(error),
    )


def as_json(value: Any) -> Any:
    """Return the value that a string of JSON stands for; anything else as it is."""
    if isinstance(value, str):
        try:
            return msgspec.json.decode(value)
        except (msgspec.MsgspecError, RecursionError):
            return value
    return value
