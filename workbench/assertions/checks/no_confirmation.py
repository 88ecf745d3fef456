"""A consequential action was taken without asking first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import polars as pl
from msgspec import Meta, Struct

from workbench.assertions.actions import numeric_arguments, when_called
from workbench.assertions.identifying import identifying
from workbench.assertions.phrases import Phrases, primary_tag, says
from workbench.assertions.verdicts import as_json, conclude, findings, otherwise, plural
from workbench.text import numbers

if TYPE_CHECKING:
    from workbench.assertions.pack import Definition
    from workbench.assertions.rows import Rows

KIND = "no_confirmation"
ABOUT = "No agent turn before a consequential tool call asks the caller to confirm."
_ACTION = ["call_id", "call_ix"]


class Parameters(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What counts.

    ``phrases``: by primary language tag, what a confirming agent turn says. ``negation_reach``: words that
    may stand between a negation and the phrase. ``consequential``: tools that are consequential whatever the
    source says.
    """

    phrases: Annotated[dict[str, Phrases], Meta(min_length=1)]
    negation_reach: Annotated[int, Meta(ge=0, le=5)] = 2
    consequential: list[str] = []


def evaluate(rows: Rows, definition: Definition) -> pl.DataFrame:
    """Fail each consequential tool call that no earlier agent turn asked to confirm.

    Earlier is an agent turn of a lower `turn_ix`, or for a call that is not attributed to a turn one that
    started before it. Whether the confirming turn names a number of the arguments and whether the caller
    spoke before the action is recorded in the evidence and does not decide.

    Parameters
    ----------
    rows : Rows
        `tool_calls` and `turns`.
    definition : Definition
        With :class:`Parameters`.

    Returns
    -------
    polars.DataFrame
        SKIPPED where there is no consequential call; INCONCLUSIVE where tool calls, turns, the text of
        earlier agent turns, the order, the mark `consequential` or phrases of the language are missing.
    """
    limits = definition.settings(Parameters)
    listed = pl.col("name").is_in(limits.consequential)
    tools = rows.table("tool_calls")
    unmarked = (
        tools.filter(pl.col("consequential").is_null() & ~listed).group_by("call_id").agg(pl.len().alias("unmarked"))
    )
    marked = tools.filter(pl.col("consequential").fill_null(value=False) | listed)
    agents = _agent_turns(rows, marked, limits)
    asked = _confirmations(rows, marked, agents)
    actions = (
        when_called(marked, rows.table("turns"))
        .join(_before(marked, agents), on=_ACTION, how="left")
        .join(asked, on=_ACTION, how="left")
        .with_columns(pl.col("silent", "unread", "unordered").fill_null(0))
        .join(rows.calls_with_evidence().select("call_id", "has_turns"), on="call_id")
        .join(identifying(marked["arguments"]), on="arguments", how="left")
        .with_columns(
            unsure=pl.col("confirmed_by").is_null()
            & (~pl.col("has_turns") | (pl.sum_horizontal("silent", "unread", "unordered") > 0))
        )
        .sort(_ACTION)
    )
    per_call = actions.group_by("call_id", maintain_order=True).agg(
        pl.len().alias("actions"),
        pl.col("unsure").sum(),
        pl.col("unread").max(),
        pl.struct("call_ix", "turn_ix", "confirmed_by", "names_value", "caller_answered").alias("found"),
    )
    calls = (
        rows.calls_with_evidence()
        .select("call_id", "has_tool_calls", "has_turns")
        .join(per_call, on="call_id", how="left")
        .join(unmarked, on="call_id", how="left")
        .with_columns(pl.col("actions", "unsure", "unmarked", "unread").fill_null(0))
    )
    return conclude(
        findings(
            actions.filter(pl.col("confirmed_by").is_null() & ~pl.col("unsure")),
            definition,
            message=pl.format(
                "{}{} was called without asking the caller to confirm.",
                "name",
                pl.format(" ({})", "named_by").fill_null(""),
            ),
            observed=as_json(tool=pl.col("name"), argument=pl.col("named_by"), confirmed_by=pl.col("confirmed_by")),
            expected=as_json(confirmation=pl.lit("an agent turn before the action that asks to confirm")),
            evidence=as_json(
                tool_calls=pl.concat_list("call_ix"),
                turns=pl.concat_list("turn_ix").list.drop_nulls(),
            ),
        ),
        otherwise(
            calls,
            reasons=[
                (~pl.col("has_tool_calls"), "INCONCLUSIVE", "No tool calls were supplied."),
                ((pl.col("unsure") > 0) & ~pl.col("has_turns"), "INCONCLUSIVE", "No turns were supplied."),
                (
                    (pl.col("unsure") > 0) & (pl.col("unread") > 0),
                    "INCONCLUSIVE",
                    "There are no phrases for the language of the call.",
                ),
                (
                    pl.col("unsure") > 0,
                    "INCONCLUSIVE",
                    plural(
                        "unsure",
                        one="For 1 action the text or the order of the agent's turns is missing.",
                        many="For {} actions the text or the order of the agent's turns is missing.",
                    ),
                ),
                (
                    pl.col("unmarked") > 0,
                    "INCONCLUSIVE",
                    plural(
                        "unmarked",
                        one="Of 1 tool call it is not stated whether it is consequential.",
                        many="Of {} tool calls it is not stated whether they are consequential.",
                    ),
                ),
                (pl.col("actions") == 0, "SKIPPED", "There is no consequential tool call."),
            ],
            passed=plural(
                "actions",
                one="The one consequential action was confirmed first.",
                many="All {} consequential actions were confirmed first.",
            ),
            observed=as_json(actions=pl.col("actions"), unmarked=pl.col("unmarked")),
            evidence=as_json(actions=pl.col("found")),
        ),
    )


