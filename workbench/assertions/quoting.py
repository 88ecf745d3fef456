"""One sentence about what was heard in place of what was said: quoted words, or numbers."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from workbench.text.numbers import canonical

if TYPE_CHECKING:
    from workbench.text.numbers import Number
    from workbench.text.spelling import Token

LONGEST = 160
_QUOTE = 40
_MOST = 3

Parts = list[tuple[list["Token"], list["Token"]]]


def words_differ(parts: Parts, *, heard: str, truth: str) -> str:
    """Return what was heard in place of which words.

    Parameters
    ----------
    parts : list of (list of Token, list of Token)
        What `difference.differences` gives, heard first.
    heard, truth : str
        The texts, for the words as written.

    Returns
    -------
    str
        At most `LONGEST` characters, three differences and the number of further ones. Not escaped.
    """
    texts = tuple(unicodedata.normalize("NFKC", text) for text in (heard, truth))
    return _sentence([_clause(_quoted(ours, texts[0]), _quoted(theirs, texts[1])) for ours, theirs in parts])


def numbers_differ(pairs: list[tuple[list[Number], list[Number]]], parts: Parts, *, heard: str, truth: str) -> str:
    """Return which numbers were heard in place of which.

    Parameters
    ----------
    pairs : list of (list of Number, list of Number)
        What `alignment.misaligned` gives, heard first.
    parts : list of (list of Token, list of Token)
        Differing words of the same texts: where one side has no number, its words there are quoted.
    heard, truth : str
        The texts.

    Returns
    -------
    str
        As `words_differ` gives it.
    """
    texts = tuple(unicodedata.normalize("NFKC", text) for text in (heard, truth))
    clauses = []
    for pair in pairs:
        words = None if all(pair) else _around(pair, parts)
        if words is None:
            clauses.append(_clause(*(_digits(side) for side in pair)))
        else:
            clauses.append(_clause(_quoted(words[0], texts[0]), _quoted(words[1], texts[1])))
    return _sentence(list(dict.fromkeys(clauses)))


def _around(pair: tuple[list[Number], list[Number]], parts: Parts) -> tuple[list[Token], list[Token]] | None:
    """Return the differing words in which a number stands against words without one."""
    side = 0 if pair[0] else 1
    number = pair[side][0]
    for words in parts:
        inside = any(token.start <= number.start < token.end for token in words[side])
        if inside and words[1 - side] and not any(token.numeric for token in words[1 - side]):
            return words
    return None


def _digits(found: list[Number]) -> str:
    if len(found) == 1:
        return canonical(found[0].value)
    return "".join(number.digits for number in found)


def _quoted(words: list[Token], text: str) -> str:
    if not words:
        return ""
    raw = " ".join(text[words[0].start : words[-1].end].split())
    return f'"{_cut(raw, _QUOTE)}"'


def _clause(heard: str, said: str) -> str:
    if not said:
        return f"heard {heard}, which the caller did not say"
    if not heard:
        return f"did not hear {said}"
    return f"heard {heard} where the caller said {said}"


def _sentence(clauses: list[str]) -> str:
    shown = clauses[:_MOST]
    if len(clauses) > _MOST:
        shown.append(f"and {len(clauses) - _MOST} more")
    text = "; ".join(shown)
    return _cut(text[:1].upper() + text[1:] + ".", LONGEST)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"
