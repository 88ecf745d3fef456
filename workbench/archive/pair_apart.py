"""Two files of one call that never sound at the same time: mostly offsets of another unit, so the import says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workbench.archive.pairs import others
from workbench.decimals import decimals
from workbench.schema.call import Call, Refusal
from workbench.timing.stated_roles import PARTIES

HINT = "check offset_s of the two, and import them again with --replace; if it is in milliseconds, divide it by 1000"


def pair_apart(call: Call, recordings: Iterable[Mapping[str, Any]]) -> Refusal | None:
    """Return a note where one of a call's two files begins after the other has ended.

    Parameters
    ----------
    call : Call
        Its files may come from any format.
    recordings : iterable of mapping
        Its rows of `recordings`: `call_id`, `recording_id`, `channel_roles`, `boundary`, `offset_s`, `duration_s`.

    Returns
    -------
    Refusal or None
        Of scope ``note``, with both spans on the clock of the call. None where the two meet, and for a call without
        a file of each party.
    """
    rows = {row["recording_id"]: row for row in recordings}
    both = [rows[name] for _, name in others(rows.values())]
    sides = [row for party in PARTIES for row in both if party in row["channel_roles"]]
    spans = [(row["offset_s"], row["offset_s"] + row["duration_s"]) for row in sides]
    if len(spans) < len(PARTIES) or max(start for start, _ in spans) < min(end for _, end in spans):
        return None
    said = " and ".join(
        f"the {party}'s file lasts from {decimals(start)} to {decimals(end)} s"
        for party, (start, end) in zip(PARTIES, spans, strict=True)
    )
    message = f"{said}, so the two never sound at the same time"
    return Refusal(
        source_uri=call.source_uri or "-",
        location=f"call {call.id}",
        rule="pair_apart",
        message=message,
        hint=HINT,
        scope="note",
        call_id=call.id,
    )
