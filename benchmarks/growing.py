"""Queries timed at several sizes, and how their time grows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.measured import Cost, Costs, call, exponent, interleaved
from benchmarks.tables import Table, seconds
from workbench.archive.lake import Reader

LEAST_S = 0.05
"""A query is repeated within a round until this has passed, unless there is only one round."""


def queried(reader: Reader, queries: Mapping[str, tuple[str, Mapping[str, Any]]], *, rounds: int) -> dict[str, Costs]:
    """Time queries on an open connection; every result is taken whole, as an Arrow table.

    Parameters
    ----------
    reader : Reader
        An archive.
    queries : mapping
        Query and parameters by name.
    rounds : int
        At least 1.
    """

    def one(query: str, values: Mapping[str, Any]) -> Callable[[], Cost]:
        return lambda: call(lambda: reader.arrow(query, values), at_least_s=LEAST_S if rounds > 1 else 0.0)

    return interleaved({name: one(*query) for name, query in queries.items()}, rounds=rounds)


def growth(title: str, found: Mapping[int, Mapping[str, Costs]], *, what: str, size: str) -> Table:
    """Return median CPU seconds by size, and the exponent of the last step.

    Parameters
    ----------
    title : str
        Name of the benchmark.
    found : mapping
        By size, ascending, the costs by query.
    what : str
        What is counted.
    size : str
        Size of the whole run.
    """
    counts = list(found)
    names = [f"{count:,} {what}" for count in counts]
    table = Table(f"{title}: growth with {what} (CPU, median)", ["query", *names, "exponent"])
    powers = {}
    for query in found[counts[0]]:
        cpu = [found[count][query].median("cpu_s") for count in counts]
        powers[query] = exponent(counts[-2:], cpu[-2:])
        table.rows.append([query, *(seconds(value) for value in cpu), f"{powers[query]:.2f}"])
    table.remarks.append(
        "the exponent is that of the last step; well below 1, what a query costs at any size weighs more"
    )
    worst = max(powers.values())
    table.target("exponent at most 1.1", found=f"{worst:.2f} at most", reached=worst <= 1.1, size=size)
    return table
