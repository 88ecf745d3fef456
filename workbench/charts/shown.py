"""A frame as notebooks show it: a table to search and sort, its rows as CSV, its SQL."""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from workbench.errors import MissingExtra
from workbench.plural import plural
from workbench.text.visible import visible, visible_frame

if TYPE_CHECKING:
    import polars as pl


def shown(
    frame: pl.DataFrame,
    sql: str,
    name: str,
    *,
    params: Mapping[str, Any] | None = None,
    table: Any = None,
    folded: bool = False,
) -> Any:
    """Put a table, a button that downloads all its rows, and its SQL under each other.

    Parameters
    ----------
    frame : polars.DataFrame
        The rows as they are in the archive; they are what is downloaded.
    sql : str
        The query they came from.
    name : str
        Name of the downloaded file, without its ending.
    params : mapping, optional
        Values of the query's parameters.
    table : marimo.ui.table, optional
        The table when its selection is read elsewhere, or other columns are shown than are downloaded.
    folded : bool
        Whether the table is made only when a reader unfolds it: where a chart shows the same rows already.

    Returns
    -------
    marimo.Html

    Raises
    ------
    MissingExtra
        When marimo is not installed.
    """
    mo = marimo()
    values = "".join(f"\n-- ${key} = {visible(repr(value))}" for key, value in (params or {}).items())
    label = f"CSV, {plural(len(frame), 'row')}"
    button = mo.download(lambda: as_csv(frame), filename=f"{name}.csv", mimetype="text/csv", label=label)
    source = mo.accordion(
        {f"SQL of {name}": mo.style(mo.plain_text(sql.strip() + values), max_height="22rem", overflow="auto")}
    )
    below = mo.hstack([button, source], justify="start", widths=[3, 9], align="start", gap=1)
    if folded:
        above = mo.accordion({f"Rows of {name}": lambda: table_of(frame) if table is None else table}, lazy=True)
    else:
        above = table_of(frame) if table is None else table
    return mo.vstack([above, below], gap=0.5)


def table_of(
    frame: pl.DataFrame,
    *,
    selection: str | None = None,
    page_size: int = 8,
    widths: Mapping[str, int] | None = None,
) -> Any:
    """Return a marimo table in which no text moves, hides, loads or runs.

    Parameters
    ----------
    frame : polars.DataFrame
        What to show; texts may be untrusted. Where there is no value the cell is empty; an empty text is "".
    selection : {'single', 'multi'}, optional
        Whether rows can be chosen.
    page_size : int
        Rows a page.
    widths : mapping, optional
        Width of a column in pixels; a text with a width goes on over several lines.

    Returns
    -------
    marimo.ui.table

    Raises
    ------
    MissingExtra
        When marimo is not installed.
    """
    import polars as pl

    mo = marimo()
    widths = {name: width for name, width in (widths or {}).items() if name in frame.columns}
    cells = {
        name: _number if kind == pl.Float64 else _cell for name, kind in frame.schema.items() if _differs(frame[name])
    }
    return mo.ui.table(
        visible_frame(frame),
        selection=selection,
        page_size=page_size,
        pagination=len(frame) > page_size,
        show_download=False,
        show_column_summaries=False,
        show_data_types=False,
        format_mapping=cells,
        wrapped_columns=[name for name in widths if frame.schema[name] == pl.String],
        column_widths=widths,
    )


def as_csv(frame: pl.DataFrame) -> bytes:
    """Return a frame as CSV: an empty cell is null, empty text is quoted, lists and structs are JSON."""
    import polars as pl

    nested = [name for name, kind in frame.schema.items() if kind.is_nested()]
    flat = frame.with_columns(
        pl.Series(name, [_json(value) for value in frame[name].to_list()], dtype=pl.String) for name in nested
    )
    out = io.BytesIO()
    flat.write_csv(out, null_value="", quote_style="necessary", datetime_format="%Y-%m-%dT%H:%M:%S%.6fZ")
    return out.getvalue()


def _json(value: object) -> str | None:
    import msgspec

    return None if value is None else msgspec.json.encode(value).decode()


def _differs(column: pl.Series) -> bool:
    """Tell whether marimo would show a column otherwise: "None" where there is no value, too many digits."""
    import polars as pl

    kind = column.dtype
    return kind in (pl.Float64, pl.Datetime) or column.null_count() > 0 or (kind == pl.String and (column == "").any())


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:,.2f}"


def _cell(value: object) -> str:
    """Return a value of a column that has empty cells: one type for all of them, as marimo wants it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, datetime):
        return value.isoformat(sep=" ", timespec="seconds").replace("+00:00", " UTC")
    return str(value) or '""'


def marimo() -> Any:
    """Return the package marimo.

    Raises
    ------
    MissingExtra
        When it is not installed.
    """
    try:
        import marimo as found
    except ImportError as error:
        raise MissingExtra("marimo", "notebooks") from error
    return found
