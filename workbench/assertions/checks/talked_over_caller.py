"""The agent and the caller spoke at the same time for longer than a change of turns takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import polars as pl
from msgspec import Meta, Struct

from workbench.assertions.speech import CLOCK, clocked, last, no_verdict, speech, surely_above
from workbench.assertions.verdicts import as_json, conclude, findings, otherwise, plural

if TYPE_CHECKING:
    from workbench.assertions.pack import Definition
    from workbench.assertions.rows import Rows

KIND = "talked_over_caller"
ABOUT = "The agent speaks on after the caller began, or begins over the caller, for longer than a change of turns."
MAGNITUDE = "talk-over in seconds"
TOGETHER_MS = 50
_ROLES = ["caller", "agent"]

NonNegative = Annotated[float, Meta(ge=0)]


class Parameters(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Thresholds in seconds.

    ``max_overlap_s``: longest talk-over allowed. ``merge_gap_s``: a pause in the measured speech of
    one role that is shorter than this is speech.
    """

    max_overlap_s: NonNegative = 0.3
    merge_gap_s: NonNegative = 0.2


def evaluate(rows: Rows, definition: Definition) -> pl.DataFrame:
    """Fail each stretch in which both speak for too long, whoever began first.

    An overlap lasts from the later of two starts to the earlier of two ends, so a short backchannel into a
    long agent turn is short, and each overlap is one finding. The failure code says who was first and is
    timing, not intent: ``spoke_on`` when the agent was speaking as the caller began, ``began_over_caller``
    when the caller was speaking as the agent began. Where the two starts are at most :data:`TOGETHER_MS`
    apart nobody is first, and what is left is that the agent spoke on: ``spoke_on``. Whether the agent should
    have yielded is not decided here: a backchannel asks for no yielding.

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
    overlaps = clocked(_overlaps(stretches), clocks, start="start_ms", end="until_ms", length="overlap_s")
    overlaps = overlaps.with_columns(turn_ix=pl.col("agent_turn"))
    callers = stretches.filter(pl.col("role") == "caller").group_by("call_id").agg(pl.len().alias("n"))
    longest = overlaps.group_by("call_id").agg(pl.col("overlap_s").max().alias("longest"))
    calls = (
        clocks.join(callers, on="call_id", how="left")
        .join(longest, on="call_id", how="left")
        .with_columns(pl.col("n").fill_null(0))
        .with_columns(longest=pl.when(pl.col("n") > 0).then(pl.col("longest").fill_null(0.0)))
    )
    began_over = pl.col("who_first") == "caller"
    return conclude(
        findings(
            overlaps.filter(surely_above(limits.max_overlap_s)),
            definition,
            code=pl.when(began_over).then(pl.lit("began_over_caller")).otherwise(pl.lit("spoke_on")),
            message=pl.when(began_over)
            .then(pl.format("The agent began while the caller was speaking; both spoke for {} s.", _shown("over_ms")))
            .when(pl.col("who_first") == "agent")
            .then(pl.format("The caller began while the agent was speaking; both spoke for {} s.", _shown("over_ms")))
            .otherwise(pl.format("The agent and the caller began together; both spoke for {} s.", _shown("over_ms"))),
            observed=as_json(overlap_s=pl.col("overlap_s"), who_first=pl.col("who_first")),
            expected=as_json(max_overlap_s=pl.lit(limits.max_overlap_s)),
            evidence=as_json(
                turns=pl.concat_list("agent_turn", "caller_turn").list.drop_nulls(),
                **CLOCK,
            ),
            magnitude=pl.col("sure_s"),
        ),
        otherwise(
            calls,
            reasons=[
                *no_verdict(),
                (pl.col("n") == 0, "SKIPPED", "The caller does not speak."),
            ],
            passed=plural(
                "n",
                one="The one stretch of the caller was not talked over for too long.",
                many="No stretch of the caller (of {}) was talked over for too long.",
            ),
            observed=as_json(caller_stretches=pl.col("n"), longest_overlap_s=pl.col("longest")),
            evidence=as_json(**CLOCK),
        ),
    )


def _overlaps(stretches: pl.DataFrame) -> pl.DataFrame:
    """Return one row for each time both speak, found at the stretch that starts later.

    Stretches of one role do not overlap, so only the other role's latest one can reach into it; of two that
    start at the same moment one comes later in the order.
    """
    is_agent = pl.col("role") == "agent"
    other = {
        name: pl.when(is_agent).then(last("caller", name)).otherwise(last("agent", name))
        for name in ("start_ms", "end_ms", "turn_ix")
    }
    apart = pl.col("start_ms") - pl.col("other_start")
    return (
        stretches.with_columns(other_start=other["start_ms"], other_end=other["end_ms"], other_turn=other["turn_ix"])
        .filter(pl.col("role").is_in(_ROLES))
        .with_columns(until_ms=pl.min_horizontal("end_ms", "other_end"))
        .filter(pl.col("other_end").is_not_null() & (pl.col("until_ms") > pl.col("start_ms")))
        .with_columns(
            over_ms=pl.col("until_ms") - pl.col("start_ms"),
            agent_turn=pl.when(is_agent).then("turn_ix").otherwise("other_turn"),
            caller_turn=pl.when(is_agent).then("other_turn").otherwise("turn_ix"),
            who_first=pl.when(apart <= TOGETHER_MS)
            .then(pl.lit("together"))
            .when(is_agent)
            .then(pl.lit("caller"))
            .otherwise(pl.lit("agent")),
        )
    )


def _shown(whole: str) -> pl.Expr:
    """Return milliseconds as seconds with two decimals, three where the third is not zero."""
    thousandths = (pl.col(whole) % 1000).cast(pl.String).str.zfill(3)
    return pl.format("{}.{}", pl.col(whole) // 1000, thousandths.str.replace("0$", ""))
