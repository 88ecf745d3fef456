"""Every column says what it is, in which unit, and why it may be empty; its name says the unit too."""

from __future__ import annotations

import dataframely as dy

from workbench.schema import tables

# Ending of a name -> the units it may have. The longest ending that fits decides.
ENDINGS: dict[str, set[str]] = {
    "_s": {"s"},
    "_ms": {"ms"},
    "_hz": {"Hz"},
    "_db": {"dB"},
    "_dbfs": {"dBFS"},
    "_cdbfs": {"dBFS/100"},
    "_usd": {"USD"},
    "_rate": {"0..1"},
    "_fraction": {"0..1"},
    "_probability": {"0..1"},
    "_ix": {"index"},
    "_bits": {"bit", "bits"},
    "_bytes": {"byte", "bytes"},
    "_sha256": {"sha256", ""},
}
COUNTS = "_count"
UNIT_ENDS: dict[str, str] = {
    "s": "_s",
    "ms": "_ms",
    "Hz": "_hz",
    "dB": "_db",
    "dBFS": "_dbfs",
    "dBFS/100": "_cdbfs",
    "USD": "_usd",
    "index": "_ix",
}
BY_TERM = {"fork_turn", "trial"}  # positions known by a term of their own
NUMERIC = (
    dy.Float64,
    dy.Float32,
    dy.Int64,
    dy.Int32,
    dy.Int16,
    dy.Int8,
    dy.UInt64,
    dy.UInt32,
    dy.UInt16,
    dy.UInt8,
)


def columns() -> list[tuple[str, str, dy.Column]]:
    found = [(t, c, column) for t, schema in tables().items() for c, column in schema.columns().items()]
    assert len(found) > 100
    return found


def test_every_column_is_described() -> None:
    assert not [f"{t}.{c}" for t, c, column in columns() if len(column.description or "") < 3]


def test_every_number_has_a_unit() -> None:
    bare = [
        f"{t}.{c}"
        for t, c, column in columns()
        if isinstance(column, NUMERIC) and not (column.metadata or {}).get("unit")
    ]
    assert not bare


def test_every_nullable_column_says_why_it_may_be_empty_and_no_other_does() -> None:
    wrong = [f"{t}.{c}" for t, c, column in columns() if column.nullable != bool((column.metadata or {}).get("null"))]
    assert not wrong


def test_names_end_in_their_unit() -> None:
    wrong = []
    for table, name, column in columns():
        unit = (column.metadata or {}).get("unit") or ""
        ending = max((end for end in ENDINGS if name.endswith(end)), key=len, default=None)
        if isinstance(column, NUMERIC) and ending and unit not in ENDINGS[ending]:
            wrong.append(f"{table}.{name} is in {unit or 'no unit'}, its name says {ending}")
        if unit in UNIT_ENDS and name not in BY_TERM and not name.endswith(UNIT_ENDS[unit]):
            wrong.append(f"{table}.{name} is in {unit}, so its name ends in {UNIT_ENDS[unit]}")
        if name.endswith(COUNTS) and not isinstance(column, NUMERIC):
            wrong.append(f"{table}.{name} is a count but no number")
    assert not wrong, "\n".join(wrong)


def test_a_rate_has_its_counts_beside_it() -> None:
    for table, schema in tables().items():
        names = set(schema.columns())
        for name in (n for n in names if n.endswith("_rate")):
            stem = name.removesuffix("_rate")
            assert {f"{stem}_count", f"{stem}_trials"} & names, f"{table}.{name} has no counts beside it"


def test_every_table_has_a_key_and_says_what_a_row_is() -> None:
    for table, schema in tables().items():
        assert schema.primary_key(), f"{table} has no key"
        assert schema.grain().startswith("One row per "), f"{table}: {schema.grain()!r}"
        assert schema.grain().endswith("."), table
