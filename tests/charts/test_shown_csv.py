"""A table shows what the archive holds, and so does the CSV under it."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import polars as pl

from workbench.charts.shown import as_csv, table_of


def test_null_is_an_empty_cell_and_empty_text_is_quoted() -> None:
    frame = pl.DataFrame({"a": [None, "", 'x,"y"\nz'], "b": [1.5, None, 0.0], "c": [["p", "q"], None, []]})
    assert as_csv(frame).decode() == 'a,b,c\n,1.5,"[""p"",""q""]"\n"",,\n"x,""y""\nz",0.0,[]\n'


def test_no_rows_give_the_header() -> None:
    assert as_csv(pl.DataFrame(schema={"a": pl.String, "b": pl.Float64})) == b"a,b\n"


def test_a_cell_without_a_value_is_empty_and_neither_an_empty_text_nor_zero() -> None:
    """What marimo is sent for each cell: it writes None in grey for a null."""
    frame = pl.DataFrame(
        {
            "text": ["a", "", None],
            "number": [0.0, 1234.5, None],
            "count": [0, 1234, None],
            "flag": [True, False, None],
            "at": [datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), None, None],
            "parts": [["x"], [], None],
            "whole": [1, 2, 3],
        }
    )
    sent = json.loads(table_of(frame)._component_args["data"])
    assert [row["text"] for row in sent] == ["a", '""', ""]
    assert [row["number"] for row in sent] == ["0.00", "1,234.50", ""]
    assert [row["count"] for row in sent] == ["0", "1,234", ""]
    assert [row["flag"] for row in sent] == ["True", "False", ""]
    assert [row["at"] for row in sent] == ["2026-01-02 03:04:05 UTC", "", ""]
    assert [row["parts"] for row in sent] == ["['x']", "[]", ""]
    assert [row["whole"] for row in sent] == [1, 2, 3]
