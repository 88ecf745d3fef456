"""What a bar of speech is: said and drawn alike in every lane, so that a pause a verdict rests on can be seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

RULE = "speech as scores read it: any pause that the hangover does not bridge parts two; checks join those under 0.2 s"
PALE = "faint (breath, a click, bleed), not read as speech by views and checks"
TURNS = "turns, those less than 0.2 s apart as one"
PALE_OPACITY = 0.3


def opacity() -> pl.Expr:
    """Return how strongly each bar is drawn, from the column `faint`."""
    import polars as pl

    faint = pl.col("faint").fill_null(value=False)
    return pl.when(faint).then(pl.lit(PALE_OPACITY)).otherwise(pl.lit(1.0)).alias("opacity")


def said(faint: pl.Series) -> str:
    """Return what the bars of a chart are, for its subtitle.

    Parameters
    ----------
    faint : polars.Series of bool
        Of each bar: null where it comes from the times of turns.

    Returns
    -------
    str
        Pale bars are explained only where there is one.
    """
    if not len(faint):
        return "no bar of speech"
    if faint.null_count() == len(faint):
        return f"bars: {TURNS}"
    return f"bars: {RULE}" + (f"; pale: {PALE}" if faint.any() else "")
