"""What only the spelling of a text says, folded: normaliser ``words-numbers/2``.

**Conventions.** On top of ``words-numbers/1`` these are one: spelled letters and the word they spell ("L A X",
"Z K three" and "ZK3"; "p m", "p.m." and "pm"), a currency sign and its word behind the number, its singular
included ("$120", "120 dollars"), full hours with and without their zeros ("4:00", "four"). Fillers of the
language that stand alone are left out; "uh-uh" and "uh-huh" are answers and stay. An ordinal is its number
("25th", "twenty fifth", 25), as in ``words-numbers/1``.

Words that differ in a space or hyphen alone ("check book", "e-mail") are one when two texts are compared
(`workbench.text.difference`), which a normaliser that sees one text cannot decide.
"""

from __future__ import annotations

import re
import unicodedata
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from workbench.text.normalize import words
from workbench.text.numbers import Number, canonical, numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

FILLERS = MappingProxyType(
    {
        "en": frozenset({"uh", "um", "uhm", "er", "erm", "hm", "hmm"}),
        "da": frozenset({"øh", "øhm", "hm", "hmm"}),
        "de": frozenset({"äh", "ähm", "öh", "öhm", "hm", "hmm"}),
    }
)
"""By primary language tag. Danish and German "er" and German "um" are words."""

EITHER = MappingProxyType({"second": "two", "oh": "zero", "o": "zero"})
"""Words that are a number in one place and none in another."""

_ANSWERS = {("uh", "uh"), ("uh", "huh"), ("um", "hum"), ("mm", "hm"), ("mm", "hmm"), ("hm", "hm"), ("hmm", "hmm")}
_SIGNS = {"$": "dollars", "€": "euros", "£": "pounds"}
_CURRENCIES = {"dollar": "dollars", "euro": "euros", "pound": "pounds"}
_BEFORE = re.compile(r"([$€£])\s?$")
_BEHIND = re.compile(r"\s?([$€£])(?!\s?\d)")
_HALVES = {"a", "p"}
_CHUNK = re.compile(r"\S+")
_PIECE = re.compile(r"[A-Za-z0-9]+(?:'[A-Za-z0-9]+)*")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_LONE = {"a", "i", "o"}


class Token(NamedTuple):
    """A word as it is compared, and where it stands in the NFKC form of the text."""

    word: str
    start: int
    end: int
    numeric: bool = False
    alone: bool = True
    """Whether it is all there is between two spaces."""
    by_letter: bool = False
    """Whether it was spelled letter by letter."""


def spelled(text: str, *, language: str = "en") -> str:
    """Return the words of a text as they are compared, normaliser ``words-numbers/2``.

    Parameters
    ----------
    text : str
        Any text; number words are English.
    language : str, default 'en'
        Primary language tag, whose fillers are left out.

    Returns
    -------
    str
        Words with single spaces; empty where only fillers are said.

    Examples
    --------
    >>> spelled("Um, to L A X by four p m, for $120")
    'to lax by 4 pm for 120 dollars'
    """
    return " ".join(token.word for token in tokens(text, language=language))


def numbers_said(text: str, *, loosely: bool = False) -> list[Number]:
    """Return the numbers of a text, a full hour without its zeros.

    Parameters
    ----------
    text : str
        Any text.
    loosely : bool, default False
        Read "second" as 2 and "oh" as 0 (`EITHER`), which they are in "twenty second" and "seven oh three"
        and not everywhere.

    Returns
    -------
    list of Number
        As `numbers.numbers` gives them, but "4:00" is 4.
    """
    found = numbers(text, also=EITHER if loosely else None)
    if ":00" not in text:
        return found
    composed = unicodedata.normalize("NFKC", text)
    kept: list[Number] = []
    for number in found:
        hour = kept[-1] if kept else None
        full = hour is not None and composed[hour.end : number.end] == ":00"
        if full and hour is not None and composed[hour.start : hour.end].isdecimal() and hour.value < 25:
            kept[-1] = hour._replace(end=number.end)
        else:
            kept.append(number)
    return kept


def tokens(text: str, *, language: str = "en", found: list[Number] | None = None) -> list[Token]:
    """Return the words of a text with their places.

    Parameters
    ----------
    text : str
        Any text.
    language : str, default 'en'
        Primary language tag, whose fillers are left out; no fillers are known for others than `FILLERS`.
    found : list of Number, optional
        What `numbers_said` gives for the text, where it is known.

    Returns
    -------
    list of Token
        In order; empty where there is no word.
    """
    composed = unicodedata.normalize("NFKC", text)
    said = numbers_said(text) if found is None else found
    made = _drop_fillers(composed, _all(composed, said), FILLERS.get(language, frozenset()))
    return _joined(made)


