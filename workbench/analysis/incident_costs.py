"""What incidents cost by the user's own prices; there are no built-in figures and nothing is stored."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from workbench.analysis.incidents import spoken
from workbench.analysis.incidents_aside import listed
from workbench.errors import ImportFailed, UsageError
from workbench.small_file import read_json

PRICED = ("barge-in", "talk-over", "dead-air", "latency-spike")
_NEED_TWO = ("barge-in", "talk-over")
_EXAMPLE = '{"currency": "EUR", "per_incident": {"dead-air": 3.0, "barge-in": 1.5}}'


class Prices(msgspec.Struct, frozen=True, kw_only=True):
    """Prices by kind of incident, as the user states them."""

    currency: str
    per_incident: dict[str, float]


def read_prices(path: str | Path) -> Prices:
    """Read a price list.

    Parameters
    ----------
    path : path
        JSON with `currency` and `per_incident`, a price for any of barge-in, talk-over, dead-air and
        latency-spike.

    Returns
    -------
    Prices

    Raises
    ------
    ImportFailed
        When the file cannot be read, or says something else; with the value that was found.
    """
    where = str(path)
    try:
        value = read_json(path)
    except UsageError as error:
        raise ImportFailed(error.what, where=where, hint=error.hint, rule="price_list_invalid") from error
    if not isinstance(value, dict) or set(value) != {"currency", "per_incident"}:
        raise _wrong("it needs the keys currency and per_incident and no others", where)
    currency, prices = value["currency"], value["per_incident"]
    if not isinstance(currency, str) or not currency.strip():
        raise _wrong(f"currency is {currency!r}, not a name", where)
    if not isinstance(prices, dict) or not prices:
        raise _wrong("per_incident holds no price", where)
    for kind, price in prices.items():
        if kind not in PRICED:
            raise _wrong(f"{kind!r} is none of {', '.join(PRICED)}", where)
        if isinstance(price, bool) or not isinstance(price, (int, float)) or not (price >= 0 and math.isfinite(price)):
            raise _wrong(f"the price of {kind} is {price!r}, not a number of 0 or more", where)
    return Prices(currency=currency.strip(), per_incident={kind: float(price) for kind, price in prices.items()})


def costs(found: Sequence[Mapping[str, Any]], prices: Prices, *, silence_only: bool = False) -> dict[str, Any]:
    """Price incidents, a line a kind.

    Parameters
    ----------
    found : sequence of mapping
        Incidents with `incident`; those that stand apart have no price.
    prices : Prices
        From :func:`read_prices`.
    silence_only : bool
        Of one mixed channel, where barge-in and talk-over cannot be seen: they get no line, rather than one with 0.

    Returns
    -------
    dict
        `currency`; `lines` with `kind`, `count`, `each`, `total`, one for each kind that has a price, also where
        it did not happen; `total`; `unpriced_count`, incidents without a price, which cost nothing here.
    """
    lines: list[dict[str, Any]] = []
    total = 0.0
    for kind in PRICED:
        if kind in prices.per_incident and not (silence_only and kind in _NEED_TWO):
            count = sum(spoken(one["incident"]) == kind for one in listed(found))
            each = prices.per_incident[kind]
            lines.append({"kind": kind, "count": count, "each": each, "total": round(count * each, 6)})
            total += count * each
    return {
        "currency": prices.currency,
        "lines": lines,
        "total": round(total, 6),
        "unpriced_count": sum(spoken(one["incident"]) not in prices.per_incident for one in listed(found)),
    }


def _wrong(what: str, where: str) -> ImportFailed:
    return ImportFailed(what, where=where, hint=f"a price list reads {_EXAMPLE}", rule="price_list_invalid")
