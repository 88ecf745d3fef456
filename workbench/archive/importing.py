"""Calls into the archive: everything an import brings, in one transaction."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from msgspec import structs

from workbench.archive import failures, lock, media, runs
from workbench.archive.import_commit import ImportReport, commit
from workbench.archive.layout import Layout
from workbench.archive.pair_apart import pair_apart
from workbench.archive.rows import rows_of
from workbench.archive.spooling import Spool
from workbench.errors import ImportFailed, WorkbenchError
from workbench.plural import plural
from workbench.schema.call import Call, Refusal

_Read = tuple[Call, list[media.Taken], list[Refusal]]


def _read_media(call: Call, *, storage: media.Storage, spool: Path, run_id: str) -> _Read:
    taken: list[tuple[str, media.Taken]] = []
    refusals = []
    for audio in call.audio or []:
        try:
            taken.append((audio.path, media.take(call, audio, storage=storage, spool=spool, run_id=run_id)))
        except WorkbenchError as error:
            refusals.append(_refused(call, audio.path, error))
        except OSError as error:
            if failures.is_full(error):
                raise
            gone = ImportFailed(
                f"the audio file cannot be read ({error.strerror})",
                where=audio.path,
                hint="check that it is there and may be read, and import it again",
            )
            refusals.append(_refused(call, audio.path, gone))
    once, more = _once_each(call, taken)
    return call, once, refusals + more


def _once_each(call: Call, taken: list[tuple[str, media.Taken]]) -> tuple[list[media.Taken], list[Refusal]]:
    """Keep each recording of a call once; where it is given for different parties nobody can say whose it is."""
    kept: dict[str, media.Taken] = {}
    refusals = []
    for path, item in taken:
        before = kept.setdefault(item.row["recording_id"], item)
        said, here = before.row["channel_roles"], item.row["channel_roles"]
        nobodys = ["mixed" if len(here) == 1 else "unknown"] * len(here)
        if said in (here, nobodys):
            continue
        roles = {"channel_roles": nobodys, "channel_map_source": "format" if len(here) == 1 else "unknown"}
        kept[item.row["recording_id"]] = media.Taken(before.row | roles, before.spooled)
        error = ImportFailed(
            f"the same recording is given for {','.join(said)} and for {','.join(here)}, so it is kept once, as "
            f"{','.join(nobodys)}",
            where=path,
            hint="bring the recording of each party; if one file holds both, name it once",
            rule="same_recording",
        )
        refusals.append(_refused(call, path, error))
    return list(kept.values()), refusals


def _refused(call: Call, path: str, error: WorkbenchError) -> Refusal:
    return Refusal(
        source_uri=path,
        location=error.where or path,
        rule=error.rule if isinstance(error, ImportFailed) else type(error).__name__,
        message=error.what,
        hint=error.hint or "see the message",
        scope="row",
        call_id=call.id,
    )


def _with_media(
    items: Iterable[Call | Refusal], *, storage: media.Storage, spool: Path, run_id: str, workers: int
) -> Iterator[Refusal | _Read]:
    """Read the audio of calls on several threads; keep the order of the items."""
    pending: deque[Future[_Read] | Refusal] = deque()

    def resolved(item: Future[_Read] | Refusal) -> Refusal | _Read:
        if isinstance(item, Refusal):
            return item
        while not item.done():  # not longer at a time: polars' handler of signals does not break off a wait
            wait([item], timeout=0.1)
        return item.result()

    pool = ThreadPoolExecutor(workers)
    try:
        for item in items:
            if isinstance(item, Refusal):
                pending.append(item)
            elif not item.audio:
                done: Future[_Read] = Future()
                done.set_result((item, [], []))
                pending.append(done)
            else:
                pending.append(pool.submit(_read_media, item, storage=storage, spool=spool, run_id=run_id))
            while len(pending) > 4 * workers:
                yield resolved(pending.popleft())
        while pending:
            yield resolved(pending.popleft())
    finally:
        pool.shutdown(cancel_futures=True)


def _has_evidence(call: Call, taken: list[media.Taken]) -> bool:
    """Tell whether anything is left of a call whose audio may have been refused."""
    return bool(taken) or call.turns is not None or call.tool_calls is not None or call.spans is not None


def _tier(call: Call, taken: list[media.Taken]) -> int:
    roles = {role for item in taken for role in item.row["channel_roles"]}
    if {"caller", "agent"} <= roles:
        return 1
    return 2 if call.turns else 3


def _gather(call: Call, taken: list[media.Taken], spool: Spool, *, run_id: str, scenarios: set[str]) -> None:
    rows = rows_of(call, run_id=run_id)
    rows["scenarios"] = [row for row in rows["scenarios"] if row["definition_sha256"] not in scenarios]
    scenarios.update(row["definition_sha256"] for row in rows["scenarios"])
    rows["recordings"] = [item.row for item in taken]
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
    distinct: bool = False,
    replace: bool = False,
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
    distinct : bool
        Whether the ids are known to differ, as those of `workbench.ingest.read` do; millions of them need
        not be remembered then.
    replace : bool
        Whether calls whose id the archive has are taken out and inserted anew, with other channels for
        instance; labels given since and results of earlier runs stay.

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
        refuse = _Refusing(report, spool, strict=strict)
        placed: list[media.Taken] = []
        seen: set[str] = set()
        scenarios: set[str] = set()
        for item in _with_media(items, storage=storage, spool=folder, run_id=run["run_id"], workers=workers):
            if isinstance(item, Refusal):
                refuse(item)
                continue
            call, taken, refusals = item
            if call.id in seen:
                refuse(_id_twice(call))
                continue
            if not distinct:
                seen.add(call.id)
            kept = _has_evidence(call, taken)
            if not kept and not refusals:
                refuse(_without_evidence(call))
            for refusal in refusals:
                refuse(refusal, scope="row" if kept else "call")
            if kept:
                note = pair_apart(call, [item.row for item in taken])
                if note is not None:
                    refuse(note)
                _gather(call, taken, spool, run_id=run["run_id"], scenarios=scenarios)
                placed += [row for row in taken if row.spooled is not None]
                report.recordings.update(row.row["recording_id"] for row in taken)
        spool.flush()
        for table, where, rule, count in spool.failures:
            refuse(_schema_failure(table, where, rule=rule, count=count))
        spool.flush()
        commit(layout, spool, placed=placed, run=run, report=report, replace=replace)
    return report


class _Refusing:
    """Counts a refusal and spools its row; with `strict` it stops the import instead."""

    def __init__(self, report: ImportReport, spool: Spool, *, strict: bool) -> None:
        self._report = report
        self._spool = spool
        self._strict = strict

    def __call__(self, refusal: Refusal, scope: str | None = None) -> None:
        if scope is not None:
            refusal = structs.replace(refusal, scope=scope)
        if self._strict and refusal.scope != "note":
            raise ImportFailed(refusal.message, where=refusal.location, hint=refusal.hint, rule=refusal.rule)
        row = structs.asdict(refusal) | {
            "run_id": self._report.run_id,
            "refusal_ix": self._report.refusal_count,
        }
        self._spool.add({"refusals": [row]})
        self._report.count(refusal)


def _schema_failure(table: str, where: str, *, rule: str, count: int) -> Refusal:
    return Refusal(
        source_uri="-",
        location=where,
        rule=f"schema:{rule}",
        message=f"{plural(count, 'row')} of {table}: the rule {rule!r} is broken (first: {where})",
        hint=f"workbench tables {table} shows the rules",
        scope="row",
    )


def _without_evidence(call: Call) -> Refusal:
    return Refusal(
        source_uri=call.source_uri or "-",
        location=call.id,
        rule="no_evidence",
        message="the call has no audio, turns, tool calls or spans",
        hint="give what is known of it: `turns` or `tool_calls`, empty where there were none, or its audio",
        scope="call",
        call_id=call.id,
    )


def _id_twice(call: Call) -> Refusal:
    return Refusal(
        source_uri=call.source_uri or "-",
        location=call.id,
        rule="duplicate_call_id",
        message=f"the id {call.id!r} was given to two calls of this import",
        hint="give each call its own id; the first one was kept",
        scope="call",
        call_id=call.id,
    )
