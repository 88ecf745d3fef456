"""The caller waited too long for the agent to start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import polars as pl
from msgspec import Meta, Struct

from workbench.assertions.speech import CLOCK, clocked, last, no_verdict, speech, surely_above
from workbench.assertions.verdicts import as_json, conclude, findings, milliseconds, otherwise

if TYPE_CHECKING:
    from workbench.assertions.pack import Definition
    from workbench.assertions.rows import Rows

KIND = "slow_response"
ABOUT = "The agent starts too long after the caller ended."
MAGNITUDE = "response gap in seconds"
STRETCH = True
EARLY_MS = 50
"""An agent that starts no more than this before the caller's end answers, after 0 s."""

NonNegative = Annotated[float, Meta(ge=0)]


class Parameters(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Thresholds in seconds.

    ``max_gap_s``: longest response gap allowed. ``held_floor_s``: an agent still speaking this much longer
    than the caller kept the floor, and its next turn is no response. ``merge_gap_s``: a pause in the measured
    speech of one role that is shorter than this ends no turn; 0.35 s are 0.2 s after a hangover of 0.15 s, the
    quiet that ends a turn in the scoring of labelled moments.
    """

    max_gap_s: NonNegative = 1.5
    held_floor_s: NonNegative = 0.3
    merge_gap_s: NonNegative = 0.35


def evaluate(rows: Rows, definition: Definition) -> pl.DataFrame:
    """Fail each agent stretch that follows the caller's end by more than the budget.

    Parameters
    ----------
    rows : Rows
        Turns or measured speech.
    definition : Definition
        With :class:`Parameters`.

    Returns
    -------
    polars.DataFrame
        SKIPPED where no caller stretch is followed by an agent's.
    """
    limits = definition.settings(Parameters)
    stretches, clocks = speech(rows, merge_gap_s=limits.merge_gap_s)
    responses = clocked(
        stretches.with_columns(
            caller_start=last("caller", "start_ms"),
            caller_end=last("caller", "end_ms"),
            caller_turn=last("caller", "turn_ix"),
            caller_untimed=last("caller", "untimed"),
            agent_start=last("agent", "start_ms"),
            agent_end=last("agent", "end_ms"),
        )
        .filter(
            (pl.col("role") == "agent")
            & (pl.col("caller_end") - EARLY_MS <= pl.col("start_ms"))
            & (pl.col("agent_start") < pl.max_horizontal("caller_start", pl.col("caller_end") - EARLY_MS)).fill_null(
                value=True
            )
            & (pl.col("agent_end") <= pl.col("caller_end") + milliseconds(limits.held_floor_s)).fill_null(value=True)
            & (pl.col("untimed") == pl.col("caller_untimed"))
        )
        .with_columns(caller_end=pl.min_horizontal("caller_end", "start_ms")),
        clocks,
        start="caller_end",
        end="start_ms",
        length="gap_s",
    )
    measured = responses.group_by("call_id").agg(pl.len().alias("n"), pl.col("gap_s").max().alias("longest"))
    calls = clocks.join(measured, on="call_id", how="left").with_columns(pl.col("n").fill_null(0))
    return conclude(
        findings(
            responses.filter(surely_above(limits.max_gap_s)),
            definition,
            message=pl.format("The agent started {} s after the caller ended.", "gap_s"),
            observed=as_json(gap_s=pl.col("gap_s")),
            expected=as_json(max_gap_s=pl.lit(limits.max_gap_s)),
            evidence=as_json(
                turns=pl.concat_list("caller_turn", "turn_ix").list.drop_nulls(),
                **CLOCK,
            ),
            magnitude=pl.col("sure_s"),
        ),
        otherwise(
            calls,
            reasons=[
                *no_verdict(),
                (
                    pl.col("n") == 0,
                    "SKIPPED",
                    "No stretch of the caller is followed by a response of the agent.",
                ),
            ],
            passed=pl.format("All responses ({}) began in time.", "n"),
            observed=as_json(responses=pl.col("n"), longest_gap_s=pl.col("longest")),
            evidence=as_json(**CLOCK),
        ),
    )
