"""What a table is: a dataframely schema that also knows its name, its grain and its DuckDB types."""

from __future__ import annotations

import functools
import operator
import re
from typing import Any

import dataframely as dy
import polars as pl

from workbench.errors import SchemaFailed

_DUCKDB = {
    pl.String: "VARCHAR",
    pl.Float64: "DOUBLE",
    pl.Int64: "BIGINT",
    pl.Int32: "INTEGER",
    pl.Int16: "SMALLINT",
    pl.Boolean: "BOOLEAN",
}


MISFIT = (TypeError, ValueError, OverflowError, KeyError, pl.exceptions.PolarsError)
"""What a value of another type than its column's raises; KeyError is for a pair without its parts."""


class Table(dy.Schema):
    """Base of every table class. The class docstring is the grain: "One row per ..."."""

    @classmethod
    @functools.cache
    def columns(cls) -> dict[str, dy.Column]:
        """Return the columns by name, in order; one dict for all, not to be changed."""
        return super().columns()

    @classmethod
    def table(cls) -> str:
        """Return the table's name in SQL: the class name in snake case.

        Returns
        -------
        str
            For instance ``assertion_results``.

        Examples
        --------
        >>> from workbench.schema.tool_calls import ToolCalls
        >>> ToolCalls.table()
        'tool_calls'
        """
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()

    @classmethod
    def grain(cls) -> str:
        """Return the sentence that says what a row is."""
        return (cls.__doc__ or "").strip().splitlines()[0]

    @classmethod
    def meta(cls, column: str) -> dict[str, Any]:
        """Return the metadata of a column: ``unit``, ``null`` and how it is encoded."""
        return cls.columns()[column].metadata or {}

    @classmethod
    def polars(cls) -> dict[str, pl.DataType]:
        """Return the polars types by column, in column order."""
        return {name: column.dtype for name, column in cls.columns().items()}

    @classmethod
    def duckdb_type(cls, column: str) -> str:
        """Return the DuckDB type a column has in the archive."""
        meta = cls.meta(column)
        if meta.get("map"):
            return "MAP(VARCHAR, VARCHAR)"
        if meta.get("json"):
            return "JSON"
        dtype = cls.columns()[column].dtype
        if isinstance(dtype, pl.Datetime):
            return "TIMESTAMPTZ"
        if isinstance(dtype, pl.List):
            return "VARCHAR[]"
        return _DUCKDB[type(dtype)]

    @classmethod
    def shown(cls, column: str) -> tuple[str, str, str | None, str]:
        """Return how SQL shows a column: name, DuckDB type, unit, description.

        Levels are stored as hundredths in a SMALLINT and shown as doubles under the name without the c.
        """
        unit, text = cls.meta(column).get("unit"), cls.columns()[column].description or ""
        if unit and unit.endswith("/100"):
            return column.replace("_cdb", "_db"), "DOUBLE", unit.removesuffix("/100"), text.removesuffix(", in hundredths")
        return column, cls.duckdb_type(column), unit, text

    @classmethod
    def comment(cls, column: str) -> str:
        """Return the column's description with its unit and null rule, as the catalogue keeps it."""
        meta = cls.meta(column)
        text = cls.columns()[column].description or ""
        if meta.get("unit"):
            text += f" [{meta['unit']}]"
        if meta.get("null"):
            text += f"; empty: {meta['null']}"
        return text

    @classmethod
    def ddl(cls, catalogue: str) -> list[str]:
        """Return the statements that make the table in a DuckDB catalogue, with its comments.

        Parameters
        ----------
        catalogue : str
            Name under which the catalogue is attached.

        Returns
        -------
        list of str
            One CREATE TABLE, one COMMENT ON TABLE, one COMMENT ON COLUMN a column.
        """
        name = f"{catalogue}.{cls.table()}"
        columns = ", ".join(
            f"{column} {cls.duckdb_type(column)}{'' if spec.nullable else ' NOT NULL'}"
            for column, spec in cls.columns().items()
        )
        comments = {f"TABLE {name}": cls.grain()}
        comments |= {f"COLUMN {name}.{column}": cls.comment(column) for column in cls.column_names()}
        texts = {place: text.replace("'", "''") for place, text in comments.items()}
        return [f"CREATE TABLE {name} ({columns})", *(f"COMMENT ON {place} IS '{t}'" for place, t in texts.items())]

    @classmethod
    def frame(cls, rows: list[dict[str, Any]]) -> pl.DataFrame:
        """Build a frame of this table from rows that may lack nullable columns.

        Parameters
        ----------
        rows : list of dict
            Row values by column name. A missing name is null.

        Returns
        -------
        polars.DataFrame
            All columns of the table in order; no rows for an empty list.

        Raises
        ------
        SchemaFailed
            When a value does not fit the type of its column.
        """
        frame, misfits = cls.fitting(rows)
        if misfits:
            ix, column = next(iter(misfits.items()))
            raise SchemaFailed(
                f"row {ix} has {type(rows[ix][column]).__name__} {ascii(rows[ix][column])[:80]} as {column}",
                where=f"{cls.table()}.{column}",
                hint=f"the column holds {cls.duckdb_type(column)}",
            )
        return frame

    @classmethod
    def checked(cls, rows: list[dict[str, Any]]) -> pl.DataFrame:
        """Build a frame of this table and check it against every rule.

        Parameters
        ----------
        rows : list of dict
            As for :meth:`frame`.

        Returns
        -------
        polars.DataFrame
            All columns of the table in order; no rows for an empty list.

        Raises
        ------
        SchemaFailed
            When a value does not fit the type of its column.
        dataframely.exc.ValidationError
            When a row breaks a rule.
        """
        return cls.validate(cls.frame(rows))

    @classmethod
    def fitting(cls, rows: list[dict[str, Any]]) -> tuple[pl.DataFrame, dict[int, str]]:
        """Build a frame of those rows whose values fit the types of their columns.

        Parameters
        ----------
        rows : list of dict
            As for :meth:`frame`.

        Returns
        -------
        frame : polars.DataFrame
            The rows that fit, in order.
        misfits : dict of int to str
            Position of each row left out, with its first column that does not fit: a number beyond the type,
            text that is no Unicode, another type. Empty when all fit.
        """
        schema = cls.polars()
        misfits: dict[int, str] = {}
        built = {}
        columns = _columns(rows, list(schema))
        for name, dtype in schema.items():
            values = columns[name]
            try:
                built[name] = _series(name, values, dtype)
            except MISFIT:
                for ix, value in enumerate(values):
                    if not _fits(name, value, dtype):
                        misfits.setdefault(ix, name)
        if misfits:
            kept = [row for ix, row in enumerate(rows) if ix not in misfits]
            return cls.fitting(kept)[0], misfits
        return pl.DataFrame(built, schema=schema), misfits


