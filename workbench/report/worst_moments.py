"""Which moments of the worst calls a report shows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

SEVERITIES = ("high", "medium", "low", "none")


def choose(calls: Sequence[dict[str, Any]], findings: Iterable[dict[str, Any]], *, most: int) -> list[dict[str, Any]]:
    """Return one finding a call, for the worst calls that have one.

    Of a call's findings the most severe one is taken; among equals one of a kind not taken yet, then one with
    a time, then the longest, then the earliest. A call that was not judged gives its slowest answer.

    Parameters
    ----------
    calls : sequence of dict
        Rows of `worst_calls`, the worst first.
    findings : iterable of dict
        Rows of `findings` of these calls.
    most : int
        Findings wanted.

    Returns
    -------
    list of dict
        Rows of `findings` with the `rank` of their call.
    """
    of_call: dict[str, list[dict[str, Any]]] = {}
    for row in findings:
        of_call.setdefault(row["call_id"], []).append(row)
    chosen: list[dict[str, Any]] = []
    for call in calls:
        if len(chosen) == most:
            break
        taken = {row["failure_code"] for row in chosen}
        found = of_call.get(call["call_id"], [])
        if found:
            best = min(found, key=lambda row: _order(row, taken))
            chosen.append(best | {"rank": call["rank"]})
        elif call["high_finding_count"] is None and call["worst_response_gap_s"] is not None:
            chosen.append(_slowest(call))
    return chosen


def _order(row: dict[str, Any], taken: set[str]) -> tuple[Any, ...]:
    start, end = row["start_s"], row["end_s"]
    length = 0.0 if start is None or end is None else max(0.0, end - start)
    timeless = start is None
    severity = SEVERITIES.index(row["severity"] or "none")
    return (
        severity,
        row["failure_code"] in taken,
        timeless,
        -length,
        start or 0.0,
        row["assertion_id"],
        row["result_ix"],
    )


def _slowest(call: dict[str, Any]) -> dict[str, Any]:
    end, gap = call["worst_response_at_s"], call["worst_response_gap_s"]
    return {
        "call_id": call["call_id"],
        "rank": call["rank"],
        "failure_code": "slowest_answer",
        "severity": "none",
        "message": f"The agent's slowest answer began {gap:.2f} s after the caller ended. No check was run.",
        "turn_ix": None,
        "start_s": end - gap,
        "end_s": end,
    }
