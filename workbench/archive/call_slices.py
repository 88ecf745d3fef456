"""Slices of calls by how their two sides sounded: the columns of the view `call_slices`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.archive.lake import Reader

SLICES = ("caller_noisy", "caller_narrow_band", "agent_fast_talker")
"""Each is true, false, or None where that side of the call was not described."""


def call_slices(reader: Reader) -> dict[str, dict[str, bool | None]]:
    """Return the slices of every call.

    Parameters
    ----------
    reader : Reader
        Of an archive.

    Returns
    -------
    dict of str to dict of str to bool or None
        By call, then by name of :data:`SLICES`.
    """
    rows = reader.frame("from call_slices").to_dicts()
    return {row["call_id"]: {name: row[name] for name in SLICES} for row in rows}
