"""What moments can be parted by: facts of the call, and how its two sides sounded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.archive.call_slices import SLICES

if TYPE_CHECKING:
    import polars as pl

FACTS = ("agent_version", "source_format", "expect", "author")
PARTS = (*FACTS, *SLICES)
"""Columns of the view `timing_events` by which times can be parted; slices last."""

CHOICES = {
    "all together": None,
    "version of the agent": "agent_version",
    "source": "source_format",
    "what was labelled": "expect",
    "who labelled": "author",
    "noisy caller": "caller_noisy",
    "narrow-band caller": "caller_narrow_band",
    "fast-talking agent": "agent_fast_talker",
}
"""The same as a reader chooses among them."""

SLICE_CHOICES = {said: name for said, name in CHOICES.items() if name in SLICES}
"""How a call sounded alone, for what is counted per call."""

ALL = "all"
"""The group of a frame that is not parted."""

_SAID = {
    "caller_noisy": ("noisy caller", "caller not noisy"),
    "caller_narrow_band": ("narrow-band caller", "wide-band caller"),
    "agent_fast_talker": ("fast-talking agent", "agent not fast"),
}


def group_of(by: str | None) -> pl.Expr:
    """Return the group of each row as text.

    Parameters
    ----------
    by : str, optional
        Column that parts the rows; one of `SLICES` gives words, and "not described" where it is null.

    Returns
    -------
    polars.Expr
        `group`; :data:`ALL` for None, "not supplied" where another column is null.
    """
    import polars as pl

    if by is None:
        return pl.lit(ALL).alias("group")
    if by not in _SAID:
        return pl.col(by).cast(pl.String).fill_null("not supplied").alias("group")
    true, false = _SAID[by]
    words = pl.when(pl.col(by)).then(pl.lit(true)).otherwise(pl.lit(false))
    return pl.when(pl.col(by).is_null()).then(pl.lit("not described")).otherwise(words).alias("group")
