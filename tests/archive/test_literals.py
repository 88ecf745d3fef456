"""Parameters given as text are the parameters that would have been bound."""

from __future__ import annotations

import subprocess
import sys

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.archive.archive import Archive
from workbench.archive.lake.literals import arguments, literal
from workbench.errors import QueryRefused

CON = duckdb.connect()
CON.execute("PREPARE asked AS SELECT $value AS value, typeof($value) AS kind")
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
PLAIN = st.one_of(
    TEXTS,
    st.integers(-(2**63) + 1, 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
    st.lists(TEXTS, min_size=1, max_size=5),
)


@settings(deadline=None)  # the first value that is bound imports pandas
@given(PLAIN)
def test_a_literal_is_the_value_in_the_type_that_binding_gives(value: object) -> None:
    text = literal(value)
    assert text is not None
    bound = CON.execute("SELECT $value AS value, typeof($value) AS kind", {"value": value}).fetchall()
    assert repr(CON.execute(f"EXECUTE asked(value := {text})").fetchall()) == repr(bound)


@pytest.mark.parametrize("value", [2**63, float("nan"), float("inf"), "a\0b", [], ["a", 1], {"a": 1}, b"x", object()])
def test_other_values_are_left_to_be_bound(value: object) -> None:
    assert literal(value) is None
    assert arguments({"value": value, "other": 1}) is None


def test_a_name_that_is_no_identifier_is_left_to_be_bound() -> None:
    assert arguments({"a) or (b": "x"}) is None
    assert arguments({"a": "it's", "b": 2}) == "a := 'it''s', b := 2"


def test_text_with_quotes_stays_a_value(archive: Archive) -> None:
    awkward = "x'); from calls; --"
    assert archive.sql("select $a as a, $b as b", {"a": awkward, "b": "'"}).row(0) == (awkward, "'")


def test_an_error_speaks_of_the_query_as_it_was_written(archive: Archive) -> None:
    with pytest.raises(QueryRefused, match=r"LINE 1: select missing from calls where call_id = \$a"):
        archive.sql("select missing from calls where call_id = $a", {"a": "x"})
    with pytest.raises(QueryRefused, match="parameters: b"):
        archive.sql("select $a, $b", {"a": 1})


def test_what_cannot_be_prepared_is_bound(archive: Archive) -> None:
    """The type of the argument must be known when this one is prepared."""
    query = "select json_serialize_sql($text) like '%SELECT%' as found"
    with pytest.raises(duckdb.Error):
        CON.execute(f"PREPARE other AS {query}")
    assert archive.sql(query, {"text": "select 1"}).item() is True


def test_an_error_of_the_values_is_raised_by_the_first_run(archive: Archive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive.reader, "check_select", lambda _query: None)
    ran: list[str] = []
    con = archive.reader._con

    class Told:
        def __getattr__(self, name: str) -> object:
            return getattr(con, name)

        def execute(self, query: str, *values: object) -> object:
            ran.append(query)
            return con.execute(query, *values)

    monkeypatch.setattr(archive.reader, "_con", Told())
    with pytest.raises(QueryRefused, match="Could not convert"):
        archive.sql("select cast($a as integer)", {"a": "x"})
    assert [query.split()[0] for query in ran] == ["PREPARE", "EXECUTE"]


def test_a_query_with_parameters_does_not_load_pandas(archive: Archive) -> None:
    program = (
        "import importlib.util, sys, workbench\n"
        "assert importlib.util.find_spec('pandas')\n"
        f"workbench.open({str(archive.path)!r}).sql('from calls where call_id = $a limit $n', dict(a='x', n=3))\n"
        "print('pandas' in sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False"]
