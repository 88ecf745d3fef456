"""The recogniser delivered other words than the caller said, with the same numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from msgspec import Struct

from workbench.assertions.hearing import NORMALISER, compared_turns, truth_by_call, without_truth
from workbench.assertions.verdicts import as_json, conclude, findings, otherwise, plural

if TYPE_CHECKING:
    from workbench.assertions.pack import Definition
    from workbench.assertions.rows import Rows

KIND = "misheard"
ABOUT = "The words that were heard are not the words the caller said, though the numbers are."


class Parameters(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """No parameters."""


def evaluate(rows: Rows, definition: Definition) -> pl.DataFrame:
    """Fail each caller turn whose words differ from the truth while its numbers agree.

    Parameters
    ----------
    rows : Rows
        Caller turns with `truth`, and `heard` or `text`.
    definition : Definition
        No parameters.

    Returns
    -------
    polars.DataFrame
        Without truth INCONCLUSIVE. A turn with other numbers is `misheard_number`'s, unless number words of
        the language are not folded and nobody can tell.
    """
    evidence = {"normaliser": pl.lit(NORMALISER)}
    same_count = pl.col("heard_numbers").list.len() == pl.col("truth_numbers").list.len()
    not_a_number = pl.col("same_numbers") | (~pl.col("number_words_known") & ~same_count)
    return conclude(
        findings(
            compared_turns(rows).filter(~pl.col("same_words") & not_a_number),
            definition,
            message=pl.col("words_message"),
            observed=as_json(heard=pl.col("heard_text")),
            expected=as_json(truth=pl.col("truth")),
            evidence=as_json(turns=pl.concat_list("turn_ix"), **evidence),
        ),
        otherwise(
            truth_by_call(rows),
            reasons=without_truth(),
            passed=pl.format(
                "The words of {} of {} were compared.",
                "compared",
                plural("caller_turns", one="1 caller turn", many="{} caller turns"),
            ),
            observed=as_json(compared=pl.col("compared"), caller_turns=pl.col("caller_turns")),
            evidence=as_json(**evidence),
        ),
    )
