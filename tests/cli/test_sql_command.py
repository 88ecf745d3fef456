"""`workbench sql` as it is typed: what it reads, what it refuses, where it points."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.cli import main

Sql = Callable[..., tuple[int, str, str]]


@pytest.fixture
def sql(small_archive: Path, capfd: pytest.CaptureFixture[str]) -> Sql:
    """Run the command here: exit code, stdout, stderr."""

    def ended(*args: str | Path) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(["sql", *map(str, args), "--archive", str(small_archive)])
        out, err = capfd.readouterr()
        return int(end.value.code or 0), out, err

    return ended


@pytest.mark.parametrize(
    "query",
    [
        "select 1 as a; -- done",
        "select 1 as a;;",
        "select 1 as a /* ; */ ; -- x;",
        "select 1 as a -- b;c\n",
        "\n select 1 as a\n;",
    ],
)
@pytest.mark.parametrize("limit", ["0", "7"])
def test_what_closes_a_query_is_no_error(query: str, limit: str, sql: Sql) -> None:
    assert sql(query, "--format", "csv", "--limit", limit)[:2] == (0, "a\n1\n")


def test_a_semicolon_in_a_text_stays(sql: Sql) -> None:
    assert sql("select 'ü;' as a; -- 'x;'", "--format", "csv")[1] == "a\nü;\n"


@pytest.mark.parametrize("limit", ["0", "1000"])
def test_an_error_points_into_the_query_as_it_was_given(limit: str, sql: Sql) -> None:
    code, _, err = sql("select call_id,\n   nope\nfrom calls", "--limit", limit)
    assert code == 2
    assert "\nLINE 2:    nope\n           ^\n" in err


def test_the_caret_stays_under_its_word_where_the_number_gets_shorter(sql: Sql) -> None:
    """The wrapper's line 10 is line 9 of the query."""
    _, _, err = sql("select" + "\n" * 8 + "nope from calls")
    assert "\nLINE 9: nope from calls\n        ^\n" in err


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "the query is empty"),
        (" -- nothing", "the query is empty"),
        ("explain select 1", "Hint: write a SELECT, or WITH, FROM, VALUES, DESCRIBE, SUMMARIZE, SHOW"),
        ("select 1; select 2", "one statement is allowed, 2 were found"),
        ("create table t (a int); select 2", "one statement is allowed, 2 were found"),
        ("pivot calls on origin using count(*)", "Hint: name the columns: pivot T on COLUMN in ("),
    ],
)
def test_what_is_no_select(query: str, said: str, sql: Sql) -> None:
    code, out, err = sql(query)
    assert (code, out) == (2, "")
    assert said in err


@pytest.mark.parametrize("limit", ["0", "9"])
def test_two_columns_of_one_name(limit: str, sql: Sql, tmp_path: Path) -> None:
    query = "select 1 as a, 2 as a"
    target = tmp_path / "x"
    for words in (("--format", "json"), ("--format", "json", "-o", target), ("--format", "parquet", "-o", target)):
        code, out, err = sql(query, *words, "--limit", limit)
        assert (code, out) == (2, "")
        assert "two columns are named 'a'" in err
        assert "Hint: name them apart with AS" in err
    assert not target.exists()
    assert sql(query, "--format", "csv", "--limit", limit)[1] == "a,a\n1,2\n"
    assert sql(query, "--limit", limit)[1].splitlines()[0] == "a  a"


def test_describe_is_limited_too(sql: Sql) -> None:
    code, out, err = sql("describe calls", "--format", "csv", "--limit", "2")
    assert (code, len(out.splitlines())) == (0, 3)
    assert "cut at 2 rows" in err


def test_files_that_hold_no_query(sql: Sql, tmp_path: Path) -> None:
    for name, content in {"binary": b"select \x81", "nul": b"select 1\0", "empty": b""}.items():
        (tmp_path / name).write_bytes(content)
    for name, said in {
        "none": "no such file",
        "binary": "not UTF-8 text (byte 7)",
        "nul": "NUL",
        "empty": "query is empty",
    }.items():
        code, out, err = sql("--file", tmp_path / name)
        assert (code, out) == (2, "")
        assert said in err
        assert "Hint: " in err


@pytest.mark.parametrize("number", ["-1", "0", "x"])
def test_a_snapshot_is_counted_from_1(number: str, sql: Sql) -> None:
    code, _, err = sql("from calls", "--as-of", number)
    assert code == 2
    assert "Invalid value for '--as-of'" in err


def test_bytes_that_are_no_text(small_archive: Path, run: Callable[..., tuple[int, str, str]]) -> None:
    code, _, err = run("sql", b"select '\xff'", "--archive", small_archive)
    assert code == 2
    assert err == (
        "workbench: arguments: \"select '\\udcff'\" is not text in UTF-8\n"
        "Hint: rename the file, or write the text as UTF-8\n"
    )


def test_a_terminal_without_unicode(
    small_archive: Path, run: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    code, _, err = run("sql", "select 'é'".encode(), "--archive", small_archive, env=plain)
    assert code == 2
    assert "is not text in ASCII\nHint: set PYTHONUTF8=1" in err
    (tmp_path / "q.sql").write_text("select 'é' as a", encoding="utf-8")
    code, out, err = run("sql", "--file", tmp_path / "q.sql", "--archive", small_archive, env=plain)
    assert (code, out) == (0, "a\n─\né\n"), err


def test_json_by_either_name_and_decimals_are_numbers(sql: Sql) -> None:
    query = "select 1.50 as a, sum(x) as b, null as c from (values (2), (3)) as t (x)"
    code, out, err = sql(query, "--json")
    assert code == 0, err
    assert json.loads(out) == [{"a": 1.5, "b": 5, "c": None}]
    assert sql(query, "--format", "json")[1] == out
    assert sql(query, "--format", "json", "--json")[1] == out


def test_two_formats_at_once_are_refused(sql: Sql) -> None:
    code, out, err = sql("select 1", "--json", "--format", "csv")
    assert (code, out) == (2, "")
    assert "--json and --format csv" in err


def test_a_pivot_with_named_columns_is_one_select(sql: Sql) -> None:
    code, out, err = sql("pivot (select 'a' as x) on x in ('a', 'b') using count(*)", "--json")
    assert code == 0, err
    assert json.loads(out) == [{"a": 1, "b": 0}]
