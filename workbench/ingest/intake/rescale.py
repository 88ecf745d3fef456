"""Rescales every time of a call whose file gave them in another unit than it said."""

from __future__ import annotations

from typing import Any, Final

from workbench.ingest.intake.units import scale
from workbench.ingest.protocol import TimeUnit
from workbench.schema.call import Call

TIMES: Final = ("start_s", "end_s", "time_s", "onset_s", "offset_s", "duration_s")


def rescale(call: Call, unit: TimeUnit) -> None:
    """Change every `_s` field of a call from `unit` to seconds, in place.

    For importers whose format gives seconds: with `--time-unit ms` its numbers are milliseconds after all.
    `stage_timings` keep their own unit.
    """
    if unit == "s":
        return
    words = [word for turn in call.turns or () for word in turn.words or ()]
    rows: list[Any] = [call, *words]
    for kind in (call.turns, call.tool_calls, call.spans, call.labels, call.audio):
        rows.extend(kind or ())
    for row in rows:
        for name in TIMES:
            value = getattr(row, name, None)
            if value is not None:
                setattr(row, name, scale(value, unit))
