"""Arguments of tool calls read as values, once for each distinct text."""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

import polars as pl

from workbench.text.numbers import canonical, numbers

if TYPE_CHECKING:
    from collections.abc import Iterator


def at_path(document: Any, path: str) -> Any:
    """Return what lies at a dotted path of a JSON value, or None.

    Parameters
    ----------
    document : Any
        A decoded JSON value.
    path : str
        Member names and list positions with full stops between, ``order.items.0.price``.

    Returns
    -------
    Any
        None where the path leads nowhere.
    """
    here = document
    for step in path.split("."):
        if isinstance(here, dict) and step in here:
            here = here[step]
        elif isinstance(here, list) and step.isdecimal() and int(step) < len(here):
            here = here[int(step)]
        else:
            return None
    return here


def as_number(value: Any) -> Decimal | None:
    """Return a JSON value as the one number it states.

    Parameters
    ----------
    value : Any
        A number, or text such as ``"75"``, ``"$1,500.00"`` or ``"seventy-five"``.

    Returns
    -------
    decimal.Decimal or None
        None for anything else: a flag, no number, several numbers, not finite.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal | str):
        return None
    try:
        number = Decimal(str(value).strip())
    except InvalidOperation:
        found = numbers(str(value))
        negative = str(value).strip().startswith(("-", "−"))
        return found[0].value if len(found) == 1 and not negative else None
    return number if number.is_finite() else None


def decoded(text: str | None) -> Any:
    """Return JSON text as a value; None for null and for text that is not JSON."""
    if text is None:
        return None
    try:
        return json.loads(text, parse_float=Decimal)
    except (json.JSONDecodeError, RecursionError):
        return None


def when_called(actions: pl.DataFrame, turns: pl.DataFrame) -> pl.DataFrame:
    """Give each tool call without a clock of its own the times of its turn.

    Parameters
    ----------
    actions : polars.DataFrame
        With call_id, turn_ix, start_s, end_s.
    turns : polars.DataFrame
        Rows of `turns`.

    Returns
    -------
    polars.DataFrame
        The actions; a clock of their own is never mixed with the turn's.
    """
    times = turns.select("call_id", "turn_ix", turn_start="start_s", turn_end="end_s")
    unclocked = pl.col("start_s").is_null()
    return (
        actions.join(times, on=["call_id", "turn_ix"], how="left")
        .with_columns(
            start_s=pl.when(unclocked).then("turn_start").otherwise("start_s"),
            end_s=pl.when(unclocked).then("turn_end").otherwise("end_s"),
        )
        .drop("turn_start", "turn_end")
    )


def numeric_arguments(arguments: pl.Series) -> pl.DataFrame:
    """Return the numbers in each distinct text of arguments.

    Parameters
    ----------
    arguments : polars.Series
        JSON texts, null allowed.

    Returns
    -------
    polars.DataFrame
        arguments, argument_numbers (list of canonical text).
    """
    distinct = arguments.unique().drop_nulls().sort().to_list()
    return pl.DataFrame(
        {
            "arguments": distinct,
            "argument_numbers": [[canonical(n) for n in _numbers(decoded(text))] for text in distinct],
        },
        schema={"arguments": pl.String, "argument_numbers": pl.List(pl.String)},
    )


def _numbers(value: Any) -> Iterator[Decimal]:
    if isinstance(value, dict):
        for member in value.values():
            yield from _numbers(member)
    elif isinstance(value, list):
        for member in value:
            yield from _numbers(member)
    elif (number := as_number(value)) is not None:
        yield number
