"""Nobody spoke for too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import polars as pl
from msgspec import Meta, Struct

from workbench.assertions.speech import CLOCK, clocked, no_verdict, speech, surely_above
from workbench.assertions.verdicts import as_json, conclude, findings, otherwise

if TYPE_CHECKING:
    from workbench.assertions.pack import Definition
    from workbench.assertions.rows import Rows

KIND = "dead_air"
ABOUT = "Nobody speaks for too long between two stretches of speech."
MAGNITUDE = "silence in seconds"
STRETCH = True

NonNegative = Annotated[float, Meta(ge=0)]


class Parameters(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Thresholds in seconds.

    ``max_silence_s``: longest silence allowed. ``merge_gap_s``: a pause in the measured speech of one
    role that is shorter than this is speech.
    """

    max_silence_s: NonNegative = 3.0
    merge_gap_s: NonNegative = 0.2


def evaluate(rows: Rows, definition: Definition) -> pl.DataFrame:
    """Fail each silence between stretches of speech that is longer than the limit.

    Silence is where the union of all speech has a hole, so a turn under way counts as speech even when a
    later one has ended. Silence before the first and after the last stretch is not judged: a recording may
    begin and end anywhere.

    Parameters
    ----------
    rows : Rows
        Turns or measured speech, here of any role.
    definition : Definition
        With :class:`Parameters`.

    Returns
    -------
    polars.DataFrame
        The turn is the one before the silence. SKIPPED with fewer than two stretches.
    """
    limits = definition.settings(Parameters)
    stretches, clocks = speech(rows, merge_gap_s=limits.merge_gap_s, any_role=True)
    reached = pl.col("end_ms").cum_max()
    leader = pl.when(pl.col("end_ms") >= reached).then(pl.int_range(pl.len())).forward_fill().shift(1)
    silences = clocked(
        stretches.with_columns(
            before_end=reached.shift(1).over("call_id"),
            before_turn=pl.col("turn_ix").gather(leader).over("call_id"),
            before_role=pl.col("role").gather(leader).over("call_id"),
            before_untimed=pl.col("untimed").gather(leader).over("call_id"),
        ).filter((pl.col("start_ms") > pl.col("before_end")) & (pl.col("untimed") == pl.col("before_untimed"))),
        clocks,
        start="before_end",
        end="start_ms",
        length="silence_s",
    ).with_columns(after_turn=pl.col("turn_ix"), turn_ix=pl.col("before_turn"))
    longest = silences.group_by("call_id").agg(pl.col("silence_s").max().alias("longest"))
    spoken = stretches.group_by("call_id").agg(pl.len().alias("n"))
    calls = clocks.join(spoken, on="call_id", how="left").join(longest, on="call_id", how="left")
    calls = calls.with_columns(pl.col("n").fill_null(0))
    return conclude(
        findings(
            silences.filter(surely_above(limits.max_silence_s)),
            definition,
            message=pl.format("Nobody spoke for {} s.", "silence_s"),
            observed=as_json(silence_s=pl.col("silence_s")),
            expected=as_json(max_silence_s=pl.lit(limits.max_silence_s)),
            evidence=as_json(
                turns=pl.concat_list("before_turn", "after_turn").list.drop_nulls(),
                between=pl.concat_list("before_role", "role"),
                **CLOCK,
            ),
            magnitude=pl.col("sure_s"),
        ),
        otherwise(
            calls,
            reasons=[
                *no_verdict(),
                (pl.col("n") < 2, "SKIPPED", "There are fewer than two stretches of speech."),
            ],
            passed=pl.format("No silence between {} stretches of speech is too long.", "n"),
            observed=as_json(stretches=pl.col("n"), longest_silence_s=pl.col("longest")),
            evidence=as_json(**CLOCK),
        ),
    )
