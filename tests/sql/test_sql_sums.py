"""The same rows give the same bytes: no sum of seconds depends on the order in which threads hand over its rows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workbench.assets import folder

SUM = re.compile(r"\bsum\((?P<inside>(?:[^()]|\([^()]*\))*)\)(?P<window>\s+over\b)?")
EXACT = re.compile(r"\border by\b|::decimal\(18, 6\)$")
SECONDS = re.compile(r"\b\w+_s\b")


def unordered(sql: str) -> list[str]:
    """Return the sums of seconds that are no window, name no order and are not exact in any order, as decimals are."""
    code = re.sub(r"--[^\n]*", "", sql)
    return [
        found.group()
        for found in SUM.finditer(code)
        if SECONDS.search(found["inside"]) and not EXACT.search(found["inside"]) and not found["window"]
    ]


@pytest.mark.parametrize(
    ("sql", "count"),
    [
        ("select sum(end_s - start_s) from a", 1),
        ("select coalesce(sum(a.gap_s) filter (where x), 0) from a", 1),
        ("select sum(coalesce(gap_s, 0)) from a", 1),
        ("select sum(gap_s order by gap_s) from a", 0),
        ("select coalesce(sum((end_s - start_s)::decimal(18, 6)) filter (where x), 0)::double from a", 0),
        ("select sum(gap_s) over (order by gap_s) from a", 0),
        ("select sum(finding_count) from a -- sum(gap_s)", 0),
    ],
)
def test_the_rule_sees_what_it_should(sql: str, count: int) -> None:
    assert len(unordered(sql)) == count


def test_no_sum_of_seconds_depends_on_the_order_of_its_rows() -> None:
    files = sorted(Path(folder("sql")).rglob("*.sql"))
    assert len(files) > 30
    wrong = {file.name: found for file in files if (found := unordered(file.read_text(encoding="utf-8")))}
    assert wrong == {}
