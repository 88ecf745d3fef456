"""What a result needs before its rows leave DuckDB by way of Arrow: intervals as text, and no value that changes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Literal

from workbench.errors import UsageError
from workbench.report import csv_text

if TYPE_CHECKING:
    import pyarrow as pa

_QUOTED = re.compile(r""""(?:[^"]|"")*"|'(?:[^']|'')*'""")
_CHANGED = re.compile(r"\b(?:VARIANT|BIT|BIGNUM|INTERVAL|TIME WITH TIME ZONE)(?=[,)\[]|$)")
"""Types that Arrow has not, or that lose something in it: a zone, the count of bits, the digits of a large number."""

_UNION = re.compile(r"\bUNION\(")


def require(columns: Iterable[tuple[str, str]], *, form: Literal["csv", "parquet"]) -> None:
    """Refuse a result with a column that cannot be written as it is.

    Parameters
    ----------
    columns : iterable of (str, str)
        Name and DuckDB type, as DESCRIBE gives them.
    form : {'csv', 'parquet'}
        What the rows are written as, by way of Arrow.

    Raises
    ------
    UsageError
        With the name of the column, its type, and what to cast it to.
    """
    for name, kind in columns:
        bare = _QUOTED.sub("", kind)
        if bare != "INTERVAL" and (_CHANGED.search(bare) or (form == "parquet" and _UNION.search(bare))):
            raise _refused(name, f"of type {kind}")


def plain(table: pa.Table) -> pa.Table:
    """Return a table whose intervals are text.

    Parameters
    ----------
    table : pyarrow.Table
        Of a result that :func:`require` lets pass.

    Returns
    -------
    pyarrow.Table
        With the same names; durations as ISO 8601, such as ``P1DT3661S``.

    Raises
    ------
    UsageError
        When a column holds rows without names for their parts.
    """
    import pyarrow as pa

    for ix, field in enumerate(table.schema):
        if _has_unnamed(field.type):
            raise _refused(field.name, "a row whose parts have no names of their own")
        if field.type == pa.month_day_nano_interval():
            texts = pa.array(
                [None if value is None else _iso(value) for value in table.column(ix).to_pylist()], pa.string()
            )
            table = table.set_column(ix, field.name, texts)
    return table


def _has_unnamed(kind: pa.DataType) -> bool:
    import pyarrow as pa

    parts = [kind.field(ix) for ix in range(kind.num_fields)]
    same = len({part.name for part in parts}) < len(parts)
    return (pa.types.is_struct(kind) and same) or any(_has_unnamed(part.type) for part in parts)


def _iso(value: Any) -> str:
    """Without months as JSON has it; else each part with its own sign, as ISO 8601-2 allows."""
    if not value.months:
        return csv_text.cell(timedelta(days=value.days, microseconds=value.nanoseconds // 1000))
    days = f"{value.days}D" if value.days else ""
    seconds = f"T{value.nanoseconds / 1e9:.6f}".rstrip("0").rstrip(".") + "S" if value.nanoseconds else ""
    return f"P{value.months}M{days}{seconds}"


def _refused(name: str, what: str) -> UsageError:
    return UsageError(
        f"the column {name!r} is {what}, which cannot be written as it is",
        where="query",
        hint="cast it to text in the query: COLUMN::varchar AS NAME",
    )
