r"""CSV as every command writes it: null and empty text stay apart, and no number loses a digit.

RFC 4180 but for the line ending, which is ``\n``. An empty cell is null and ``""`` is empty text. Cells are
quoted where they hold ``#``, so that no reader takes them for a comment. They are never changed to please a
spreadsheet: text that begins with ``=``, ``+``, ``-`` or ``@`` is written as it is.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import TYPE_CHECKING, Any

from workbench.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

_SPECIAL = re.compile('[",\r\n#]')
BATCH_ROWS = 16_384


def cell(value: Any) -> str:
    """Return one cell.

    Parameters
    ----------
    value : object
        None, text, bool, int, float, date, time, datetime, timedelta, bytes, list, dict, or anything with a `str`.

    Returns
    -------
    str
        Nothing for None; ``""`` for empty text; true or false; a float in the shortest form that reads back
        the same (NaN, INF, -INF beside it); a moment as ISO 8601, with Z when it has a time zone; an
        interval as ISO 8601, such as ``P1DT3661S``; bytes in hex; lists and mappings as JSON.
    """
    return _KINDS.get(type(value), _other)(value)


def line(values: Iterable[Any]) -> str:
    """Return one line with its ending."""
    return ",".join([cell(value) for value in values]) + "\n"


def text(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows under a header; the header alone when there are none."""
    return "".join([line(names), *(line(row) for row in rows)])


def lines(table: pa.Table) -> Iterator[str]:
    """Yield the rows of an Arrow table as CSV without a header, many lines at a time.

    Parameters
    ----------
    table : pyarrow.Table
        Maps become JSON objects.

    Yields
    ------
    str
        Whole lines; nothing for a table without rows.

    Raises
    ------
    UsageError
        When a date or a moment lies outside the years 1 to 9999.
    """
    for batch in table.to_batches(max_chunksize=BATCH_ROWS):
        columns = zip(batch.schema.names, batch.columns, strict=True)
        cells = [[cell(value) for value in _values(name, column)] for name, column in columns]
        if batch.num_rows and cells:
            yield "\n".join(map(",".join, zip(*cells, strict=True))) + "\n"


def _values(name: str, column: pa.Array[Any]) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist(maps_as_pydicts="lossy")
    except OverflowError as error:
        raise UsageError(
            f"the column {name!r} holds a date outside the years 1 to 9999",
            where="query",
            hint="cast it to text in the query: COLUMN::varchar AS NAME",
        ) from error
    return values


def _null(_value: Any) -> str:
    return ""


def _text(value: str) -> str:
    if not value or _SPECIAL.search(value):
        return '"' + value.replace('"', '""') + '"'
    return value


def _flag(value: bool) -> str:  # noqa: FBT001 - a cell, not an option
    return "true" if value else "false"


def _float(value: float) -> str:
    if math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "INF" if value > 0 else "-INF"


def _moment(value: datetime) -> str:
    return value.isoformat().replace("+00:00", "Z")


def _day(value: date | time) -> str:
    return value.isoformat()


def _span(value: timedelta) -> str:
    import msgspec

    return str(msgspec.json.decode(msgspec.json.encode(value)))


def _json(value: Any) -> str:
    import msgspec

    return _text(msgspec.json.encode(value, enc_hook=str).decode())


def _other(value: Any) -> str:
    return _text(str(value))


_KINDS: dict[type, Callable[[Any], str]] = {
    type(None): _null,
    str: _text,
    bool: _flag,
    int: str,
    float: _float,
    datetime: _moment,
    date: _day,
    time: _day,
    timedelta: _span,
    bytes: bytes.hex,
    list: _json,
    dict: _json,
    tuple: _json,
}
