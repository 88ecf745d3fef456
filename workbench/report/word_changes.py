"""Said, heard and truth of a turn side by side, with the words that differ marked."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

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


def lines(text: str | None, heard: str | None, truth: str | None) -> tuple[Line, ...]:
    """Return the versions of a turn that differ, the true one first.

    What was really said is `truth` where it is known, else the transcript's `text`; what was heard is
    `heard`, else `text`. Words are compared without case and punctuation.

    Parameters
    ----------
    text, heard, truth : str or None
        As in the table `turns`.

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
    if said is None or got is None or _words(said) == _words(got):
        only = said if said is not None else got or ""
        found = [Line("", (Piece(short(only) or "", changed=False),))]
    else:
        left, right = _compare(said, got)
        found = [Line("said" if truth is None else "really said", left)]
        found.append(Line("transcript" if heard is None else "heard", right))
    if text is not None and _words(text) not in (_words(said or ""), _words(got or "")):
        found.append(Line("transcript", (Piece(short(text) or "", changed=False),)))
    return tuple(found)


def _words(text: str) -> list[str]:
    bare = ("".join(sign for sign in word if sign.isalnum()) for word in text.casefold().split())
    return [word for word in bare if word]


def _compare(said: str, got: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both texts cut where they differ; texts of very many words are not compared word by word."""
    one, two = said.split(), got.split()
    if max(len(one), len(two)) > MOST_WORDS:
        return (Piece(short(said) or "", changed=False),), (Piece(short(got) or "", changed=False),)
    keys = [["".join(_words(word)) for word in words] for words in (one, two)]
    left, right = [], []
    for tag, a, b, c, d in SequenceMatcher(None, keys[0], keys[1], autojunk=False).get_opcodes():
        if b > a:
            left.append(Piece(" ".join(one[a:b]), changed=tag != "equal"))
        if d > c:
            right.append(Piece(" ".join(two[c:d]), changed=tag != "equal"))
    return tuple(left), tuple(right)