def _columns(rows: list[dict[str, Any]], names: list[str]) -> dict[str, list[Any]]:
    """Turn rows into columns; at once where all rows have the keys of the first, as they mostly do."""
    given = [name for name in names if rows and name in rows[0]]
    if len(given) > 1 and len(given) == len(rows[0]) and all(len(row) == len(given) for row in rows):
        pick = operator.itemgetter(*given)
        try:
            turned = dict(zip(given, map(list, zip(*map(pick, rows), strict=True)), strict=True))
        except KeyError:  # as many keys, but others
            turned = {}
        if turned:
            return {name: turned.get(name) or [None] * len(rows) for name in names}
    return {name: [row.get(name) for row in rows] for name in names}


def _fits(name: str, value: Any, dtype: pl.DataType) -> bool:
    try:
        _series(name, [value], dtype)
    except MISFIT:
        return False
    return True


def _series(name: str, values: list[Any], dtype: pl.DataType) -> pl.Series:
    """Return a column. Lists go by way of Arrow, since polars would make a series of each."""
    if not isinstance(dtype, pl.List) or all(value is None for value in values):
        return pl.Series(name, values, dtype=dtype, strict=True)
    if not all(value is None or isinstance(value, list) for value in values):
        raise TypeError(f"{name} holds lists")  # polars would take text for a list of letters
    import numpy as np

    from workbench import arrow

    inner = [item for value in values for item in value or ()]
    if isinstance(dtype.inner, pl.Struct):  # part by part: of a struct's parts polars makes text, whatever they are
        parts = {name: [item[name] for item in inner] for name in ("key", "value")}
        columns = [pl.Series(name, part, pl.String, strict=True) for name, part in parts.items()]
        items = pl.select(pl.struct(columns)).to_series()
    else:
        items = pl.Series(inner, dtype=dtype.inner, strict=True)
    lengths = np.array([-1 if value is None else len(value) for value in values])
    return pl.Series(name, arrow.lists(items.to_arrow(), lengths), dtype=dtype)
