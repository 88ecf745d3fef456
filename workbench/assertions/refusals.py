"""Answers that open with a refusal: "no", "um, not yet", "please don't".

**Conventions.** Only the opening counts, after fillers, marks of punctuation and what stands in brackets
("[noise] no"). An answer that also says one of ``unless`` is not a plain refusal: "no problem", "no insurance,
but please go ahead".
"""

from __future__ import annotations

import polars as pl
from msgspec import Struct

from workbench.assertions.phrases import Phrases, any_of, by_language, contains, folding

_REACH = 2


class Refusals(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """How a language refuses.

    ``opens``: openings. ``fillers``: words before them that say nothing. ``unless``: phrases with which the
    answer is no plain refusal, and ``negations`` that undo these ("no, don't go ahead").
    """

    opens: list[str]
    fillers: list[str] = []
    unless: list[str] = []
    negations: list[str] = []


def refuses(text: pl.Expr, *, language: pl.Expr, refusals: dict[str, Refusals]) -> pl.Expr:
    """Return whether each answer opens with a plain refusal.

    Parameters
    ----------
    text : polars.Expr
        Answers; null gives null.
    language : polars.Expr
        Primary language tag in lower case; null where it is not known, then the openings of all languages
        count.
    refusals : dict of str to Refusals
        By primary language tag.

    Returns
    -------
    polars.Expr
        True or False; False too for a language without openings.
    """
    if not refusals:
        return pl.when(text.is_not_null()).then(pl.lit(value=False))
    folded = folding(text.str.replace_all(r"\[[^\]]*\]|<[^>]*>", " "))
    everything = Refusals(
        opens=[phrase for spoken in refusals.values() for phrase in spoken.opens],
        fillers=[word for spoken in refusals.values() for word in spoken.fillers],
        unless=[phrase for spoken in refusals.values() for phrase in spoken.unless],
        negations=[word for spoken in refusals.values() for word in spoken.negations],
    )
    refused = by_language(folded, language, refusals, everything=everything, found=_opens)
    return pl.when(text.is_not_null()).then(refused.fill_null(value=False))


def _opens(folded: pl.Expr, spoken: Refusals) -> pl.Expr:
    fillers = rf"(?:\W*{any_of(spoken.fillers)})*" if spoken.fillers else ""
    opens = folded.str.contains(rf"^{fillers}\W*{any_of(spoken.opens)}")
    if not spoken.unless:
        return opens
    agrees = Phrases(says=spoken.unless, negations=spoken.negations)
    return opens & ~contains(folded, agrees, reach=_REACH)
