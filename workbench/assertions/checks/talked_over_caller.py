"""The agent went on speaking when the caller had started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import polars as pl
from msgspec import Meta, Struct

from workbench.assertions.speech import last, speech, usable
from workbench.assertions.verdicts import as_json, conclude, findings, in_seconds, milliseconds, otherwise

if TYPE_CHECKING:
    from workbench.assertions.pack import Definition
    from workbench.assertions.rows import Rows

KIND = "talked_over_caller"
ABOUT = "The agent is still speaking when the caller starts, for longer than a normal change of turns."
MAGNITUDE = "talk-over in seconds"

NonNegative = Annotated[float, Meta(ge=0)]


class Parameters(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Thresholds in seconds.

    ``max_overlap_s``: longest talk-over allowed. ``merge_gap_s``: measured speech of one role closer than
    this is one stretch.
    """

    max_overlap_s: NonNegative = 0.3
    merge_gap_s: NonNegative = 0.2


def evaluate(rows: Rows, definition: Definition) -> pl.DataFrame:
    """Fail each caller stretch that starts while the agent speaks and is talked over for too long.

    The talk-over ends where the first of the two ends, so a short backchannel into a long agent turn is
    short. Whether the agent should have yielded is not decided here: a backchannel asks for no yielding.

    Parameters
    ----------
    rows : Rows
        Turns or measured speech.
    definition : Definition
        With :class:`Parameters`.

    Returns
    -------
    polars.DataFrame
        The turn is the agent's. SKIPPED where the caller never speaks.
    """
    limits = definition.settings(Parameters)
    stretches, clocks = speech(rows, merge_gap_s=limits.merge_gap_s)
    callers = (
        stretches.with_columns(
            agent_start=last("agent", "start_ms"),
            agent_end=last("agent", "end_ms"),
            agent_turn=last("agent", "turn_ix"),
        )
        .filter(pl.col("role") == "caller")
        .join(clocks.select("call_id", "clock", "quantum_ms"), on="call_id")
        .with_columns(until_ms=pl.min_horizontal("agent_end", "end_ms"))
        .with_columns(
            over_ms=pl.when(pl.col("agent_start") < pl.col("start_ms"))
            .then((pl.col("until_ms") - pl.col("start_ms")).clip(0))
            .otherwise(0)
        )
        .with_columns(
            start_s=in_seconds(pl.col("start_ms")),
            end_s=in_seconds(pl.col("until_ms")),
            overlap_s=in_seconds(pl.col("over_ms")),
            sure_s=in_seconds(pl.col("over_ms") - pl.col("quantum_ms")),
            caller_turn=pl.col("turn_ix"),
            turn_ix=pl.col("agent_turn"),
        )
    )
    measured = callers.group_by("call_id").agg(pl.len().alias("n"), pl.col("overlap_s").max().alias("longest"))
    calls = clocks.join(measured, on="call_id", how="left").with_columns(pl.col("n").fill_null(0))
    return conclude(
        findings(
            callers.filter(milliseconds(pl.col("sure_s")) > milliseconds(limits.max_overlap_s)),
            definition,
            message=pl.format("The agent talked over the caller for {} s.", "overlap_s"),
            observed=as_json(overlap_s=pl.col("overlap_s")),
            expected=as_json(max_overlap_s=pl.lit(limits.max_overlap_s)),
            evidence=as_json(
                turns=pl.concat_list("agent_turn", "caller_turn").list.drop_nulls(),
                clock=pl.col("clock"),
                quantum_s=in_seconds(pl.col("quantum_ms")),
            ),
            magnitude=pl.col("sure_s"),
        ),
        otherwise(
            calls,
            reasons=[
                *usable(calls),
                (pl.col("untimed") > 0, "INCONCLUSIVE", pl.format("{} turns carry no clock.", "untimed")),
                (pl.col("n") == 0, "SKIPPED", "The caller does not speak."),
            ],
            passed=pl.format("No stretch of the caller (of {}) was talked over for too long.", "n"),
            observed=as_json(caller_stretches=pl.col("n"), longest_overlap_s=pl.col("longest")),
            evidence=as_json(clock=pl.col("clock"), quantum_s=in_seconds(pl.col("quantum_ms"))),
        ),
    )
