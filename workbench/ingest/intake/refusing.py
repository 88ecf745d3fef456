"""Words a refusal of a call, or of a part of it."""

from __future__ import annotations

from typing import Final, Literal

from workbench.schema.call import Call, Refusal

Scope = Literal["file", "call", "row", "note"]

MAX_SHOWN: Final = 80
"""Letters of a found value that a message repeats."""


def shown(value: object) -> str:
    """Return a value as a message shows it, cut after 80 letters."""
    text = repr(value)
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."


def of_call(call: Call, rule: str, *, message: str, hint: str, where: str = "", scope: Scope = "call") -> Refusal:
    """Return a refusal that names the call by its id, and the place in it where one is given."""
    return Refusal(
        source_uri=call.source_uri or "",
        location=f"call {call.id}, {where}" if where else f"call {call.id}",
        rule=rule,
        message=message,
        hint=hint,
        scope=scope,
        call_id=call.id,
    )
