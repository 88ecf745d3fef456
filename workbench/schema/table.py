"""What a table is: a dataframely schema that also knows its name, its grain and its DuckDB types."""

from __future__ import annotations

import re
from typing import Any

import dataframely as dy
import polars as pl

_DUCKDB = {
    pl.String: "VARCHAR",
    pl.Float64: "DOUBLE",
    pl.Int64: "BIGINT",
    pl.Int32: "INTEGER",
    pl.Int16: "SMALLINT",
    pl.Boolean: "BOOLEAN",
}


class Table(dy.Schema):
    """Base of every table class. The class docstring is the grain: "One row per ..."."""

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
        """
        return pl.DataFrame(
            {name: [row.get(name) for row in rows] for name in cls.polars()},
            schema=cls.polars(),
            strict=True,
        )
