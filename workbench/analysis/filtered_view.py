"""A view over some of the calls: the same SQL that the whole archive is seen through, on fewer rows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
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
        order of its rank or key.

    Raises
    ------
    UsageError
        For an unknown view or column.
    """
    body, whole = known_view(name)
    condition, params = chosen_calls(wanted)
    order = ordered_by(name)
    if not condition:
        return _line(_line("from", quoted(name)) if order else body, order).strip(), {}
    if whole:
        calls = _line("(select call_id from calls where", condition + ")")
        return _line("from", quoted(name), "where call_id in", calls, order), params
    shadows = [_line("calls as (from memory.main.calls where", condition + ")")]
    narrowed = [other for other in of_calls() if other != "calls" and re.search(rf"\b{other}\b", body)]
    shadows += [
        f"{quoted(other)} as (from memory.main.{quoted(other)} semi join calls using (call_id))" for other in narrowed
    ]
    return "\n".join(["with " + ",\n".join(shadows), "select * from (", body, _line(")", order).strip()]), params


@lru_cache(maxsize=64)
def known_view(name: str) -> tuple[str, bool]:
    """Return the SQL of a view or ready-made query, and whether its rows belong to calls.

    Parameters
    ----------
    name : str
        A view of `sql/views` or a ready-made query of `sql/queries`.

    Returns
    -------
    tuple of str and bool
        The SELECT of its file; True for a view with `call_id`.

    Raises
    ------
    UsageError
        When there is none of that name.
    """
    from workbench.archive import views

    known = {view.name: view for view in views.catalogue()}
    if name in known:
        return known[name].sql, "call_id" in known[name].columns
    ready = {query.name: query.sql for query in views.queries()}
    if name in ready:
        return ready[name], False
    raise UsageError(f"no view or query {name!r}", hint=f"one of: {', '.join(sorted(known))}")


def chosen_calls(wanted: Mapping[str, str | None]) -> tuple[str, dict[str, str]]:
    """Return the condition on `calls` that a choice makes.

    Parameters
    ----------
    wanted : mapping
        Value by column of :data:`FILTERS`; None leaves the column open.

    Returns
    -------
    tuple of str and dict
        SQL without any value in it, empty when all is left open, and its parameters by name.

    Raises
    ------
    UsageError
        For a column that is not in :data:`FILTERS`.
    """
    if unknown := sorted(set(wanted) - set(FILTERS)):
        raise UsageError(f"calls cannot be narrowed by {', '.join(unknown)}", hint=f"one of: {', '.join(FILTERS)}")
    chosen = {column: value for column, value in sorted(wanted.items()) if value is not None}
    params = {column: value for column, value in chosen.items() if value != NOT_SUPPLIED}
    return " and ".join(f"{c} = ${c}" if c in params else f"{c} is null" for c in chosen), params


def ordered_by(name: str) -> str:
    """Return how the rows of a view are ordered.

    Parameters
    ----------
    name : str
        A view, or a ready-made query.

    Returns
    -------
    str
        ORDER BY its rank where it has one, then its key; empty for a ready-made query, which has its own.
    """
    from workbench.archive import views

    view = next((view for view in views.catalogue() if view.name == name), None)
    if view is None:
        return ""
    return _line("order by", ", ".join(["rank", *view.key] if "rank" in view.columns else view.key))


@lru_cache(maxsize=1)
def of_calls() -> tuple[str, ...]:
    """Return the tables and views that have `call_id`.

    Returns
    -------
    tuple of str
        Names, tables first.
    """
    from workbench.archive import views
    from workbench.schema import tables

    found = [name for name, table in tables().items() if "call_id" in table.column_names()]
    return (*found, *(view.name for view in views.catalogue() if "call_id" in view.columns))


def _line(*parts: str) -> str:
    """Put a line of SQL together; every part is a name of the catalogue or a constant, never a value."""
    return " ".join(parts)


def quoted(name: str) -> str:
    """Return the name of a table or view as SQL takes it.

    Parameters
    ----------
    name : str
        A name of the catalogue.

    Returns
    -------
    str
        `overlaps` is a word of SQL itself, and stands in quotes.
    """
    return f'"{name}"' if name == "overlaps" else name
