"""Phrases per language, found as whole words whatever the case, the apostrophe or the spacing.

**Conventions.** A phrase is literal text, not an expression. It begins and ends at a word boundary where its
own first or last character is a letter or digit: ``correct?`` may end a sentence. A phrase does not count
where one of the language's negations stands up to ``reach`` words before it ("can't confirm", "unable to
fully confirm").
"""

from __future__ import annotations

import re
import unicodedata

import polars as pl
from msgspec import Struct

from workbench.text.normalize import APOSTROPHES


class Phrases(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Phrases of a language, and the words before them that turn them into their opposite."""

    says: list[str]
    negations: list[str] = []


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
    folded = (
        text.str.replace_all(f"[{APOSTROPHES}]", "'")
        .str.normalize("NFKC")
        .str.to_lowercase()
        .str.replace_all(r"\s+", " ")
    )
    everything = Phrases(
        says=[phrase for language_phrases in phrases.values() for phrase in language_phrases.says],
        negations=[word for language_phrases in phrases.values() for word in language_phrases.negations],
    )
    answer: pl.Expr = pl.when(language.is_null()).then(_found(folded, everything, reach)).otherwise(None)
    for tag, of_language in sorted(phrases.items()):
        answer = pl.when(language == tag).then(_found(folded, of_language, reach)).otherwise(answer)
    return answer


def primary_tag(language: pl.Expr) -> pl.Expr:
    """Return the primary tag of a BCP 47 language: ``en`` of ``en-GB``."""
    return language.str.to_lowercase().str.split("-").list.first()


def _found(folded: pl.Expr, phrases: Phrases, reach: int) -> pl.Expr:
    said = _any_of(phrases.says)
    if phrases.negations:
        negated = rf"{_any_of(phrases.negations)}(?: [\w']+){{0,{reach}}} {said}"
        folded = folded.str.replace_all(negated, " … ")
    return folded.str.contains(said)


def _any_of(phrases: list[str]) -> str:
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
