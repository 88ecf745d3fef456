"""The rows a check may look at, named by table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import polars as pl

from workbench.errors import SchemaFailed
from workbench.schema.calls import Calls
from workbench.schema.input_health import InputHealth
from workbench.schema.segments import Segments
from workbench.schema.tool_calls import ToolCalls
from workbench.schema.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.schema.table import Table

Frame = pl.DataFrame | pl.LazyFrame
TABLES: dict[str, type[Table]] = {
    "calls": Calls,
    "turns": Turns,
    "tool_calls": ToolCalls,
    "segments": Segments,
    "input_health": InputHealth,
}
T = TypeVar("T")


@dataclass(frozen=True)
class Rows:
    """Frames of the tables that checks read; the order of their rows does not matter.

    Parameters
    ----------
    calls, turns, tool_calls : polars.DataFrame or polars.LazyFrame
        With the columns of their tables; further columns are ignored.
    segments, input_health : polars.DataFrame or polars.LazyFrame, optional
        Measured speech and health of recordings; None where nothing was measured.
    """

    calls: Frame
    turns: Frame
    tool_calls: Frame
    segments: Frame | None = None
    input_health: Frame | None = None
    _made: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    def table(self, name: str) -> pl.DataFrame:
        """Return a table's columns, sorted by its key.

        Parameters
        ----------
        name : str
            One of ``calls``, ``turns``, ``tool_calls``, ``segments``, ``input_health``.

        Returns
        -------
        polars.DataFrame
            No rows for a table that was not given.

        Raises
        ------
        SchemaFailed
            When a column is missing or has a type that cannot be cast.
        """
        return self.once(("table", name), lambda: self._read(name))

    def once(self, name: object, make: Callable[[], T]) -> T:
        """Return what `make` gives, made once for these rows and kept under `name`."""
        if name not in self._made:
            self._made[name] = make()
        kept: T = self._made[name]
        return kept

    def calls_with_evidence(self) -> pl.DataFrame:
        """Return `calls` with ``has_turns`` and ``has_tool_calls``: supplied, be it empty.

        Returns
        -------
        polars.DataFrame
            One row per call.
        """
        return self.once("calls_with_evidence", self._calls_with_evidence)

    def _calls_with_evidence(self) -> pl.DataFrame:
        flags = [
            (
                pl.col("supplied").list.contains(name)
                | pl.col("call_id").is_in(self.table(name)["call_id"].unique().implode())
            )
            .fill_null(value=False)
            .alias(f"has_{name}")
            for name in ("turns", "tool_calls")
        ]
        return self.table("calls").with_columns(flags)

    def _read(self, name: str) -> pl.DataFrame:
        schema = TABLES[name]
        given: Frame | None = getattr(self, name)
        if given is None:
            return schema.frame([])
        frame = given.lazy()
        missing = [column for column in schema.polars() if column not in frame.collect_schema().names()]
        if missing:
            raise SchemaFailed(
                f"the frame lacks {', '.join(missing)}",
                where=f"table {name}",
                hint="give the table as the archive holds it",
            )
        try:
            return (
                frame.select(pl.col(column).cast(dtype) for column, dtype in schema.polars().items())
                .sort(schema.primary_key())
                .collect()
            )
        except pl.exceptions.InvalidOperationError as error:
            raise SchemaFailed(str(error), where=f"table {name}", hint="cast the column first") from error
