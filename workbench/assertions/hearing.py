"""What the recogniser delivered beside what the caller really said."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from workbench.assertions.phrases import primary_tag
from workbench.assertions.quoting import numbers_differ, words_differ
from workbench.text.alignment import misaligned
from workbench.text.difference import differences
from workbench.text.numbers import LANGUAGES, canonical, same_numbers
from workbench.text.spelling import numbers_said, tokens

if TYPE_CHECKING:
    from workbench.assertions.rows import Rows
    from workbench.text.numbers import Number
    from workbench.text.spelling import Token

NORMALISER = "words-numbers/2"
_PAIR = ["heard_text", "truth", "tag"]


class _Verdict(NamedTuple):
    """What the comparison of two texts gives."""

    same_words: bool
    same_numbers: bool
    heard_numbers: list[str]
    truth_numbers: list[str]
    words_message: str | None
    numbers_message: str | None


_SAME = _Verdict(
    same_words=True, same_numbers=True, heard_numbers=[], truth_numbers=[], words_message=None, numbers_message=None
)
_TYPES = (pl.Boolean, pl.Boolean, pl.List(pl.String), pl.List(pl.String), pl.String, pl.String)
_VERDICT = pl.Schema(zip(_Verdict._fields, _TYPES, strict=True))


def compared_turns(rows: Rows) -> pl.DataFrame:
    """Return the caller turns whose truth and heard text are both known, compared.

    What was heard is `heard`, or `text` where the recogniser's output was not kept apart.

    Parameters
    ----------
    rows : Rows
        `turns` and `calls`.

    Returns
    -------
    polars.DataFrame
        call_id, turn_ix, start_s, end_s, heard_text, truth, same_words, same_numbers, heard_numbers and
        truth_numbers (lists of text), words_message and numbers_message (what differs, null where nothing
        does), number_words_known (whether number words of the language are folded).
    """
    return rows.once("compared_turns", lambda: _compared_turns(rows))


def differing_words(heard: str, truth: str, *, language: str = "en") -> list[tuple[list[Token], list[Token]]]:
    """Return where two texts differ for the checks of mishearing.

    Parameters
    ----------
    heard, truth : str
        Two versions of what was said.
    language : str, default 'en'
        Primary language tag, whose fillers are left out.

    Returns
    -------
    list of (list of Token, list of Token)
        As `difference.differences` gives them; empty where the checks see no difference.
    """
    ours, theirs, _ = _numbers_of(heard, truth)
    return differences(tokens(heard, language=language, found=ours), tokens(truth, language=language, found=theirs))


def truth_by_call(rows: Rows) -> pl.DataFrame:
    """Return for each call how many caller turns there are and how many could be compared.

    Parameters
    ----------
    rows : Rows
        `turns` and `calls`.

    Returns
    -------
    polars.DataFrame
        call_id, has_turns, caller_turns, compared, unsure (compared turns whose words differ in a language
        whose number words are not folded).
    """
    compared = compared_turns(rows)
    callers = rows.table("turns").filter(pl.col("role") == "caller")
    return (
        rows.calls_with_evidence()
        .select("call_id", "has_turns")
        .join(callers.group_by("call_id").agg(pl.len().alias("caller_turns")), on="call_id", how="left")
        .join(
            compared.group_by("call_id").agg(
                pl.len().alias("compared"),
                (~pl.col("number_words_known") & ~pl.col("same_words")).sum().alias("unsure"),
            ),
            on="call_id",
            how="left",
        )
        .with_columns(pl.col("caller_turns", "compared", "unsure").fill_null(0))
    )


def without_truth() -> list[tuple[pl.Expr, str, pl.Expr | str]]:
    """Return the reasons for which mishearing cannot be seen, for `verdicts.otherwise`."""
    return [
        (~pl.col("has_turns"), "INCONCLUSIVE", "No turns were supplied."),
        (
            pl.col("compared") == 0,
            "INCONCLUSIVE",
            "No caller turn carries truth beside what was heard: mishearing cannot be seen.",
        ),
    ]


def _compared_turns(rows: Rows) -> pl.DataFrame:
    languages = rows.table("calls").select("call_id", tag=primary_tag(pl.col("language")).fill_null("en"))
    turns = (
        rows.table("turns")
        .filter(pl.col("role") == "caller")
        .with_columns(heard_text=pl.coalesce("heard", "text"))
        .filter(pl.col("truth").is_not_null() & pl.col("heard_text").is_not_null())
        .join(languages, on="call_id")
        .select("call_id", "turn_ix", "start_s", "end_s", *_PAIR)
    )
    return (
        turns.join(_verdicts(turns.select(_PAIR).unique()), on=_PAIR, how="left")
        .with_columns(number_words_known=pl.col("tag").is_in(list(LANGUAGES)))
        .sort("call_id", "turn_ix")
    )


def _verdicts(pairs: pl.DataFrame) -> pl.DataFrame:
    """Compare each distinct pair of texts once."""
    found = [
        _SAME if heard == truth else _compared(heard, truth, language) for heard, truth, language in pairs.iter_rows()
    ]
    verdicts = pl.DataFrame(found, schema=_VERDICT, orient="row")
    return pl.concat([pairs, verdicts], how="horizontal")


def _compared(heard: str, truth: str, language: str) -> _Verdict:
    ours, theirs, wrong = _numbers_of(heard, truth)
    parts = differences(tokens(heard, language=language, found=ours), tokens(truth, language=language, found=theirs))
    return _Verdict(
        same_words=not parts,
        same_numbers=not wrong,
        heard_numbers=[canonical(number.value) for number in ours],
        truth_numbers=[canonical(number.value) for number in theirs],
        words_message=words_differ(parts, heard=heard, truth=truth) if parts else None,
        numbers_message=numbers_differ(wrong, parts, heard=heard, truth=truth) if wrong else None,
    )


def _numbers_of(heard: str, truth: str) -> tuple[list[Number], list[Number], list[tuple[list[Number], list[Number]]]]:
    """Return the numbers of two texts and those that differ.

    What may be a number or not is read as one where only that makes them equal: "22nd" and "twenty second".
    """
    ours, theirs = numbers_said(heard), numbers_said(truth)
    wrong = [] if same_numbers(ours, theirs) else misaligned(ours, theirs)
    if wrong:
        loosely = [numbers_said(text, loosely=True) for text in (heard, truth)]
        for left, right in (tuple(loosely), (loosely[0], theirs), (ours, loosely[1])):
            if not misaligned(left, right):
                return left, right, []
    return ours, theirs, wrong
