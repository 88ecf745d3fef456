"""What input health itself says would mend a call: advice that fits its files, where a reason alone does not tell."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from workbench.archive.lake import read_once

if TYPE_CHECKING:
    from workbench.archive.lake import Reader
    from workbench.archive.layout import Layout

Steps = dict[tuple[str, str], str]
"""Next step by call and reason."""

_STEPS = "select call_id, reason, next_step from input_health where next_step is not null"


def health_steps(reader: Reader, *, calls: Collection[str] | None = None) -> Steps:
    """Return what would mend each call that something stands against.

    Parameters
    ----------
    reader : Reader
        Of the archive.
    calls : collection of str, optional
        Only of these.

    Returns
    -------
    dict of (call, reason) to str
        `next_step` of `input_health`: of two files of a party each it speaks of files and their names, of one file of
        its channels. Of several recordings with one reason that of the first by id.
    """
    mine = "" if calls is None else "and list_contains($calls, call_id)"
    params = None if calls is None else {"calls": sorted(calls)}
    _, rows = reader.rows(f"{_STEPS} {mine} order by recording_id desc", params)
    return {(call_id, reason): step for call_id, reason, step in rows}


def steps_of(layout: Layout, events: Iterable[Mapping[str, Any]]) -> Steps:
    """Return what would mend the calls of scored events that give no verdict; nothing is read where there are none.

    Parameters
    ----------
    layout : Layout
        The archive.
    events : iterable of mapping
        `call_id` and `status`.

    Returns
    -------
    dict of (call, reason) to str
        As :func:`health_steps`.
    """
    calls = {event["call_id"] for event in events if event["status"] not in ("PASS", "FAIL")}
    return read_once(layout, lambda reader: health_steps(reader, calls=calls)) if calls else {}