def _all(text: str, found: list[Number]) -> Iterator[Token]:
    """Yield every word and number, currency signs as words behind their number."""
    at, counted = 0, False
    for number in found:
        sign = _BEFORE.search(text, max(at, number.start - 2), number.start)
        yield from _in_gap(text, at, number.start, counted=counted)
        start, end = sign.start() if sign else number.start, number.end
        behind = None if sign else _BEHIND.match(text, end)
        if behind:
            end = behind.end()
        yield Token(canonical(number.value), start, end, numeric=True)
        mark = sign or behind
        if mark:
            yield Token(_SIGNS[mark[1]], start, end)
        at, counted = end, not mark
    yield from _in_gap(text, at, len(text), counted=counted)


def _in_gap(text: str, start: int, end: int, *, counted: bool) -> Iterator[Token]:
    """Yield the words between two numbers; a currency's singular directly behind a number is its plural."""
    for chunk in _CHUNK.finditer(text, start, end):
        for token in _pieces(chunk[0], chunk.start()):
            yield token._replace(word=_CURRENCIES.get(token.word, token.word)) if counted else token
            counted = False


def _pieces(chunk: str, at: int) -> list[Token]:
    if chunk.isascii():
        found = list(_PIECE.finditer(chunk))
        alone = len(found) == 1
        return [Token(one[0].lower().replace("'", ""), at + one.start(), at + one.end(), alone=alone) for one in found]
    parts = words(chunk).split()
    kept = _EDGES.sub("", chunk) or chunk
    start = at + chunk.index(kept)
    return [Token(part, start, start + len(kept), alone=len(parts) == 1) for part in parts]


def _drop_fillers(text: str, made: Iterator[Token], fillers: frozenset[str]) -> list[Token]:
    """Leave out fillers: not parts of "uh-huh", not "uh huh", not ER in capitals."""
    every = list(made)
    kept = []
    for ix, token in enumerate(every):
        if token.word in fillers and token.alone:
            before = (every[ix - 1].word, token.word) if ix else None
            behind = (token.word, every[ix + 1].word) if ix + 1 < len(every) else None
            capitals = token.word == "er" and text[token.start : token.end] == "ER"
            if not capitals and before not in _ANSWERS and behind not in _ANSWERS:
                continue
        kept.append(token)
    return kept


def _joined(made: list[Token]) -> list[Token]:
    """Join halves of the day, neighbouring whole numbers, and what is spelled letter by letter."""
    found: list[Token] = []
    ix = 0
    while ix < len(made):
        end = _half_of_day(made, ix) or _integers(made, ix)
        found.append(_one(made[ix:end]) if end else made[ix])
        ix = end or ix + 1
    spelled_out: list[Token] = []
    ix = 0
    while ix < len(found):
        end = _code(found, ix)
        spelled_out.append(_one(found[ix:end])._replace(by_letter=True) if end else found[ix])
        ix = end or ix + 1
    return spelled_out


def _one(parts: list[Token]) -> Token:
    numeric = all(part.numeric for part in parts)
    return Token("".join(part.word for part in parts), parts[0].start, parts[-1].end, numeric=numeric)


def _letter(token: Token) -> bool:
    return len(token.word) == 1 and not token.numeric and token.word.isascii()


def _half_of_day(made: list[Token], ix: int) -> int | None:
    """Return the end of "p", "m" behind a number, or None."""
    pair = made[ix].word in _HALVES and ix and made[ix - 1].numeric and ix + 1 < len(made) and made[ix + 1].word == "m"
    longer = ix + 2 < len(made) and _letter(made[ix + 2]) and made[ix + 2].word not in _LONE
    return ix + 2 if pair and not longer else None


def _integers(made: list[Token], ix: int) -> int | None:
    """Return the end of neighbouring whole numbers, or None."""
    end = ix
    while end < len(made) and made[end].numeric and "." not in made[end].word:
        end += 1
    return end if end - ix > 1 else None


def _code(found: list[Token], ix: int) -> int | None:
    """Return the end of letters and numbers that stand for themselves, or None: "Z K 3", "ZK3", not "4 pm"."""
    end, letters, glued = ix, 0, False
    while end < len(found):
        token = found[end]
        touches = end > ix and token.start == found[end - 1].end and token.numeric != found[end - 1].numeric
        touching = touches and token.word not in {"am", "pm"}
        leads = (
            end + 1 < len(found) and found[end + 1].numeric and found[end + 1].start == token.end and not token.numeric
        )
        if not (_letter(token) or (token.numeric and "." not in token.word) or touching or leads):
            break
        letters += _letter(token)
        glued |= touching
        end += 1
    return end if end - ix > 1 and (letters > 1 or glued) else None
