"""The recogniser delivered another number than the caller said."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from msgspec import Struct

from workbench.assertions.hearing import NORMALISER, compared_turns, truth_by_call, without_truth
from workbench.assertions.verdicts import as_json, conclude, findings, otherwise, plural

if TYPE_CHECKING:
    from workbench.assertions.pack import Definition
    from workbench.assertions.rows import Rows

KIND = "misheard_number"
ABOUT = "The numbers that were heard are not the numbers the caller said."


class Parameters(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """No parameters."""


def evaluate(rows: Rows, definition: Definition) -> pl.DataFrame:
    """Fail each caller turn whose numbers differ in value or order from the truth.

    Parameters
    ----------
    rows : Rows
        Caller turns with `truth`, and `heard` or `text`.
    definition : Definition
        No parameters.

    Returns
    -------
    polars.DataFrame
        Without truth INCONCLUSIVE: a misheard number leaves no trace in a transcript. In a language whose
        number words are not folded a difference in words may be one in numbers: FAIL only where as many
        digits stand on both sides and differ, else INCONCLUSIVE.
    """
    turns = compared_turns(rows)
    same_count = pl.col("heard_numbers").list.len() == pl.col("truth_numbers").list.len()
    wrong = turns.filter(~pl.col("same_numbers") & (pl.col("number_words_known") | same_count))
    evidence = {"normaliser": pl.lit(NORMALISER), "number_words": pl.lit("en")}
    return conclude(
        findings(
            wrong,
            definition,
            message=pl.col("numbers_message"),
            observed=as_json(numbers=pl.col("heard_numbers"), heard=pl.col("heard_text")),
            expected=as_json(numbers=pl.col("truth_numbers"), truth=pl.col("truth")),
            evidence=as_json(turns=pl.concat_list("turn_ix"), **evidence),
        ),
        otherwise(
            truth_by_call(rows),
            reasons=[
                *without_truth(),
                (
                    pl.col("unsure") > 0,
                    "INCONCLUSIVE",
                    plural(
                        "unsure",
                        one="1 turn differs in a language whose number words are not folded.",
                        many="{} turns differ in a language whose number words are not folded.",
                    ),
                ),
            ],
            passed=pl.format(
                "The numbers of {} of {} were heard right.",
                "compared",
                plural("caller_turns", one="1 caller turn", many="{} caller turns"),
            ),
            observed=as_json(compared=pl.col("compared"), caller_turns=pl.col("caller_turns")),
            evidence=as_json(**evidence),
        ),
    )
