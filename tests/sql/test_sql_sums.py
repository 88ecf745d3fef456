"""The same rows give the same bytes: no sum of seconds depends on the order in which threads hand over its rows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from workbench.assets import folder

SUM = re.compile(r"\bsum\((?P<inside>(?:[^()]|\([^()]*\))*)\)(?P<window>\s+over\b)?")
SECONDS = re.compile(r"\b\w+_s\b")


def unordered(sql: str) -> list[str]:
    """Return the sums of seconds that name no order and are no window."""
    code = re.sub(r"--[^\n]*", "", sql)
    return [
        found.group()
        for found in SUM.finditer(code)
        if SECONDS.search(found["inside"]) and "order by" not in found["inside"] and not found["window"]
    ]


@pytest.mark.parametrize(
    ("sql", "count"),
    [
        ("select sum(end_s - start_s) from a", 1),
        ("select coalesce(sum(a.gap_s) filter (where x), 0) from a", 1),
        ("select sum(coalesce(gap_s, 0)) from a", 1),
        ("select sum(gap_s order by gap_s) from a", 0),
        ("select sum(gap_s) over (order by gap_s) from a", 0),
        ("select sum(finding_count) from a -- sum(gap_s)", 0),
    ],
)
def test_the_rule_sees_what_it_should(sql: str, count: int) -> None:
    assert len(unordered(sql)) == count


def test_every_sum_of_seconds_names_its_order() -> None:
    files = sorted(Path(folder("sql")).rglob("*.sql"))
    assert len(files) > 30
    wrong = {file.name: found for file in files if (found := unordered(file.read_text(encoding="utf-8")))}
    assert wrong == {}
