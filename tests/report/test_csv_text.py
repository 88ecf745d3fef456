"""Cells as RFC 4180 writes them, with null and empty text apart."""

from __future__ import annotations

import csv
from datetime import UTC, date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest

from workbench.report import csv_text


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (None, ""),
        ("", '""'),
        ("plain", "plain"),
        (" padded ", " padded "),
        ('say "yes"', '"say ""yes"""'),  # RFC 4180, section 2, rule 7
        ("a,b", '"a,b"'),
        ("a\nb", '"a\nb"'),
        ("\r", '"\r"'),
        ("=1+1", "=1+1"),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (0.1 + 0.2, "0.30000000000000004"),
        (1e-7, "1e-07"),
        (5.0, "5.0"),
        (float("nan"), "NaN"),
        (float("-inf"), "-INF"),
        (datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC), "2026-05-04T03:02:01Z"),
        (datetime(2026, 5, 4, 3, 2, 1, 5), "2026-05-04T03:02:01.000005"),  # noqa: DTZ001 - a moment without a zone
        (date(2026, 5, 4), "2026-05-04"),
        (Decimal("1.50"), "1.50"),
        (b"\x00\xff", "00ff"),
        ([], "[]"),
        (["a", None], '"[""a"",null]"'),
        ({"k": "v"}, '"{""k"":""v""}"'),
    ],
)
def test_a_cell(value: object, cell: str) -> None:
    assert csv_text.cell(value) == cell


def test_what_it_writes_is_read_by_the_csv_module() -> None:
    cells = ["a,b", 'c"d', "e\nf", "g\r\nh", "", "=1"]
    assert list(csv.reader([*csv_text.text(["n"] * 6, [cells]).splitlines(keepends=True)])) == [
        ["n"] * 6,
        cells,
    ]


def test_an_arrow_table_gives_the_same_lines_as_its_rows() -> None:
    rows = [{"i": n, "t": None if n % 3 else "x", "m": [("k", str(n))], "l": ["a"] * (n % 2)} for n in range(40_000)]
    kinds = [
        ("i", pa.int32()),
        ("t", pa.string()),
        ("m", pa.map_(pa.string(), pa.string())),
        ("l", pa.list_(pa.string())),
    ]
    table = pa.Table.from_pylist(rows, schema=pa.schema(kinds))
    lines = "".join(csv_text.lines(table))
    assert lines == "".join(csv_text.line([r["i"], r["t"], dict(r["m"]), r["l"]]) for r in rows)
    assert lines.count("\n") == 40_000


def test_no_rows_are_no_lines() -> None:
    assert not list(csv_text.lines(pa.table({"a": pa.array([], pa.string())})))
    assert csv_text.text(["a", "b"], []) == "a,b\n"