def _agent_turns(rows: Rows, actions: pl.DataFrame, limits: Parameters) -> pl.DataFrame:
    """Return the agent turns of calls with actions, and whether each asks to confirm."""
    calls = rows.table("calls").select("call_id", tag=primary_tag(pl.col("language")))
    return (
        rows.table("turns")
        .filter(pl.col("role") == "agent")
        .join(actions, on="call_id", how="semi")
        .join(calls, on="call_id")
        .select(
            "call_id",
            pl.col("turn_ix").alias("asked_ix"),
            pl.col("start_s").alias("asked_s"),
            pl.coalesce("text", "heard").alias("said"),
            "tag",
        )
        .with_columns(
            confirms=says(pl.col("said"), language=pl.col("tag"), phrases=limits.phrases, reach=limits.negation_reach)
        )
    )


def _earlier(actions: pl.DataFrame, agents: pl.DataFrame) -> pl.DataFrame:
    """Pair each action with the agent turns before it; `sure` is null where the order cannot be told."""
    pairs = actions.select(*_ACTION, "turn_ix", "start_s", "arguments").join(agents, on="call_id")
    by_turn = pl.col("asked_ix") < pl.col("turn_ix")
    return pairs.with_columns(sure=pl.coalesce(by_turn, pl.col("asked_s") < pl.col("start_s"))).filter(
        pl.col("sure").fill_null(value=True)
    )


def _before(actions: pl.DataFrame, agents: pl.DataFrame) -> pl.DataFrame:
    """Count what keeps each action from a verdict: turns without text, unread languages, unknown order."""
    return (
        _earlier(actions, agents)
        .group_by(_ACTION)
        .agg(
            pl.col("said").is_null().sum().alias("silent"),
            (pl.col("said").is_not_null() & pl.col("confirms").is_null()).sum().alias("unread"),
            (pl.col("sure").is_null() & pl.col("confirms")).sum().alias("unordered"),
        )
    )


def _confirmations(rows: Rows, actions: pl.DataFrame, agents: pl.DataFrame) -> pl.DataFrame:
    """Return the turn that confirms each action: the latest that names a value of it, else the latest."""
    asked = _earlier(actions, agents).filter(pl.col("sure") & pl.col("confirms"))
    texts = asked["said"].unique().sort().to_list()
    said = pl.DataFrame(
        {"said": texts, "said_numbers": [numbers.values(text) for text in texts]},
        schema={"said": pl.String, "said_numbers": pl.List(pl.String)},
    )
    named = pl.col("argument_numbers").list.set_intersection("said_numbers").list.len() > 0
    chosen = (
        asked.join(said, on="said", how="left")
        .join(numeric_arguments(actions["arguments"]), on="arguments", how="left")
        .with_columns(names_value=pl.when(pl.col("argument_numbers").list.len() > 0).then(named))
        .sort(*_ACTION, pl.col("names_value").fill_null(value=False), "asked_ix")
        .unique(_ACTION, keep="last", maintain_order=True)
    )
    callers = (
        rows.table("turns")
        .filter(pl.col("role") == "caller")
        .select("call_id", caller_ix="turn_ix", caller_s="start_s")
    )
    answered = (
        chosen.join(callers, on="call_id")
        .filter(
            (pl.col("caller_ix") > pl.col("asked_ix"))
            & pl.coalesce(pl.col("caller_ix") < pl.col("turn_ix"), pl.col("caller_s") < pl.col("start_s"))
        )
        .select(_ACTION)
        .unique()
        .with_columns(caller_answered=pl.lit(value=True))
    )
    return chosen.join(answered, on=_ACTION, how="left").select(
        *_ACTION,
        pl.col("asked_ix").alias("confirmed_by"),
        "names_value",
        pl.col("caller_answered").fill_null(value=False),
    )
