"""Phrases per language, found as whole words whatever the case, the apostrophe or the spacing.

**Conventions.** A phrase is literal text, not an expression. It begins and ends at a word boundary where its
own first or last character is a letter or digit: ``correct?`` may end a sentence. With ``^`` before it, it
begins the text or follows a mark of punctuation: ``^you'd like``, not "which one you'd like". A phrase does not
count where one of the language's negations stands up to ``reach`` words before it ("can't confirm", "unable to
fully confirm", "which one would you like to book"), nor directly before one of ``not_before`` ("may I have",
"please confirm your name").
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, TypeVar

import polars as pl
from msgspec import Struct

from workbench.text.normalize import APOSTROPHES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

T = TypeVar("T")
_MARK = "\ue000"  # stands for a phrase; of no script, so no text holds it
_BEGINS = "(^ ?|[.!?,:;…*–—-] ?)"


class Phrases(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Phrases of a language, the words before them that undo them, and the words after them that do."""

    says: list[str]
    negations: list[str] = []
    not_before: list[str] = []


def says(text: pl.Expr, *, language: pl.Expr, phrases: dict[str, Phrases], reach: int) -> pl.Expr:
    """Return whether each text says one of the phrases.

    Parameters
    ----------
    text : polars.Expr
        Text; null gives null.
    language : polars.Expr
        Primary language tag in lower case; null where it is not known, then the phrases of all languages
        count.
    phrases : dict of str to Phrases
        By primary language tag.
    reach : int
        Words that may stand between a negation and the phrase it negates.

    Returns
    -------
    polars.Expr
        True, False, or null for a language without phrases.
    """
    folded = folding(text)
    everything = Phrases(
        says=[phrase for spoken in phrases.values() for phrase in spoken.says],
        negations=[word for spoken in phrases.values() for word in spoken.negations],
        not_before=[word for spoken in phrases.values() for word in spoken.not_before],
    )
    return by_language(
        folded, language, phrases, everything=everything, found=lambda told, spoken: contains(told, spoken, reach=reach)
    )


def by_language(
    folded: pl.Expr,
    language: pl.Expr,
    known: Mapping[str, T],
    *,
    everything: T,
    found: Callable[[pl.Expr, T], pl.Expr],
) -> pl.Expr:
    """Return what `found` gives for each text with the entry of its language.

    Parameters
    ----------
    folded : polars.Expr
        Texts.
    language : polars.Expr
        Primary language tag in lower case; null takes `everything`.
    known : mapping of str to T
        By primary language tag.
    everything : T
        For texts whose language is not known.
    found : callable
        Makes the expression of texts and one entry; it gets null in place of texts in other languages.

    Returns
    -------
    polars.Expr
        Null for a language that is not in `known`.
    """
    unknown = pl.when(language.is_null()).then(folded)
    told = [found(pl.when(language == tag).then(folded), entry) for tag, entry in sorted(known.items())]
    return pl.coalesce(found(unknown, everything), *told)


def folding(text: pl.Expr) -> pl.Expr:
    """Return text in lower case with plain apostrophes and single spaces, as phrases are compared."""
    return (
        text.str.replace_all(f"[{APOSTROPHES}]", "'")
        .str.normalize("NFKC")
        .str.to_lowercase()
        .str.replace_all(r"\s+", " ")
    )


def primary_tag(language: pl.Expr) -> pl.Expr:
    """Return the primary tag of a BCP 47 language: ``en`` of ``en-GB``."""
    return language.str.to_lowercase().str.split("-").list.first()


def contains(folded: pl.Expr, phrases: Phrases, *, reach: int) -> pl.Expr:
    """Return whether folded texts contain a phrase of one language that nothing undoes."""
    free = [phrase for phrase in phrases.says if not phrase.startswith("^")]
    opening = [phrase.removeprefix("^") for phrase in phrases.says if phrase.startswith("^")]
    marked = folded
    if opening:
        marked = marked.str.replace_all(f"{_BEGINS}{any_of(opening)}", f"${{1}} {_MARK} ")
    if free:
        marked = marked.str.replace_all(any_of(free), f" {_MARK} ")
    if phrases.not_before:
        marked = marked.str.replace_all(f"{_MARK} +{any_of(phrases.not_before)}", " … ")
    if phrases.negations:
        marked = marked.str.replace_all(rf"{any_of(phrases.negations)}(?: +[\w']+){{0,{reach}}} +{_MARK}", " … ")
    return marked.str.contains(_MARK, literal=True)


def any_of(phrases: list[str]) -> str:
    """Return the expression that finds any of the phrases in folded text, the longest first."""
    longest_first = sorted({_literal(phrase) for phrase in phrases}, key=lambda phrase: (-len(phrase), phrase))
    return "(?:" + "|".join(map(_bounded, longest_first)) + ")"


def _literal(phrase: str) -> str:
    """Write a phrase as `says` writes the text."""
    one = phrase.translate(dict.fromkeys(map(ord, APOSTROPHES), "'"))
    return " ".join(unicodedata.normalize("NFKC", one).lower().split())


def _bounded(phrase: str) -> str:
    start = r"\b" if phrase[:1].isalnum() else ""
    end = r"\b" if phrase[-1:].isalnum() else ""
    return f"{start}{re.escape(phrase).replace(chr(92) + ' ', ' ')}{end}"
