"""The rows of an archive that choices are made from, read once and then kept in the memory of its connection.

:func:`~workbench.analysis.filtered_view.filtered_view` says in SQL what a view shows over some of the calls. A page
that asks that at every choice would plan the view, and read the archive, each time. Here each view and table that
an answer reads is run once; a choice runs the last step alone, by the same SQL file, over rows in memory.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from workbench.analysis.filtered_view import FILTERS, NOT_SUPPLIED, chosen_calls, known_view, of_calls, ordered_by

if TYPE_CHECKING:
    import polars as pl

    from workbench.archive.archive import Archive
    from workbench.archive.headers import ViewFile

COLUMNS = {
    "calls": ("call_id", *FILTERS, "agent_version", "evidence_tier"),
    "recordings": ("call_id", "recording_id", "duration_s"),
}
"""Columns that are kept of tables with many more; of others, all are."""

SHARED = ("latest_runs", "call_clocks", "speech_sequence", "call_verdicts")
"""Views that several others read, and that are run once for all of them."""

STRATUM = "stratum"
"""Number of the calls that are alike in all of :data:`~workbench.analysis.filtered_view.FILTERS`."""


class HeldCalls:
    """Views over chosen calls, each answered from rows in memory.

    A view is read from the archive when it is first asked for. What is held belongs to the archive's connection and
    so to one snapshot; after :meth:`Archive.refresh` all is read anew.

    Parameters
    ----------
    archive : Archive
        An open archive; nothing is written to it.
    """

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._reader: object = None
        self._held: set[str] = set()
        self._answers: dict[str, pl.DataFrame] = {}

    def choices(self) -> dict[str, list[str]]:
        """Return the values of each filter, as :func:`~workbench.analysis.filtered_view.choices` does.

        Returns
        -------
        dict of str to list of str
            By column, sorted; `not supplied` last where a call has no value.
        """
        self._begin()
        strata = self._archive.reader.frame("from memory.held.strata")
        found = {}
        for column in FILTERS:
            values = strata[column].unique()
            missing = [NOT_SUPPLIED] if values.null_count() else []
            found[column] = sorted(values.drop_nulls().to_list()) + missing
        return found

    def rows(self, name: str, wanted: Mapping[str, str | None], **params: Any) -> pl.DataFrame:
        """Return what the SQL of :func:`~workbench.analysis.filtered_view.filtered_view` gives, row for row.

        Parameters
        ----------
        name : str
            A view of `sql/views` or a ready-made query of `sql/queries`.
        wanted : mapping
            Value by column of :data:`~workbench.analysis.filtered_view.FILTERS`; None leaves the column open.
        **params : object
            Values of the query's own parameters.

        Returns
        -------
        polars.DataFrame
            The same rows in the same order; sums of floats may differ in their last digits, as they do from run to
            run.

        Raises
        ------
        UsageError
            For an unknown view or column.
        """
        self._begin()
        asked = repr((name, _open_left_out(wanted), sorted(params.items())))
        return self._answers.pop(asked) if asked in self._answers else self._answer(name, wanted, params)

    def ahead(self, wanted: Mapping[str, str | None], asked: Mapping[str, Mapping[str, Any]]) -> None:
        """Answer now what :meth:`rows` will be asked next, while nothing else has the processor.

        Parameters
        ----------
        wanted : mapping
            The choice; answers that lie ready for another are dropped.
        asked : mapping of str to mapping
            Parameters by view or query. One that the archive would have to be read for is left to :meth:`rows`.
        """
        self._begin()
        self._answers.clear()
        for name, params in asked.items():
            if set(_needed(name)) <= self._held:
                key = repr((name, _open_left_out(wanted), sorted(params.items())))
                self._answers[key] = self._answer(name, wanted, params)

    def ready(self, *names: str) -> None:
        """Read from the archive what these views and queries need, so that the first choice need not."""
        self._begin()
        for name in (needed for asked in names for needed in _needed(asked)):
            self._hold(name)

    def call_count(self, wanted: Mapping[str, str | None]) -> int:
        """Return how many calls a choice leaves."""
        condition, values = chosen_calls(wanted)
        self._begin()
        where = _line("where", condition) if condition else ""
        query = _line("select coalesce(sum(call_count), 0)::bigint as n from memory.held.strata", where)
        return int(self._archive.reader.rows(query, values)[1][0][0])

    def _answer(self, name: str, wanted: Mapping[str, str | None], params: Mapping[str, Any]) -> pl.DataFrame:
        body, whole = known_view(name)
        condition, values = chosen_calls(wanted)
        needed = _needed(name)
        for other in needed:
            self._hold(other)
        last = _kept(name, condition) if whole else _with({other: _kept(other, condition) for other in needed}, body)
        if not set(needed) & set(of_calls()):
            values = {}
        return self._archive.reader.frame(_line(last, ordered_by(name)), {**values, **params})

    def _begin(self) -> None:
        """Number the strata and the calls, once a connection."""
        reader = self._archive.reader
        if reader is self._reader:
            return
        filters = ", ".join(FILTERS)
        alike = " and ".join(f"calls.{column} is not distinct from strata.{column}" for column in FILTERS)
        distinct = _line("(select", filters, ", count(*) as call_count from memory.main.calls group by all)")
        self._make("strata", _line("select *, row_number() over () as", STRATUM, "from", distinct))
        columns = ", ".join(f"calls.{column}" for column in COLUMNS["calls"])
        joined = _line("memory.main.calls as calls join memory.held.strata as strata on", alike)
        self._make("calls", _line("select", columns, f", strata.{STRATUM} from", joined))
        self._reader = reader
        self._held = {"calls"}
        self._answers.clear()

    def _hold(self, name: str) -> None:
        """Run a view, and first those it reads, into a table of memory; a table is copied."""
        from workbench.archive import views

        if name in self._held:
            return
        known = {view.name: view for view in views.catalogue()}
        if name in known:
            body = self._built(known[name], known)
        else:
            body = _line("select", ", ".join(COLUMNS.get(name, ("*",))), "from", f'memory.main."{name}"')
        if name in of_calls():
            strata = _line("select call_id,", STRATUM, "from memory.held.calls")
            body = _line("select body.*, numbered.stratum from (", body, ") as body")
            body = _line(body, "left join (", strata, ") as numbered using (call_id)")
        self._make(name, body)
        self._held.add(name)

    def _built(self, view: ViewFile, known: Mapping[str, ViewFile]) -> str:
        """Return the SQL of a view, in which the shared views it stands on are read from memory."""
        below: set[str] = set()
        ahead = [view]
        while ahead:
            more = {name for name in ahead.pop().reads if name in known} - below
            below |= more
            ahead += [known[name] for name in more if name not in SHARED]
        shadows = {}
        for name in (name for name in known if name in below):
            if name in SHARED:
                self._hold(name)
            shadows[name] = _kept(name, "") if name in SHARED else known[name].sql
        return _with(shadows, view.sql) if shadows else view.sql

    def _make(self, name: str, body: str) -> None:
        self._archive.reader.rows("create schema if not exists memory.held")
        self._archive.reader.rows(_line("create or replace table", f'memory.held."{name}"', "as", body))


def _kept(name: str, condition: str) -> str:
    """Return the SELECT of what is held of a view or table, over the calls of the chosen strata."""
    place = f'memory.held."{name}"'
    if name not in of_calls():
        return _line("from", place)
    whole = _line("select * exclude", f"({STRATUM})", "from", place)
    if not condition:
        return whole
    strata = _line("select", STRATUM, "from memory.held.strata where", condition)
    return _line(whole, "where", STRATUM, "in (", strata, ")")


def _with(shadows: Mapping[str, str], body: str) -> str:
    """Return a body that reads the shadows in place of what they are named after."""
    named = ", ".join(f'"{name}" as ({select})' for name, select in shadows.items())
    return _line("with", named, "select * from (", body, ")")


@lru_cache(maxsize=64)
def _needed(name: str) -> tuple[str, ...]:
    """Return the tables and views that are held for a view or query: itself, or what its SELECT names."""
    from workbench.archive import views
    from workbench.schema import tables

    body, whole = known_view(name)
    known = [*tables(), *(view.name for view in views.catalogue())]
    return (name,) if whole else tuple(other for other in known if re.search(rf"\b{other}\b", body))


def _open_left_out(wanted: Mapping[str, str | None]) -> list[tuple[str, str]]:
    return sorted((column, value) for column, value in wanted.items() if value is not None)


def _line(*parts: str) -> str:
    """Put SQL together; every part is a name of the catalogue or a constant, never a value."""
    return " ".join(parts)
