"""Said, heard and truth of a turn side by side, with the words that differ marked."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby

from workbench.analysis.turn_texts import Words, differing, primary
from workbench.report.wording import short

MOST_WORDS = 200


@dataclass(frozen=True)
class Piece:
    """A few words of a line, and whether the other line lacks them."""

    text: str
    changed: bool


@dataclass(frozen=True)
class Line:
    """One version of a turn: what it is ("" for the only one), and its words."""

    label: str
    pieces: tuple[Piece, ...]


def lines(text: str | None, heard: str | None, truth: str | None, *, language: str | None = None) -> tuple[Line, ...]:
    """Return the versions of a turn that differ, the true one first.

    What was really said is `truth` where it is known, else the transcript's `text`; what was heard is
    `heard`, else `text`. Words differ where the checks of mishearing see a difference.

    Parameters
    ----------
    text, heard, truth : str or None
        As in the table `turns`.
    language : str, optional
        Language of the call.

    Returns
    -------
    tuple of Line
        One line without a label where all versions say the same; empty when nothing was supplied.

    Examples
    --------
    >>> [line.label for line in lines("fifty dollars", None, "fifteen dollars")]
    ['really said', 'transcript']
    """
    said, got = (truth if truth is not None else text), (heard if heard is not None else text)
    if said is None and got is None:
        return ()
    if said is None or got is None or not _differ(said, got, language):
        only = said if said is not None else got or ""
        found = [Line("", (Piece(short(only) or "", changed=False),))]
    else:
        left, right = _compare(said, got, language)
        found = [Line("said" if truth is None else "really said", left)]
        found.append(Line("transcript" if heard is None else "heard", right))
    if text is not None and all(_differ(text, other or "", language) for other in (said, got)):
        found.append(Line("transcript", (Piece(short(text) or "", changed=False),)))
    return tuple(found)


def _differ(one: str, other: str, language: str | None) -> bool:
    if one.split() == other.split():
        return False
    if _long(one, other):
        return True
    return any(differs for side in differing(one, other, language=primary(language)) for _, differs in side)


def _long(one: str, other: str) -> bool:
    """Tell whether texts have too many words to compare them word by word."""
    return max(len(one.split()), len(other.split())) > MOST_WORDS


def _compare(said: str, got: str, language: str | None) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both texts cut where they differ."""
    if _long(said, got):
        return (Piece(short(said) or "", changed=False),), (Piece(short(got) or "", changed=False),)
    left, right = differing(said, got, language=primary(language))
    return _pieces(left), _pieces(right)


def _pieces(words: Words) -> tuple[Piece, ...]:
    return tuple(
        Piece(" ".join(word for word, _ in group), changed=changed)
        for changed, group in groupby(words, key=lambda item: item[1])
    )
