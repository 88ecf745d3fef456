"""A view over some of the calls: the same SQL that the whole archive is seen through, on fewer rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.archive.archive import Archive

FILTERS = ("source_format", "origin", "agent_id", "language")
"""Columns of `calls` that a view can be narrowed by."""

NOT_SUPPLIED = "not supplied"
"""Choice that stands for calls without a value."""


def choices(archive: Archive) -> dict[str, list[str]]:
    """Return the values of each filter that occur in an archive.

    Parameters
    ----------
    archive : Archive
        The archive.

    Returns
    -------
    dict of str to list of str
        By column of :data:`FILTERS`, sorted; `not supplied` last where a call has no value.
    """
    found = {}
    for column in FILTERS:
        values = archive.sql(_line("select distinct", column, "as value from calls order by value nulls last"))
        found[column] = [NOT_SUPPLIED if value is None else value for value in values["value"]]
    return found


def filtered_view(name: str, wanted: Mapping[str, str | None]) -> tuple[str, dict[str, str]]:
    """Return the SQL of a view over the calls that are wanted, and its parameters.

    A view with `call_id` is narrowed from outside. Any other is computed anew: each table and view it reads
    that has `call_id` is shadowed by its rows of the wanted calls, so a rate or percentile and its interval
    come from the very SQL of the view.

    Parameters
    ----------
    name : str
        A view of `sql/views` or a ready-made query of `sql/queries`.
    wanted : mapping
        Value by column of :data:`FILTERS`; None leaves the column open.

    Returns
    -------
    tuple of str and dict
        The SQL, in which values are parameters only, and their values by name. The rows of a view come in the
        order of its key.

    Raises
    ------
    UsageError
        For an unknown view or column.
    """
    from workbench.archive import views

    known = {view.name: view for view in views.catalogue()}
    ready = {query.name: query for query in views.queries()}
    if name not in known and name not in ready:
        raise UsageError(f"no view or query {name!r}", hint=f"one of: {', '.join(sorted(known))}")
    if unknown := sorted(set(wanted) - set(FILTERS)):
        raise UsageError(f"calls cannot be narrowed by {', '.join(unknown)}", hint=f"one of: {', '.join(FILTERS)}")
    chosen = {column: value for column, value in sorted(wanted.items()) if value is not None}
    params = {column: value for column, value in chosen.items() if value != NOT_SUPPLIED}
    whole = ready[name].sql if name in ready else _line("from", _quoted(name))
    order = _line("order by", ", ".join(known[name].key)) if name in known else ""
    if not chosen:
        return _line(whole, order).strip(), {}
    condition = " and ".join(f"{c} = ${c}" if c in params else f"{c} is null" for c in chosen)
    if name in known and "call_id" in known[name].columns:
        calls = _line("(select call_id from calls where", condition + ")")
        return _line(whole, "where call_id in", calls, order), params
    body = known[name].sql if name in known else whole
    shadows = [_line("calls as (from memory.main.calls where", condition + ")")]
    narrowed = [other for other in _of_calls() if other != "calls" and re.search(rf"\b{other}\b", body)]
    shadows += [
        f"{_quoted(other)} as (from memory.main.{_quoted(other)} semi join calls using (call_id))" for other in narrowed
    ]
    return "\n".join(["with " + ",\n".join(shadows), "select * from (", body, _line(")", order).strip()]), params


def _line(*parts: str) -> str:
    """Put a line of SQL together; every part is a name of the catalogue or a constant, never a value."""
    return " ".join(parts)


def _quoted(name: str) -> str:
    return f'"{name}"' if name == "overlaps" else name


def _of_calls() -> list[str]:
    """Return the tables and views that have `call_id`."""
    from workbench.archive import views
    from workbench.schema import tables

    found = [name for name, table in tables().items() if "call_id" in table.column_names()]
    return found + [view.name for view in views.catalogue() if "call_id" in view.columns]
