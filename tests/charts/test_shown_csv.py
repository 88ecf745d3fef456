"""The CSV under a table holds what the archive holds."""

from __future__ import annotations

import polars as pl

from workbench.charts.shown import as_csv


def test_null_is_an_empty_cell_and_empty_text_is_quoted() -> None:
    frame = pl.DataFrame({"a": [None, "", 'x,"y"\nz'], "b": [1.5, None, 0.0], "c": [["p", "q"], None, []]})
    assert as_csv(frame).decode() == 'a,b,c\n,1.5,"[""p"",""q""]"\n"",,\n"x,""y""\nz",0.0,[]\n'


def test_no_rows_give_the_header() -> None:
    assert as_csv(pl.DataFrame(schema={"a": pl.String, "b": pl.Float64})) == b"a,b\n"
