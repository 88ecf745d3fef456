"""Takes the rows of calls out of every table, inside a running transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.archive.lake import quote

if TYPE_CHECKING:
    import duckdb

    from workbench.schema.table import Table

_CALLS = "call_id IN (SELECT call_id FROM gone_calls)"
_SOURCES = "SELECT source_uri FROM lake.calls SEMI JOIN gone_calls USING (call_id)"
_OTHER_SOURCES = "SELECT source_uri FROM lake.calls ANTI JOIN gone_calls USING (call_id)"
_SCENARIOS_IN_USE = "SELECT (scenario_id, scenario_sha256) FROM lake.calls WHERE scenario_id IS NOT NULL"

_OTHERWISE = {
    "frames": "recording_id IN (SELECT recording_id FROM gone_recordings)",  # keyed by recording alone
    # of the call, or of a file that held nothing but calls that go
    "refusals": f"{_CALLS} OR (call_id IS NULL AND source_uri IN ({_SOURCES} EXCEPT {_OTHER_SOURCES}))",
    "scenarios": f"(scenario_id, definition_sha256) NOT IN ({_SCENARIOS_IN_USE})",
}
_REPLACING = {
    "assertion_results": "FALSE",  # what earlier runs found stays their result
    "labels": f"{_CALLS} AND recorded_at IS NULL",  # a label given since the import is the labeller's
    "refusals": "FALSE",
}


def remove_rows(con: duckdb.DuckDBPyConnection, call_ids: list[str], *, replacing: bool = False) -> dict[str, int]:
    """Delete the rows of calls and everything derived from them.

    Parameters
    ----------
    con : duckdb.DuckDBPyConnection
        In a transaction, with the archive attached as ``lake``.
    call_ids : list of str
        Calls of the archive; none removes nothing.
    replacing : bool
        Whether the same calls are inserted again: results of earlier runs and labels given since stay.

    Returns
    -------
    dict of str to int
        Rows removed by table. Copied audio that no recording names any more is left to the clean-up.
    """
    from workbench.schema import tables

    ids = f"[{', '.join(map(quote, call_ids))}]::VARCHAR[]"
    con.execute(f"CREATE OR REPLACE TEMP TABLE gone_calls AS SELECT unnest({ids}) AS call_id")
    mine = "FROM lake.recordings SEMI JOIN gone_calls USING (call_id)"
    others = "SELECT recording_id FROM lake.recordings ANTI JOIN gone_calls USING (call_id)"
    found = f"SELECT DISTINCT recording_id {mine} WHERE recording_id NOT IN ({others})"
    con.execute(f"CREATE OR REPLACE TEMP TABLE gone_recordings AS {found}")
    removed: dict[str, int] = {}
    last = ("calls", "scenarios")  # refusals look at calls, scenarios at the calls that are left
    for name in [*(name for name in tables() if name not in last), *last]:
        where = _condition(tables()[name], replacing=replacing)
        if where is None:
            continue
        ((count,),) = con.execute(f"SELECT count(*) FROM lake.{name} WHERE {where}").fetchall()
        if count:
            con.execute(f"DELETE FROM lake.{name} WHERE {where}")
            removed[name] = count
    return removed


def _condition(table: type[Table], *, replacing: bool) -> str | None:
    """Return which rows of a table go; None where none are of a call."""
    name = table.table()
    if replacing and name in _REPLACING:
        return _REPLACING[name]
    if name in _OTHERWISE:
        return _OTHERWISE[name]
    return _CALLS if "call_id" in table.column_names() else None
