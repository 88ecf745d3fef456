"""What the recogniser delivered beside what the caller really said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from workbench.text import numbers
from workbench.text.normalize import words_numbers

if TYPE_CHECKING:
    from workbench.assertions.rows import Rows

NORMALISER = "words-numbers/1"
_PAIR = ["heard_text", "truth"]


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
        truth_numbers (lists of text), number_words_known (whether number words of the language are folded).
    """
    return rows.once("compared_turns", lambda: _compared_turns(rows))


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
    turns = (
        rows.table("turns")
        .filter(pl.col("role") == "caller")
        .with_columns(heard_text=pl.coalesce("heard", "text"))
        .filter(pl.col("truth").is_not_null() & pl.col("heard_text").is_not_null())
        .select("call_id", "turn_ix", "start_s", "end_s", *_PAIR)
        .join(rows.table("calls").select("call_id", "language"), on="call_id")
    )
    primary = pl.col("language").str.to_lowercase().str.split("-").list.first()
    return (
        turns.join(_verdicts(turns.select(_PAIR).unique()), on=_PAIR, how="left")
        .with_columns(number_words_known=primary.is_in(list(numbers.LANGUAGES)).fill_null(value=True))
        .sort("call_id", "turn_ix")
    )


def _verdicts(pairs: pl.DataFrame) -> pl.DataFrame:
    """Compare each distinct pair of texts once."""
    heard, truth = pairs["heard_text"].to_list(), pairs["truth"].to_list()
    differing = {text for pair in zip(heard, truth, strict=True) if pair[0] != pair[1] for text in pair}
    found = {text: numbers.numbers(text) for text in differing}
    words = {text: words_numbers(text, found=found[text]) for text in differing}
    values = {text: [numbers.canonical(number.value) for number in found[text]] for text in differing}
    both = list(zip(heard, truth, strict=True))
    return pairs.with_columns(
        pl.Series("same_words", [h == t or words[h] == words[t] for h, t in both], dtype=pl.Boolean),
        pl.Series(
            "same_numbers",
            [h == t or numbers.same_numbers(found[h], found[t]) for h, t in both],
            dtype=pl.Boolean,
        ),
        pl.Series("heard_numbers", [values.get(h, []) for h in heard], dtype=pl.List(pl.String)),
        pl.Series("truth_numbers", [values.get(t, []) for t in truth], dtype=pl.List(pl.String)),
    )
