"""What was said against what was heard, word by word."""

from __future__ import annotations

import html
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from workbench.text.normalize import words_numbers
from workbench.text.visible import visible

if TYPE_CHECKING:
    import polars as pl

OPEN, CLOSE = "⟦", "⟧"
Words = list[tuple[str, bool]]


def differing(said: str, heard: str) -> tuple[Words, Words]:
    """Align two texts and say of each word whether it differs.

    Parameters
    ----------
    said, heard : str
        Two versions of one turn. Case, punctuation and the writing of single number words make no difference
        (normaliser ``words-numbers/1``, word by word).

    Returns
    -------
    tuple of list of (str, bool)
        The words of `said` and of `heard` as written, each with True where the other text has not the same.
        Words without a letter or digit never differ. An empty text gives an empty list.

    Examples
    --------
    >>> differing("Fifteen dollars.", "fifty dollars")
    ([('Fifteen', True), ('dollars.', False)], [('fifty', True), ('dollars', False)])
    """
    written = [text.split() for text in (said, heard)]
    folded = [[words_numbers(word) for word in side] for side in written]
    kept = [[ix for ix, word in enumerate(side) if word] for side in folded]
    left, right = ([folded[n][ix] for ix in kept[n]] for n in (0, 1))
    differs = [[False] * len(side) for side in written]
    for tag, a0, a1, b0, b1 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag != "equal":
            for n, (begin, end) in enumerate(((a0, a1), (b0, b1))):
                for ix in kept[n][begin:end]:
                    differs[n][ix] = True
    first, second = (list(zip(written[n], differs[n], strict=True)) for n in (0, 1))
    return first, second


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


def compared(turn: Mapping[str, Any]) -> list[tuple[str, Words]]:
    """Return the versions of a turn that are known, each with its differing words.

    Parameters
    ----------
    turn : mapping
        A row of the table `turns`: `text`, `heard`, `truth`.

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
        found[reference], found["heard"] = differing(turn[reference], turn["heard"])
    return [(names[column], words) for column, words in found.items()]


def turn_texts(turns: pl.DataFrame) -> pl.DataFrame:
    """Return the turns as a table to read: said, heard and truth, with differing words in brackets.

    Parameters
    ----------
    turns : polars.DataFrame
        Rows of the table `turns`.

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
        versions = dict(compared(turn))
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
