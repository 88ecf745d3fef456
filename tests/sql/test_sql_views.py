"""Every view: header true and complete, key unique, given rows give the expected rows.

Expected rows in `tests/sql/views/*.yaml` are worked out by hand from the given ones; floats agree to 1e-9.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
import yaml

from workbench.archive import views
from workbench.archive.headers import ViewFile
from workbench.errors import ArchiveFailed
from workbench.schema import tables

CASES = Path(__file__).parent / "views"
VIEWS = {view.name: view for view in views.catalogue()}
UNITS = (
    "coherence",
    "_s",
    "_ms",
    "_hz",
    "_db",
    "_dbfs",
    "_usd",
    "_rate",
    "_rate_low",
    "_rate_high",
    "_share",
    "_count",
    "_ix",
    "_per_second",
)
UNITLESS = {"rank", "evidence_tier", "confidence"}
NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL", "UBIGINT")
Build = Callable[[dict[str, Any]], duckdb.DuckDBPyConnection]


def _cases() -> Iterator[tuple[str, dict[str, Any]]]:
    for path in sorted(CASES.glob("*.yaml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            yield path.stem, case


def _agree(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, float) and isinstance(found, float):
        return math.isclose(found, wanted, abs_tol=1e-9)
    return bool(found == wanted)


def test_every_view_has_a_case_and_every_case_a_view() -> None:
    assert len(VIEWS) >= 14
    assert {name for name, _ in _cases()} == set(VIEWS)


@pytest.mark.parametrize(
    ("name", "case"), [pytest.param(name, case, id=f"{name}-{case['case']}") for name, case in _cases()]
)
def test_given_rows_give_the_expected_rows(name: str, case: dict[str, Any], archive_with: Build) -> None:
    con = archive_with(case["given"])
    view = VIEWS[name]
    result = con.execute(f'select * from "{name}" order by {", ".join(view.key)}')
    columns = [column[0] for column in result.description]
    rows = [dict(zip(columns, row, strict=True)) for row in result.fetchall()]
    assert len(rows) == len(case["expect"]), rows
    for found, wanted in zip(rows, case["expect"], strict=True):
        shown = {column: found[column] for column in wanted}
        assert all(_agree(shown[column], wanted[column]) for column in wanted), (shown, wanted)
    keys = [tuple(row[column] for column in view.key) for row in rows]
    assert len(set(keys)) == len(keys)
    assert None not in [part for key in keys for part in key]


def test_every_view_is_empty_or_counts_zero_over_an_empty_archive(empty: duckdb.DuckDBPyConnection) -> None:
    rows = {name: empty.execute(f'from "{name}"').fetchall() for name in VIEWS}
    assert [name for name, found in rows.items() if found] == ["denominators"]
    assert {row[1:8] for row in rows["denominators"]} == {(0,) * 7}


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_header_describes_every_column_in_order(view: ViewFile, empty: duckdb.DuckDBPyConnection) -> None:
    columns = [row[0] for row in empty.execute(f'describe "{view.name}"').fetchall()]
    assert list(view.columns) == columns
    assert set(view.key) <= set(columns)


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_header_names_what_the_view_reads(view: ViewFile, empty: duckdb.DuckDBPyConnection) -> None:
    assert set(view.reads) == _reads(empty, view.sql)
    assert set(view.reads) <= set(VIEWS) | set(tables())


def _reads(con: duckdb.DuckDBPyConnection, sql: str) -> set[str]:
    """Names of tables in the parsed query, without those of its common table expressions."""
    tree = json.loads(con.execute("select json_serialize_sql(?)", [sql]).fetchall()[0][0])
    found: set[str] = set()
    local: set[str] = set()

    def walk(node: Any) -> None:
        if isinstance(node, dict):
            if node.get("type") == "BASE_TABLE":
                found.add(node["table_name"])
            if "cte_map" in node:
                local.update(entry["key"] for entry in node["cte_map"]["map"])
            for child in node.values():
                walk(child)
        elif isinstance(node, list):
            for child in node:
                walk(child)

    walk(tree)
    assert not tree["error"]
    assert found
    assert not local & (set(VIEWS) | set(tables())), "a common table expression hides a table or view"
    return found - local


@pytest.mark.parametrize("view", VIEWS.values(), ids=lambda view: view.name)
def test_names_say_their_units(view: ViewFile, empty: duckdb.DuckDBPyConnection) -> None:
    columns = {row[0]: row[1] for row in empty.execute(f'describe "{view.name}"').fetchall()}
    for column, kind in columns.items():
        if kind.startswith(NUMBERS) and column not in UNITLESS:
            assert column.endswith(UNITS), (column, kind)
            assert not kind.startswith(("DECIMAL", "HUGEINT")), (column, kind)
        if column.endswith("_rate"):
            assert {column.removesuffix("_rate") + "_count", "trial_count"} <= set(columns), column
            assert {column + "_low", column + "_high"} <= set(columns), column
        if kind.startswith("TIMESTAMP"):
            assert kind == "TIMESTAMP WITH TIME ZONE", (column, kind)
            assert column.endswith("_at"), column


GOOD = """-- one
-- One row per call.
-- Key: call_id.
-- Reads: calls.
-- Units: none.
-- call_id: call.
select call_id from calls
"""


def test_a_whole_header_is_read(tmp_path: Path) -> None:
    (tmp_path / "one.sql").write_text(GOOD, encoding="utf-8")
    (view,) = views.catalogue(tmp_path)
    assert (view.name, view.key, view.reads) == ("one", ("call_id",), ("calls",))
    assert view.sql == "select call_id from calls"


@pytest.mark.parametrize("line", range(7))
def test_a_header_without_one_of_its_lines_is_refused(line: int, tmp_path: Path) -> None:
    lines = GOOD.splitlines()
    del lines[line]
    (tmp_path / "one.sql").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(ArchiveFailed, match=r"one\.sql"):
        views.catalogue(tmp_path)


def test_an_empty_folder_is_refused(tmp_path: Path) -> None:
    for listing in (views.catalogue, views.macros, views.queries, views.audits):
        with pytest.raises(ArchiveFailed, match=re.escape(str(tmp_path))):
            listing(tmp_path)


def test_views_in_a_circle_are_refused(tmp_path: Path) -> None:
    for name, other in (("one", "two"), ("two", "one")):
        text = GOOD.replace("-- one", f"-- {name}").replace("Reads: calls", f"Reads: {other}")
        (tmp_path / f"{name}.sql").write_text(text, encoding="utf-8")
    with pytest.raises(ArchiveFailed, match="circle"):
        views.catalogue(tmp_path)


def test_each_view_comes_after_those_it_reads() -> None:
    seen: set[str] = set()
    for view in views.catalogue():
        assert set(view.reads) & set(VIEWS) <= seen
        seen.add(view.name)


def test_a_file_that_does_not_fit_leaves_nothing_behind() -> None:
    con = duckdb.connect()
    con.execute("attach ':memory:' as lake")
    con.execute("create table lake.frames (recording_id varchar)")
    with pytest.raises(duckdb.BinderException, match="config_id"):
        views.load(con)
    assert con.execute("select * from duckdb_views() where not internal").fetchall() == []
    con.close()


def test_a_gap_of_a_tenth_is_exactly_a_tenth(archive_with: Build) -> None:
    turns = [("caller", 0.0, 0.6), ("agent", 0.7, 3.0)]
    rows = [
        {"call_id": "c", "turn_ix": ix, "role": role, "start_s": start, "end_s": end}
        for ix, (role, start, end) in enumerate(turns)
    ]
    con = archive_with({"calls": [{"call_id": "c", "turn_clock": "reported"}], "turns": rows})
    assert turns[1][1] - turns[0][2] != 0.1
    assert con.execute("select gap_s = 0.1::double from turn_gaps").fetchall() == [(True,)]


def test_frames_show_levels_in_dbfs(archive_with: Build) -> None:
    con = archive_with({"frames": [{"recording_id": "r", "config_id": "x", "frame_ix": 0, "caller_cdbfs": -2345}]})
    result = con.execute("select caller_dbfs, typeof(caller_dbfs), agent_dbfs from frames").fetchall()
    assert result == [(-23.45, "DOUBLE", None)]
