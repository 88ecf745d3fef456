"""Which findings a report shows: what can be heard first, the worst calls first within."""

from __future__ import annotations

from typing import Any

import pytest

from workbench.report.worst_moments import choose


def call(rank: int) -> dict[str, Any]:
    return {"call_id": f"c{rank}", "rank": rank, "high_finding_count": 1, "worst_response_gap_s": None}


def finding(rank: int, *, start_s: float | None = 1.0, severity: str = "high") -> dict[str, Any]:
    return {
        "call_id": f"c{rank}",
        "failure_code": "slow_response",
        "severity": severity,
        "start_s": start_s,
        "end_s": None if start_s is None else start_s + 1,
        "assertion_id": "slow_response",
        "result_ix": 0,
    }


@pytest.mark.parametrize(
    ("most", "heard", "ranks"),
    [
        (5, {"c8", "c9"}, [8, 9, 1, 2, 3]),
        (4, {"c3", "c6", "c7", "c8"}, [3, 6, 1, 2]),
        (2, {"c7", "c8"}, [7, 8]),
        (4, set(), [1, 2, 3, 4]),
        (3, {f"c{rank}" for rank in range(1, 10)}, [1, 2, 3]),
    ],
)
def test_what_can_be_heard_comes_first_and_a_few_others_after(most: int, heard: set[str], ranks: list[int]) -> None:
    calls = [call(rank) for rank in range(1, 10)]
    chosen = choose(calls, [finding(rank) for rank in range(1, 10)], most=most, heard=heard)
    assert [row["rank"] for row in chosen] == ranks


def test_a_finding_without_a_time_cannot_be_heard_in_its_recording() -> None:
    calls = [call(rank) for rank in (1, 2)]
    chosen = choose(calls, [finding(1, start_s=None), finding(2)], most=2, heard={"c1", "c2"})
    assert [row["rank"] for row in chosen] == [2, 1]
