"""An action went beyond a limit that the call itself states."""

from __future__ import annotations

import json
import operator
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import polars as pl
from msgspec import Struct

from workbench.assertions.actions import as_number, at_path, decoded, when_called
from workbench.assertions.verdicts import as_json, conclude, findings, otherwise, plural

if TYPE_CHECKING:
    from workbench.assertions.pack import Definition
    from workbench.assertions.rows import Rows

KIND = "policy_limit"
ABOUT = "An argument of a tool call is beyond the limit that the call's policy states."

_PREFIX = "max_"
_HOLDS = {"<=": operator.le, "<": operator.lt, ">=": operator.ge, ">": operator.gt, "==": operator.eq}
_LIMIT = {
    "tool": pl.String,
    "path": pl.String,
    "operator": pl.String,
    "limit": pl.String,
    "readable": pl.Boolean,
}


class Parameters(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """``amount_path``: argument that a limit named ``max_<tool>`` speaks of."""

    amount_path: str = "amount"


def evaluate(rows: Rows, definition: Definition) -> pl.DataFrame:
    """Fail each tool call whose argument breaks a limit of its call.

    The limits are the call's: ``max_<tool>`` (the argument `amount_path` at most that), and rows of
    ``{tool, path, operator, limit}``, as the policy itself or as its member ``limits``.

    Parameters
    ----------
    rows : Rows
        `calls.policy`, `tool_calls`.
    definition : Definition
        With :class:`Parameters`.

    Returns
    -------
    polars.DataFrame
        SKIPPED where no limit is stated or no limited tool was called; INCONCLUSIVE where tool calls were not
        supplied, or a limit or argument cannot be read as one number.
    """
    path = definition.settings(Parameters).amount_path
    calls = rows.calls_with_evidence().select("call_id", "policy", "has_tool_calls")
    limits = calls.select("call_id", "policy").join(_limits(calls["policy"], path), on="policy")
    tools = rows.table("tool_calls").rename({"name": "tool"})
    limited = limits.join(tools, on=["call_id", "tool"])
    checked = when_called(
        limited.join(_checked(limited), on=["arguments", *_LIMIT], how="left", nulls_equal=True),
        rows.table("turns"),
    )
    per_call = checked.group_by("call_id").agg(
        pl.len().alias("checked"), pl.col("kept").is_null().sum().alias("unread")
    )
    stated = limits.group_by("call_id").agg(pl.len().alias("limits"), (~pl.col("readable")).sum().alias("unreadable"))
    outcome = (
        calls.join(stated, on="call_id", how="left")
        .join(per_call, on="call_id", how="left")
        .with_columns(pl.col("limits", "unreadable", "checked", "unread").fill_null(0))
    )
    return conclude(
        findings(
            checked.filter(~pl.col("kept")),
            definition,
            message=pl.format("{} with {} {}: the limit is {} {}.", "tool", "path", "value", "operator", "limit"),
            observed=as_json(tool=pl.col("tool"), path=pl.col("path"), value=pl.col("value")),
            expected=as_json(operator=pl.col("operator"), limit=pl.col("limit")),
            evidence=as_json(
                tool_calls=pl.concat_list("call_ix"),
                turns=pl.concat_list("turn_ix").list.drop_nulls(),
                source=pl.lit("calls.policy"),
            ),
        ),
        otherwise(
            outcome,
            reasons=[
                (pl.col("limits") == 0, "SKIPPED", "The call states no limit."),
                (
                    ~pl.col("has_tool_calls"),
                    "INCONCLUSIVE",
                    "A limit is stated, but no tool calls were supplied.",
                ),
                (pl.col("unreadable") > 0, "INCONCLUSIVE", "A limit of the policy cannot be read."),
                (pl.col("checked") == 0, "SKIPPED", "No tool with a limit was called."),
                (
                    pl.col("unread") > 0,
                    "INCONCLUSIVE",
                    plural(
                        "unread",
                        one="The limited argument of 1 tool call is not one number.",
                        many="The limited arguments of {} tool calls are not one number each.",
                    ),
                ),
            ],
            passed=pl.format("All limited arguments ({}) kept their limits.", "checked"),
            observed=as_json(checked=pl.col("checked"), unread=pl.col("unread")),
            evidence=as_json(source=pl.lit("calls.policy"), limits=pl.col("limits")),
        ),
    )


def _limits(policies: pl.Series, amount_path: str) -> pl.DataFrame:
    """Return the limits of each distinct policy."""
    found = [
        {"policy": text, **row}
        for text in policies.unique().drop_nulls().sort().to_list()
        for row in _rows(decoded(text), amount_path)
    ]
    return pl.DataFrame(found, schema={"policy": pl.String, **_LIMIT}).unique(maintain_order=True)


def _rows(policy: Any, amount_path: str) -> list[dict[str, Any]]:
    """Return the limits of a policy; one that cannot be read is kept as unreadable."""
    found = []
    listed = policy.get("limits") if isinstance(policy, dict) else policy
    if isinstance(policy, dict):
        for name, value in policy.items():
            if name.startswith(_PREFIX) and len(name) > len(_PREFIX):
                found.append(_row(name.removeprefix(_PREFIX), amount_path, "<=", value))
    for entry in listed if isinstance(listed, list) else []:
        if isinstance(entry, dict):
            found.append(_row(*(entry.get(name) for name in ("tool", "path", "operator", "limit"))))
        else:
            found.append(_row(None, None, None, entry))
    return found


def _row(*members: Any) -> dict[str, Any]:
    tool, path, relation, limit = members
    number = as_number(limit)
    named = all(isinstance(text, str) and text for text in (tool, path)) and relation in _HOLDS
    readable = named and number is not None
    shown = str(number) if number is not None else json.dumps(limit, default=str)
    return {
        "tool": str(tool),
        "path": str(path),
        "operator": str(relation),
        "limit": shown,
        "readable": readable,
    }


def _checked(limited: pl.DataFrame) -> pl.DataFrame:
    """Compare each distinct pair of arguments and limit once; `kept` is null where it cannot be read."""
    pairs = limited.select("arguments", *_LIMIT).unique(maintain_order=True)
    kept: list[bool | None] = []
    values: list[str | None] = []
    for row in pairs.iter_rows(named=True):
        value = as_number(at_path(decoded(row["arguments"]), row["path"]))
        if value is None or not row["readable"]:
            kept.append(None)
        else:
            kept.append(_HOLDS[row["operator"]](value, Decimal(row["limit"])))
        values.append(None if value is None else str(value))
    return pairs.with_columns(pl.Series("kept", kept, dtype=pl.Boolean), pl.Series("value", values, dtype=pl.String))
