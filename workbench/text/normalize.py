"""Named, versioned normalisers of what was said.

**Conventions.** A normaliser is a pure function from text to text; its name with a version goes wherever its
result goes, and a change of behaviour is a new version. The raw text is kept beside the result.

- ``words/1``: Unicode-compatible composition, case folded, apostrophes inside words dropped, every other
  character that is neither letter, mark nor digit a space, spaces single.
- ``words-numbers/1``: the same after spoken numbers are written as digits and neighbouring numbers joined,
  so that "fifteen", "15" and "Fifteen!" are equal.
- ``words-numbers/2``: see `workbench.text.spelling`.
"""

from __future__ import annotations

import re
import unicodedata

from workbench.text.numbers import Number, write_digits

APOSTROPHES = "’‘‛ʼ′`´＇"
DASHES = "‐‑‒–—―−﹣－"
_FOLD = str.maketrans(dict.fromkeys(APOSTROPHES, "'") | dict.fromkeys(DASHES, "-") | {"\u00ad": None})
_INNER_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_NOT_ASCII_WORD = re.compile(r"[^a-z0-9]+")
_JOIN_NUMBERS = re.compile(r"(?<=\d) (?=\d)")


def fold(text: str) -> str:
    """Return text with case, composition, apostrophes, dashes and spaces made uniform.

    Parameters
    ----------
    text : str
        Any text; the punctuation is kept.

    Returns
    -------
    str
        Empty for empty text.

    Examples
    --------
    >>> fold("  You’d   LIKE — fifteen?")
    "you'd like - fifteen?"
    """
    # An acute accent that stands alone would decompose into a space and a mark: apostrophes first.
    composed = unicodedata.normalize("NFKC", text.translate(_FOLD)).casefold()
    return " ".join(unicodedata.normalize("NFKC", composed).translate(_FOLD).split())


def words(text: str) -> str:
    """Return the words of a text, normaliser ``words/1``.

    Parameters
    ----------
    text : str
        Any text in any script.

    Returns
    -------
    str
        Words with single spaces; empty where there is no letter or digit.

    Examples
    --------
    >>> words("That’s  right, Größe!")
    'thats right grösse'
    """
    folded = _INNER_APOSTROPHE.sub("", fold(text))
    if folded.isascii():
        return " ".join(_NOT_ASCII_WORD.sub(" ", folded).split())
    kept = "".join(char if unicodedata.category(char)[0] in "LMN" else " " for char in folded)
    return " ".join(kept.split())


def words_numbers(text: str, *, found: list[Number] | None = None) -> str:
    """Return the words of a text with numbers as digits, normaliser ``words-numbers/1``.

    Parameters
    ----------
    text : str
        Any text; number words are English.
    found : list of Number, optional
        What `numbers.numbers` gives for the text, where it is known.

    Returns
    -------
    str
        Words with single spaces. Neighbouring numbers are joined, as "four one five" and "415" differ in
        writing only.

    Examples
    --------
    >>> words_numbers("twenty-five dollars"), words_numbers("25 Dollars.")
    ('25 dollars', '25 dollars')
    """
    return _JOIN_NUMBERS.sub("", words(write_digits(text, found=found)))
