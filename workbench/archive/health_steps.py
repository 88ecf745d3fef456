"""What input health itself says would mend a call: advice that fits its files, where a reason alone does not tell."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.archive.lake import Reader

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
