"""What was said against what was heard, word by word."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.assertions.hearing import differing_words
from workbench.text.visible import visible

if TYPE_CHECKING:
    import polars as pl

    from workbench.text.spelling import Token

OPEN, CLOSE = "⟦", "⟧"
_WORD = re.compile(r"\S+")
Words = list[tuple[str, bool]]


def differing(said: str, heard: str, *, language: str = "en") -> tuple[Words, Words]:
    """Align two texts and say of each word whether it differs, as the checks of mishearing see it.

    Parameters
    ----------
    said, heard : str
        Two versions of one turn. Case, punctuation, fillers, and the writing of numbers, spelled letters and
        compounds make no difference (normaliser ``words-numbers/2``).
    language : str, default 'en'
        Primary language tag, whose fillers are left out.

    Returns
    -------
    tuple of list of (str, bool)
        The words of `said` and of `heard` as written, each with True where the other text has not the same.
        An empty text gives an empty list.

    Examples
    --------
    >>> differing("Fifteen dollars to L A X.", "fifty dollars to LAX")[0]
    [('Fifteen', True), ('dollars', False), ('to', False), ('L', False), ('A', False), ('X.', False)]
    """
    parts = differing_words(heard, said, language=language)
    return _marked(said, [token for _, theirs in parts for token in theirs]), _marked(
        heard, [token for ours, _ in parts for token in ours]
    )


def _marked(text: str, differ: list[Token]) -> Words:
    composed = unicodedata.normalize("NFKC", text)  # in which tokens have their places
    places = list(_WORD.finditer(composed))
    written = text.split()
    if len(written) != len(places):
        written = [place[0] for place in places]
    found, at = [], 0
    for word, place in zip(written, places, strict=True):
        while at < len(differ) and differ[at].end <= place.start():
            at += 1
        found.append((word, at < len(differ) and differ[at].start < place.end()))
    return found


def primary(language: str | None) -> str:
    """Return the primary tag of a call's language.

    Parameters
    ----------
    language : str or None
        For instance "en-GB".

    Returns
    -------
    str
        In lower case; "en" where the language is not known.
    """
    return (language or "en").partition("-")[0].lower()


def bracketed(marked: Words) -> str:
    """Return words as text, differing ones in ``⟦⟧``; neighbours share a pair.

    Parameters
    ----------
    marked : list of (str, bool)
        As :func:`differing` gives them.

    Returns
    -------
    str
        Safe to show, see :func:`workbench.text.visible.visible`.
    """
    text = " ".join(f"{OPEN}{visible(word)}{CLOSE}" if differs else visible(word) for word, differs in marked)
    return text.replace(f"{CLOSE} {OPEN}", " ")


def as_html(marked: Words) -> str:
    """Return words as HTML, differing ones in ``<mark>``; everything is escaped.

    Parameters
    ----------
    marked : list of (str, bool)
        As :func:`differing` gives them.

    Returns
    -------
    str
        HTML without any tag but ``mark``.
    """
    parts = []
    for word, differs in marked:
        escaped = html.escape(visible(word))
        parts.append(f"<mark>{escaped}</mark>" if differs else escaped)
    return " ".join(parts)


def compared(turn: Mapping[str, Any], *, language: str | None = None) -> list[tuple[str, Words]]:
    """Return the versions of a turn that are known, each with its differing words.

    Parameters
    ----------
    turn : mapping
        A row of the table `turns`: `text`, `heard`, `truth`.
    language : str, optional
        Language of the call.

    Returns
    -------
    list of (str, list of (str, bool))
        `said`, `heard` and `truth`, those that were supplied; a truth that is the transcript to the letter is
        left out. What was heard is compared with the truth where it is known, else with the transcript;
        nothing differs where one of the two was never supplied.
    """
    reference = "truth" if turn["truth"] not in {None, turn["text"]} else "text"
    names = {"text": "said", "heard": "heard", "truth": "truth"}
    known = [column for column in names if turn[column] is not None and (column != "truth" or reference == "truth")]
    found = {column: [(word, False) for word in turn[column].split()] for column in known}
    if "heard" in found and reference in found:
        found[reference], found["heard"] = differing(turn[reference], turn["heard"], language=primary(language))
    return [(names[column], words) for column, words in found.items()]


def turn_texts(turns: pl.DataFrame, *, language: str | None = None) -> pl.DataFrame:
    """Return the turns as a table to read: said, heard and truth, with differing words in brackets.

    Parameters
    ----------
    turns : polars.DataFrame
        Rows of the table `turns`.
    language : str, optional
        Language of the call.

    Returns
    -------
    polars.DataFrame
        `turn_ix`, `role`, `start_s`, `end_s`, `said`, `heard`, `truth` as :func:`compared` gives them, and
        `differing_count`: words that differ on the side with more of them, null where there is nothing to
        compare. Columns that no turn supplies are left out; empty input gives no rows.
    """
    import polars as pl

    rows = []
    for turn in turns.sort("turn_ix").iter_rows(named=True):
        versions = dict(compared(turn, language=language))
        both = "heard" in versions and len(versions) > 1
        row = {name: turn[name] for name in ("turn_ix", "role", "start_s", "end_s")}
        row |= {name: bracketed(words) for name, words in versions.items()}
        differs = [sum(flag for _, flag in words) for words in versions.values()]
        rows.append({**row, "differing_count": max(differs) if both else None})
    schema = {
        "turn_ix": pl.Int32, "role": pl.String, "start_s": pl.Float64, "end_s": pl.Float64,
        "said": pl.String, "heard": pl.String, "truth": pl.String, "differing_count": pl.Int32,
    }  # fmt: skip
    frame = pl.DataFrame(rows, schema=schema)
    empty = [n for n in ("said", "heard", "truth", "differing_count") if frame[n].null_count() == len(frame)]
    return frame.drop(empty) if len(frame) else frame
