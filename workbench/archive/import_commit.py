"""The transaction of an import: what is new goes in, what is there already is counted."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from msgspec import structs

from workbench.archive import media, runs
from workbench.archive.lake import Writer, quote
from workbench.archive.layout import Layout
from workbench.archive.removal import remove_rows
from workbench.archive.spooling import Spool
from workbench.schema.call import Refusal

if TYPE_CHECKING:
    import duckdb

KEPT_REFUSALS = 1000
"""Refusals a report holds; all of them are rows of `refusals`."""


@dataclass
class ImportReport:
    """What an import did.

    `rows` counts what was written by table. `recordings` are those whose bytes were read. `scopes` and
    `rules` count every refusal; `refusals` holds the first thousand of them.
    """

    run_id: str | None = None
    new: int = 0
    unchanged: int = 0
    replaced: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    recordings: set[str] = field(default_factory=set)
    scopes: Counter[str] = field(default_factory=Counter)
    rules: Counter[tuple[str, str]] = field(default_factory=Counter)
    refusals: list[Refusal] = field(default_factory=list)

    @property
    def accepted(self) -> int:
        """Calls that are in the archive after the import: new, replaced and unchanged."""
        return self.new + self.replaced + self.unchanged

    @property
    def refusal_count(self) -> int:
        """Refusals and notes in all."""
        return self.scopes.total()

    def refused(self, *scopes: str) -> int:
        """Count the refusals of the given scopes; of every scope but notes when none is given."""
        return sum(self.scopes[scope] for scope in scopes or ("file", "call", "row"))

    def count(self, refusal: Refusal) -> None:
        """Count a refusal, and keep it when there is room."""
        self.scopes[refusal.scope] += 1
        self.rules[refusal.scope, refusal.rule] += 1
        if len(self.refusals) < KEPT_REFUSALS:
            self.refusals.append(refusal)


def commit(
    layout: Layout,
    spool: Spool,
    *,
    placed: list[media.Taken],
    run: dict[str, Any],
    report: ImportReport,
    replace: bool = False,
) -> None:
    """Write what the spool holds in one transaction; nothing when nothing of it is new.

    Parameters
    ----------
    layout : Layout
        The archive.
    spool : Spool
        Checked rows, flushed.
    placed : list of media.Taken
        Copies that await their place.
    run : dict
        Row of the importing run.
    report : ImportReport
        Completed here: `new`, `unchanged`, `replaced`, `rows`, and refusals of ids that are taken.
    replace : bool
        Whether calls that are there already are taken out and inserted anew.

    Raises
    ------
    ArchiveFailed
        When the archive cannot be written; nothing is changed then.
    """
    if not spool.tables():
        report.run_id = None
        return
    writer = Writer(layout, bounded=spool.large)
    try:
        done, taken = writer.transaction(
            lambda con: _work(con, writer, layout, spool=spool, placed=placed, run=run, report=report, replace=replace),
            message=run["run_id"],
        )
    finally:
        writer.close()
    for refusal in taken:
        report.count(refusal)
    if not done:
        report.run_id = None


def _work(
    con: duckdb.DuckDBPyConnection,
    writer: Writer,
    layout: Layout,
    *,
    spool: Spool,
    placed: list[media.Taken],
    run: dict[str, Any],
    report: ImportReport,
    replace: bool,
) -> tuple[bool, list[Refusal]]:
    """Insert what is new; may run again after a conflict. Return whether anything was written, and ids taken."""
    report.rows = {}
    report.replaced = _take_out(con, spool) if replace else 0
    report.new, report.unchanged, taken = _sort_out(con, spool)
    report.new -= report.replaced
    everything = not report.unchanged and not taken
    if not report.new and not report.replaced and not (report.unchanged and _unseen(con, spool, taken)):
        return False, taken
    for table in spool.tables():
        if table != "refusals":
            report.rows[table] = _insert(con, table, spool.source(table), every_call_is_new=everything)
    if placed:
        new = {call_id for (call_id,) in con.execute("SELECT call_id FROM new_calls").fetchall()}
        media.place(layout, [item for item in placed if item.row["call_id"] in new])
    if "refusals" in spool.tables():
        _insert(con, "refusals", spool.source("refusals"), every_call_is_new=everything)
    first = report.refusal_count
    rows = [structs.asdict(r) | {"run_id": run["run_id"], "refusal_ix": first + ix} for ix, r in enumerate(taken)]
    writer.add("refusals", rows)
    scopes = Counter(report.scopes)
    scopes.update(refusal.scope for refusal in taken)
    counts = {
        "new": report.new,
        "replaced": report.replaced,
        "unchanged": report.unchanged,
        "refused": dict(sorted(scopes.items())),
    }
    writer.add("runs", [runs.end(run, counts)])
    return True, taken


def _sort_out(con: duckdb.DuckDBPyConnection, spool: Spool) -> tuple[int, int, list[Refusal]]:
    """Make the temporary table `new_calls`; return counts of new and unchanged calls, and ids taken."""
    con.execute("CREATE OR REPLACE TEMP TABLE new_calls (call_id VARCHAR)")
    if "calls" not in spool.tables():
        return 0, 0, []
    incoming = spool.source("calls")
    con.execute(f"INSERT INTO new_calls SELECT call_id FROM {incoming} ANTI JOIN lake.calls USING (call_id)")
    ((new,),) = con.execute("SELECT count(*) FROM new_calls").fetchall()
    same = f"FROM {incoming} SEMI JOIN lake.calls USING (call_id, source_sha256)"
    ((unchanged,),) = con.execute(f"SELECT count(*) {same}").fetchall()
    other = f"FROM {incoming} SEMI JOIN lake.calls USING (call_id) ANTI JOIN lake.calls USING (call_id, source_sha256)"
    rows = con.execute(f"SELECT call_id, source_uri {other} ORDER BY call_id").fetchall()
    return new, unchanged, [_id_taken(call_id, uri) for call_id, uri in rows]


def _take_out(con: duckdb.DuckDBPyConnection, spool: Spool) -> int:
    """Remove the calls that come again; return how many."""
    if "calls" not in spool.tables():
        return 0
    query = f"SELECT call_id FROM {spool.source('calls')} SEMI JOIN lake.calls USING (call_id)"
    again = [call_id for (call_id,) in con.execute(query).fetchall()]
    if again:
        remove_rows(con, again, replacing=True)
    return len(again)


def _insert(con: duckdb.DuckDBPyConnection, table: str, source: str, *, every_call_is_new: bool) -> int:
    """Insert spooled rows of new calls as a stream, in no order; return how many.

    Sorting would need memory for all of it; what is read out is sorted by key where order matters.
    """
    from workbench.schema import tables

    schema = tables()[table]
    names = schema.column_names()
    rows = f"SELECT * FROM {source}"
    if table == "scenarios":
        rows += " ANTI JOIN lake.scenarios USING (scenario_id, definition_sha256)"
    elif table != "refusals" and not every_call_is_new:
        rows += " SEMI JOIN new_calls USING (call_id)"
    values = ", ".join(f"map_from_entries({name})" if schema.meta(name).get("map") else name for name in names)
    query = f"INSERT INTO lake.{table} ({', '.join(names)}) SELECT {values} FROM ({rows})"
    ((count,),) = con.execute(query).fetchall()
    return int(count)


def _unseen(con: duckdb.DuckDBPyConnection, spool: Spool, taken: list[Refusal]) -> bool:
    """Tell whether an earlier import has not recorded one of these refusals already."""
    known = "ANTI JOIN lake.refusals USING (source_uri, location, rule)"
    if "refusals" in spool.tables():
        ((count,),) = con.execute(f"SELECT count(*) FROM {spool.source('refusals')} {known}").fetchall()
        if count:
            return True
    return any(
        not con.execute(
            f"FROM lake.refusals WHERE location = {quote(r.location)} AND rule = {quote(r.rule)}"
        ).fetchall()
        for r in taken
    )


def _id_taken(call_id: str, uri: str) -> Refusal:
    return Refusal(
        source_uri=uri,
        location=call_id,
        rule="call_id_taken",
        message=f"the archive holds another call with the id {call_id!r}",
        hint="import with --id-prefix PREFIX to keep both, or with --replace to take this one",
        scope="call",
        call_id=call_id,
    )
