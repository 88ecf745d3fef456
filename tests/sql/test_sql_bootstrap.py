"""Bounds of response gaps by agent: the stated bootstrap, recomputed with numpy, and its refusals."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np
import pytest
from scipy.stats import poisson

Build = Callable[[dict[str, Any]], duckdb.DuckDBPyConnection]
BOUNDS = [f"gap_p{p}_{end}_s" for p in (50, 90, 95) for end in ("low", "high")]


def _calls(gaps: dict[str, list[float]]) -> dict[str, Any]:
    """Calls whose agent answers after the given gaps."""
    turns = []
    for call_id, values in gaps.items():
        for ix, gap in enumerate(values):
            start = ix * 100.0
            turns.append(
                {
                    "call_id": call_id,
                    "turn_ix": 2 * ix,
                    "role": "caller",
                    "start_s": start,
                    "end_s": start + 1,
                }
            )
            turns.append(
                {
                    "call_id": call_id,
                    "turn_ix": 2 * ix + 1,
                    "role": "agent",
                    "start_s": start + 1 + gap,
                    "end_s": start + 20,
                }
            )
    return {
        "calls": [{"call_id": c, "turn_clock": "reported", "agent_id": "a"} for c in gaps],
        "turns": turns,
    }


def _row(con: duckdb.DuckDBPyConnection) -> dict[str, Any]:
    result = con.execute("from response_gap_by_agent")
    names = [column[0] for column in result.description]
    (row,) = result.fetchall()
    return dict(zip(names, row, strict=True))


def _bootstrap(gaps: dict[str, list[float]]) -> dict[str, float]:
    """Recompute the bounds as the header states them: 200 replicates, Poisson(1) weights from MD5."""
    edges = poisson.cdf(np.arange(8), 1)
    found = []
    for replicate in range(200):
        drawn: list[float] = []
        for call_id, values in gaps.items():
            digest = hashlib.md5(f"{call_id}:{replicate}".encode()).digest()
            u = int.from_bytes(digest[8:], "little") / 2**64
            drawn += values * int((u >= edges).sum())
        found.append(np.quantile(drawn, [0.5, 0.9, 0.95]))
    ends = np.quantile(found, [0.025, 0.975], axis=0)
    return {
        f"gap_p{p}_{end}_s": ends[j, i] for i, p in enumerate((50, 90, 95)) for j, end in enumerate(("low", "high"))
    }


def _gaps(calls: int, answers: int) -> dict[str, list[float]]:
    rng = np.random.default_rng(7)
    return {f"c{i:03d}": [round(float(x), 3) for x in rng.gamma(3, 0.3 + 0.01 * i, answers)] for i in range(calls)}


def test_bounds_are_the_stated_bootstrap(archive_with: Build) -> None:
    gaps = _gaps(45, 4)
    row = _row(archive_with(_calls(gaps)))
    assert (row["call_count"], row["response_count"], row["reason"]) == (45, 180, None)
    wanted = _bootstrap(gaps)
    for name in BOUNDS:
        assert row[name] == pytest.approx(wanted[name], abs=1e-6), name
    values = [value for answers in gaps.values() for value in answers]
    found = [row[f"gap_p{p}_lin_s"] for p in (50, 90, 95)]
    assert found == pytest.approx(np.quantile(values, [0.5, 0.9, 0.95]), abs=1e-9)
    assert _row(archive_with(_calls(dict(reversed(gaps.items()))))) == row


def test_few_answers_leave_bounds_open(archive_with: Build) -> None:
    row = _row(archive_with(_calls(_gaps(5, 4))))
    assert (row["gap_p90_high_s"], row["gap_p95_high_s"]) == (None, None)
    assert row["gap_p50_low_s"] < row["gap_p50_lin_s"] < row["gap_p50_high_s"]
    assert row["reason"] == "too few answers to close every bound; fewer than 40 calls: the bounds are too narrow"


def test_equal_gaps_and_few_calls_have_no_interval(archive_with: Build) -> None:
    equal = _row(archive_with(_calls({f"c{i}": [1.0, 1.0] for i in range(50)})))
    assert [equal[name] for name in BOUNDS] == [None] * 6
    assert (equal["gap_p50_lin_s"], equal["reason"]) == (1.0, "all gaps are equal: no interval")
    few = _row(archive_with(_calls(_gaps(2, 50))))
    assert [few[name] for name in BOUNDS] == [None] * 6
    assert few["reason"] == "fewer than 3 calls with an answer: no interval"
