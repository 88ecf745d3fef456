"""A result is handed out again only while all it was made of is the same."""

from __future__ import annotations

import polars as pl

from workbench.analysis.unchanged import Unchanged


def test_a_result_is_made_anew_when_a_row_a_name_or_anything_else_differs() -> None:
    last, made = Unchanged(), list[int]()

    def make() -> int:
        made.append(len(made))
        return made[-1]

    frame = pl.DataFrame({"call_id": ["a", "b"], "gap_s": [0.1, None]})
    assert [last("gaps", frame, {"PASS": 1}, make=make) for _ in range(2)] == [0, 0]
    assert last("gaps", frame.clone(), {"PASS": 1}, make=make) == 0
    assert last("gaps", frame, {"PASS": 2}, make=make) == 1
    assert last("gaps", frame.with_columns(gap_s=pl.Series([0.1, 0.0])), {"PASS": 2}, make=make) == 2
    assert last("gaps", frame.rename({"gap_s": "s"}), {"PASS": 2}, make=make) == 3
    assert last("yields", frame, {"PASS": 1}, make=make) == 4
    assert last("gaps", frame, {"PASS": 1}, make=make) == 5  # only the last one is kept
