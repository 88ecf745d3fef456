"""Results whose types Parquet or Arrow has not: an interval is text everywhere, the others are refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

At = Callable[..., tuple[int, str, str]]

SPANS = {
    "interval 1 day": "P1D",
    "timestamp '2026-05-04 12:00:00.25' - timestamp '2026-05-04 10:59:00'": "PT3660.25S",
    "timestamp '2026-05-04 10:59:00' - timestamp '2026-05-04 12:00:00.25'": "-PT3660.25S",
    "interval 0 day": "P0D",
}
"""By ISO 8601 (and ISO 8601-2 for the sign), written down by hand."""


@pytest.mark.parametrize(("expression", "text"), SPANS.items())
def test_an_interval_is_the_same_text_in_every_format(
    small_archive: Path, tmp_path: Path, at: At, expression: str, text: str
) -> None:
    query = f"select 1 as n, {expression} as apart union all select 2, null order by n"
    for form in ("csv", "json", "parquet"):
        assert at("sql", query, "--archive", small_archive, "--format", form, "-o", tmp_path / f"q.{form}")[0] == 0
    assert (tmp_path / "q.csv").read_text() == f"n,apart\n1,{text}\n2,\n"
    assert [row["apart"] for row in json.loads((tmp_path / "q.json").read_text())] == [text, None]
    assert pl.read_parquet(tmp_path / "q.parquet")["apart"].to_list() == [text, None]
    for form in ("csv", "parquet"):
        done = at("export", tmp_path / form, "--archive", small_archive, "--format", form, "--query", query)
        assert done[0] == 0, done
    assert (tmp_path / "csv" / "query_1.csv").read_text() == f"n,apart\n1,{text}\n2,\n"
    assert pl.read_parquet(tmp_path / "parquet" / "query_1" / "data.parquet")["apart"].to_list() == [text, None]


def test_months_stay_months(small_archive: Path, tmp_path: Path, at: At) -> None:
    query = "select interval '1 year 2 days 3.5 seconds' as v"
    assert at("sql", query, "--archive", small_archive, "--format", "parquet", "-o", tmp_path / "q.parquet")[0] == 0
    assert pl.read_parquet(tmp_path / "q.parquet")["v"].to_list() == ["P12M2DT3.5S"]


REFUSED = {
    "union_value(a := 1)": ("parquet",),
    "[interval 1 day]": ("csv", "parquet"),
    "{'a': interval 1 day}": ("csv", "parquet"),
    "map {'a': interval 1 day}": ("csv", "parquet"),
    "1::variant": ("csv", "parquet"),
    "'101'::bit": ("csv", "parquet"),
    "['101'::bit]": ("csv", "parquet"),
    "1::bignum": ("csv", "parquet"),
    "'12:00:00+02'::timetz": ("csv", "parquet"),
    "row(1, 2)": ("csv", "parquet"),
    "'infinity'::timestamp": ("csv",),
    "'290000-01-01'::timestamp": ("csv",),
    "'infinity'::date": ("csv",),
}


@pytest.mark.parametrize(("expression", "forms"), REFUSED.items())
def test_what_would_change_is_refused_by_its_name_and_nothing_is_left(
    small_archive: Path, tmp_path: Path, at: At, expression: str, forms: tuple[str, ...]
) -> None:
    query = f"select 1 as n, {expression} as odd"
    commands = [["export", tmp_path / f"x-{form}", "--format", form, "--query", query] for form in forms]
    if "parquet" in forms:
        commands.append(["sql", query, "--format", "parquet", "-o", tmp_path / "q.parquet"])
        commands.append(["sql", query, "--format", "parquet", "--limit", "1", "-o", tmp_path / "q.parquet"])
    for command in commands:
        code, _, err = at(*command, "--archive", small_archive)
        assert code == 2, (command, err)
        assert "the column 'odd'" in err
        assert "::varchar" in err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "expression",
    ["'a'::enum('BIT', 'a')", "{'bit': 1, 'interval': 2}", "{'a BIT': 1}", "union_value(a := 1)::varchar"],
)
def test_names_that_look_like_types_are_no_types(small_archive: Path, tmp_path: Path, at: At, expression: str) -> None:
    words = ("--format", "parquet", "-o", tmp_path / "q.parquet", "--archive", small_archive)
    code, _, err = at("sql", f"select {expression} as v", *words)
    assert code == 0, err
    assert pl.read_parquet(tmp_path / "q.parquet").height == 1


def test_a_cast_is_enough(small_archive: Path, tmp_path: Path, at: At) -> None:
    query = "select ('101'::bit)::varchar as odd"
    assert at("export", tmp_path / "x", "--archive", small_archive, "--query", query)[0] == 0
    assert (tmp_path / "x" / "query_1.csv").read_text() == "odd\n101\n"
