"""Which moments of the worst calls a report shows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

SEVERITIES = ("high", "medium", "low", "none")
FEW = 2
"""Findings without sound that keep their place where enough others can be heard."""


def choose(
    calls: Sequence[dict[str, Any]], findings: Iterable[dict[str, Any]], *, most: int, heard: Collection[str] = ()
) -> list[dict[str, Any]]:
    """Return one finding a call, for the worst calls that have one: those that can be heard, then a few others.

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
    heard : collection of str
        Ids of calls that have a recording. A finding can be heard where it has a time in one of them.

    Returns
    -------
    list of dict
        Rows of `findings` with the `rank` of their call: what can be heard, the worst calls first, then what
        cannot, likewise. Where more could be heard than are wanted, `FEW` others are kept all the same.
    """
    of_call: dict[str, list[dict[str, Any]]] = {}
    for row in findings:
        of_call.setdefault(row["call_id"], []).append(row)
    audible: list[dict[str, Any]] = []
    silent: list[dict[str, Any]] = []
    for call in sorted(calls, key=lambda call: (call["call_id"] not in heard, call["rank"])):
        if len(audible if call["call_id"] in heard else silent) >= most:
            continue
        taken = {row["failure_code"] for row in audible + silent}
        found = of_call.get(call["call_id"], [])
        if found:
            best = min(found, key=lambda row: _order(row, taken)) | {"rank": call["rank"]}
        elif call["high_finding_count"] is None and call["worst_response_gap_s"] is not None:
            best = _slowest(call)
        else:
            continue
        (audible if call["call_id"] in heard and best["start_s"] is not None else silent).append(best)
    silent.sort(key=lambda row: row["rank"])
    audible = audible[: max(0, most - min(FEW, len(silent)))] if most > FEW else audible[:most]
    return audible + silent[: most - len(audible)]


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
