"""Where two texts differ in more than a space or hyphen."""

from __future__ import annotations

from difflib import SequenceMatcher
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.text.spelling import Token

_NEGATIONS = {"not", "no", "non", "never", "nor", "un"}
_LONE = {"a", "i", "o"}


def differences(left: list[Token], right: list[Token]) -> list[tuple[list[Token], list[Token]]]:
    """Align two texts and return where they differ in more than a space or hyphen.

    Parameters
    ----------
    left, right : list of Token
        What `spelling.tokens` gives for two texts.

    Returns
    -------
    list of (list of Token, list of Token)
        In order; one side is empty where the other has words more. Empty for texts that are the same.
    """
    ours, theirs = ([token.word for token in side] for side in (left, right))
    if ours == theirs:
        return []
    if "".join(ours) == "".join(theirs):
        return [part for part in _between_shared_gaps(left, right) if not _only_spacing(*part)]
    return [
        (left[a0:a1], right[b0:b1])
        for tag, a0, a1, b0, b1 in SequenceMatcher(None, ours, theirs, autojunk=False).get_opcodes()
        if tag != "equal" and not _only_spacing(left[a0:a1], right[b0:b1])
    ]


def _between_shared_gaps(left: list[Token], right: list[Token]) -> Iterator[tuple[list[Token], list[Token]]]:
    """Cut two texts of the same letters wherever both have a gap; yield the parts whose words differ."""
    ours, theirs = (list(accumulate(len(token.word) for token in side)) for side in (left, right))
    shared = set(theirs)
    a0 = b0 = 0
    for a1, place in enumerate(ours, 1):
        if place in shared:
            b1 = theirs.index(place, b0) + 1
            if [token.word for token in left[a0:a1]] != [token.word for token in right[b0:b1]]:
                yield left[a0:a1], right[b0:b1]
            a0, b0 = a1, b1


def _only_spacing(ours: list[Token], theirs: list[Token]) -> bool:
    """Return whether words differ in where they are parted alone.

    A negation keeps its own place ("not able" is not "notable", but "can not" is "cannot"), and so does a
    lone vowel that is a word ("a part" is not "apart") unless letters were spelled out ("A T", "at").
    """
    if not ours or "".join(token.word for token in ours) != "".join(token.word for token in theirs):
        return False
    by_letter = any(token.by_letter for token in (*ours, *theirs))
    sides = [{token.word for token in side} for side in (ours, theirs)]
    apart = sides[0] ^ sides[1]
    return not (apart & _LONE and not by_letter) and not (apart & _NEGATIONS and "cannot" not in apart)
