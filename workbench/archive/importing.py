"""Calls into the archive: everything an import brings, in one transaction."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.archive import failures, lock, media, runs
from workbench.archive.lake import Writer
from workbench.archive.layout import Layout
from workbench.archive.rows import rows_of
from workbench.archive.spooling import Spool
from workbench.errors import ImportFailed
from workbench.schema.call import Call, Refusal

if TYPE_CHECKING:
    import duckdb


@dataclass
class ImportReport:
    """What an import did.

    `rows` counts what was written by table. `refusals` holds everything that was left out or changed.
    """

    run_id: str | None = None
    new: int = 0
    unchanged: int = 0
    rows: dict[str, int] = field(default_factory=dict)
    refusals: list[Refusal] = field(default_factory=list)

    @property
    def accepted(self) -> int:
        """Calls that are in the archive after the import: new and unchanged."""
        return self.new + self.unchanged

    def refused(self, *scopes: str) -> int:
        """Count the refusals of the given scopes; of every scope but notes when none is given."""
        wanted = scopes or ("file", "call", "row")
        return sum(refusal.scope in wanted for refusal in self.refusals)


_Read = tuple[Call, list[media.Taken], list[Refusal]]


def _read_media(call: Call, storage: media.Storage, spool: Path, run_id: str) -> _Read:
    taken, refusals = [], []
    for audio in call.audio or []:
        try:
            taken.append(media.take(call, audio, storage=storage, spool=spool, run_id=run_id))
        except ImportFailed as error:
            refusals.append(
                Refusal(
                    source_uri=audio.path,
                    location=error.where or audio.path,
                    rule=error.rule,
                    message=error.what,
                    hint=error.hint or "see the message",
                    scope="row",
                )
            )
    return call, taken, refusals


def _with_media(
    items: Iterable[Call | Refusal], storage: media.Storage, spool: Path, run_id: str, workers: int
) -> Iterator[Refusal | _Read]:
    """Read the audio of calls on several threads; keep the order of the items."""
    pending: deque[Future[_Read] | Refusal] = deque()

    def resolved(item: Future[_Read] | Refusal) -> Refusal | _Read:
        return item.result() if isinstance(item, Future) else item

    with ThreadPoolExecutor(workers) as pool:
        for item in items:
            if isinstance(item, Refusal):
                pending.append(item)
            elif not item.audio:
                done: Future[_Read] = Future()
                done.set_result((item, [], []))
                pending.append(done)
            else:
                pending.append(pool.submit(_read_media, item, storage, spool, run_id))
            while len(pending) > 4 * workers:
                yield resolved(pending.popleft())
        while pending:
            yield resolved(pending.popleft())


def _has_evidence(call: Call, taken: list[media.Taken]) -> bool:
    """Tell whether anything is left of a call whose audio may have been refused."""
    return bool(taken) or call.turns is not None or call.tool_calls is not None or call.spans is not None


def _tier(call: Call, taken: list[media.Taken]) -> int:
    roles = {role for item in taken for role in item.row["channel_roles"]}
    if {"caller", "agent"} <= roles:
        return 1
    return 2 if call.turns else 3


def _gather(call: Call, taken: list[media.Taken], spool: Spool, run_id: str, scenarios: set[str]) -> None:
    rows = rows_of(call, run_id=run_id)
    rows["scenarios"] = [row for row in rows["scenarios"] if row["definition_sha256"] not in scenarios]
    scenarios.update(row["definition_sha256"] for row in rows["scenarios"])
    rows["recordings"] = list({item.row["recording_id"]: item.row for item in taken}.values())
    head = rows["calls"][0]
    head["evidence_tier"] = _tier(call, taken)
    ends = [row["offset_s"] + row["duration_s"] for row in rows["recordings"]]
    if ends and call.duration_s is None:
        head["duration_s"] = max([*ends, head["duration_s"] or 0.0])
    spool.add(rows)


def add(
    layout: Layout,
    items: Iterable[Call | Refusal],
    *,
    storage: media.Storage = "copy",
    strict: bool = False,
    config: dict[str, Any] | None = None,
    workers: int = 2,
) -> ImportReport:
    """Add calls to an archive in one transaction.

    Parameters
    ----------
    layout : Layout
        The archive.
    items : iterable of Call or Refusal
        What `workbench.ingest.read` yields.
    storage : {'copy', 'reference'}
        Whether audio is copied into the archive.
    strict : bool
        Stop at the first refusal; nothing is written then.
    config : dict, optional
        Settings kept with the run.
    workers : int
        Threads that read audio.

    Returns
    -------
    ImportReport
        With `run_id` None when nothing was written: no new call, no new refusal.

    Raises
    ------
    ImportFailed
        With `strict`, at the first refusal.
    ArchiveFailed
        When the archive cannot be written.
    """
    run = runs.begin("import", config or {})
    report = ImportReport(run_id=run["run_id"])
    with failures.disk(layout.root), lock.spool(layout.root) as folder:
        spool = Spool(folder)
        placed: list[media.Taken] = []
        seen: set[str] = set()
        scenarios: set[str] = set()
        for item in _with_media(items, storage, folder, run["run_id"], workers):
            if isinstance(item, Refusal):
                _refuse(report, item, strict=strict)
                continue
            call, taken, refusals = item
            if call.id in seen:
                _refuse(report, _id_twice(call), strict=strict)
                continue
            seen.add(call.id)
            kept = _has_evidence(call, taken)
            for refusal in refusals:
                scope = "row" if kept else "call"
                _refuse(report, _scoped(refusal, scope), strict=strict)
            if kept:
                _gather(call, taken, spool, run["run_id"], scenarios)
                placed += [row for row in taken if row.spooled is not None]
        spool.flush()
        for table, where, rule, count in spool.failures:
            text = f"{count} rows of {table} break the rule {rule!r} (first: {where})"
            hint = f"workbench tables {table} shows the rules"
            row = Refusal(source_uri="-", location=where, rule=f"schema:{rule}", message=text, hint=hint, scope="row")
            _refuse(report, row, strict=strict)
        if "calls" in spool.tables() or report.refusals:
            writer = Writer(layout)
            try:
                writer.transaction(
                    lambda con: _commit(con, writer, layout, spool, placed, run, report),
                    message=run["run_id"],
                )
            finally:
                writer.close()
    return report


def _scoped(refusal: Refusal, scope: str) -> Refusal:
    import msgspec

    return msgspec.structs.replace(refusal, scope=scope)


def _refuse(report: ImportReport, refusal: Refusal, *, strict: bool) -> None:
    if strict and refusal.scope != "note":
        raise ImportFailed(refusal.message, where=refusal.location, hint=refusal.hint, rule=refusal.rule)
    report.refusals.append(refusal)


def _commit(
    con: duckdb.DuckDBPyConnection,
    writer: Writer,
    layout: Layout,
    spool: Spool,
    placed: list[media.Taken],
    run: dict[str, Any],
    report: ImportReport,
) -> None:
    """Insert what is new; the body of the transaction, so it may run again after a conflict."""
    from workbench.schema import tables

    report.new = report.unchanged = 0
    report.rows = {}
    taken_ids: list[Refusal] = []
    new_ids: list[str] = []
    if "calls" in spool.tables():
        con.execute(f"CREATE OR REPLACE TEMP TABLE incoming_calls AS FROM {spool.source('calls')}")
        known = dict(
            con.execute(
                "SELECT call_id, source_sha256 FROM lake.calls WHERE call_id IN (SELECT call_id FROM incoming_calls)"
            ).fetchall()
        )
        for call_id, sha256, uri in con.execute(
            "SELECT call_id, source_sha256, source_uri FROM incoming_calls"
        ).fetchall():
            if call_id not in known:
                new_ids.append(call_id)
            elif known[call_id] == sha256:
                report.unchanged += 1
            else:
                taken_ids.append(_id_taken(call_id, uri))
        con.execute("CREATE OR REPLACE TEMP TABLE new_calls (call_id VARCHAR)")
        con.executemany("INSERT INTO new_calls VALUES (?)", [[i] for i in new_ids]) if new_ids else None
        report.new = len(new_ids)
    refusals = [*(r for r in report.refusals if r.rule != "call_id_taken"), *taken_ids]
    report.refusals = refusals
    if not new_ids and not (report.unchanged and _unseen(con, refusals)):
        report.run_id = None
        return
    for table in spool.tables() if new_ids else []:
        schema = tables()[table]
        columns = ", ".join(schema.column_names())
        values = ", ".join(f"map_from_entries({c})" if schema.meta(c).get("map") else c for c in schema.column_names())
        rows = f"FROM {spool.source(table)} SEMI JOIN new_calls USING (call_id)"
        if table == "scenarios":
            rows = f"FROM {spool.source(table)} ANTI JOIN lake.scenarios USING (scenario_id, definition_sha256)"
            rows = f"FROM (SELECT DISTINCT ON (scenario_id, definition_sha256) * {rows})"
        order = ", ".join(schema.primary_key())
        (count,) = con.execute(f"INSERT INTO lake.{table} ({columns}) SELECT {values} {rows} ORDER BY {order}").fetchall()
        report.rows[table] = count[0]
    media.place(layout, [item for item in placed if item.row["call_id"] in set(new_ids)])
    counts = Counter(refusal.scope for refusal in refusals)
    refused = {"new": report.new, "unchanged": report.unchanged, "refused": dict(sorted(counts.items()))}
    frames = tables()
    writer.insert(
        "refusals",
        frames["refusals"].validate(
            frames["refusals"].frame(
                [
                    {name: getattr(r, name) for name in r.__struct_fields__} | {"run_id": run["run_id"], "refusal_ix": ix}
                    for ix, r in enumerate(refusals)
                ]
            )
        ),
    )
    writer.insert("runs", frames["runs"].validate(frames["runs"].frame([runs.end(run, refused)])))


def _unseen(con: duckdb.DuckDBPyConnection, refusals: list[Refusal]) -> bool:
    seen = set(con.execute("SELECT source_uri, location, rule FROM lake.refusals").fetchall())
    return any((r.source_uri, r.location, r.rule) not in seen for r in refusals)


def _id_twice(call: Call) -> Refusal:
    return Refusal(
        source_uri=call.source_uri or "-",
        location=call.id,
        rule="duplicate_call_id",
        message=f"the id {call.id!r} was given to two calls of this import",
        hint="give each call its own id; the first one was kept",
        scope="call",
    )


def _id_taken(call_id: str, uri: str) -> Refusal:
    return Refusal(
        source_uri=uri,
        location=call_id,
        rule="call_id_taken",
        message=f"the archive holds another call with the id {call_id!r}",
        hint="import with --id-prefix PREFIX, or workbench delete the other call first",
        scope="call",
    )
