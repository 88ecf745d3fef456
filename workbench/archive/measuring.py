"""The measuring pass: what is new or was measured with another config, on all cores, in one transaction."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.archive import failures, lock, runs
from workbench.archive.deleted_meanwhile import standing, there
from workbench.archive.lake import Writer, quote
from workbench.archive.layout import Layout
from workbench.archive.measure_job import Batch, Job
from workbench.archive.measuring_process import measurers
from workbench.archive.pairs import others, units
from workbench.archive.side_by_side import side_by_side
from workbench.audio.config import MeasureConfig

if TYPE_CHECKING:
    import duckdb

BATCH_S = 7200.0
"""Most seconds of audio a worker takes at a time; one Parquet file of frames comes of each batch."""

Progress = Callable[[float, float], None]

_DERIVED = ("channels", "frames", "segments", "input_health", "moments")
_WANTED = (
    "call_id recording_id uri byte_count container codec sample_rate_hz offset_s duration_s channel_roles "
    "channel_map_source boundary"
).split()


@dataclass
class MeasureReport:
    """What a measuring pass did. `problems` names every recording it could not read, and why.

    `measured` counts those whose rows were kept, `gone` those that were deleted meanwhile; `labelled` tells whether
    moments of the archive wait to be scored; `run_counts` holds the runs of speech of each backend; `no_longer_heard`
    tells of each backend that this pass was not asked for in how many of its recordings it was heard before.
    """

    run_id: str | None = None
    config_id: str = ""
    measured: int = 0
    current: int = 0
    duration_s: float = 0.0
    problems: list[str] = field(default_factory=list)
    gone: int = 0
    labelled: bool = False
    run_counts: dict[str, int] = field(default_factory=dict)
    no_longer_heard: dict[str, int] = field(default_factory=dict)


def measure(
    layout: Layout,
    *,
    config: MeasureConfig | None = None,
    backends: Sequence[str] = (),
    workers: int = 2,
    verified: frozenset[str] = frozenset(),
    on_progress: Progress | None = None,
) -> MeasureReport:
    """Measure every recording that has not been measured with this config, or not by one of these backends.

    Parameters
    ----------
    layout : Layout
        The archive.
    config : MeasureConfig, optional
        Published energy method by default.
    backends : sequence of {'silero', 'refined'}
        What is to be heard beside the energy method, which is always there. All rows of a recording come from
        one pass: measured anew without backends, it has those of the energy method only.
    workers : int
        Threads that decode and measure; decoding, arithmetic and Parquet run outside Python's lock.
    verified : frozenset of str
        Recordings whose bytes this process has just hashed, as an import does.
    on_progress : callable, optional
        Called with seconds of audio done and in all.

    Returns
    -------
    MeasureReport
        With `run_id` None when everything was current already.

    Raises
    ------
    ArchiveFailed
        When the archive cannot be written.
    MissingExtra
        When a backend needs the extra ``vad``.
    UsageError
        When a backend is unknown.
    """
    config = config or MeasureConfig()
    beside = _beside(backends)
    wanted = tuple(beside.get("backends", ()))
    writer = Writer(layout)
    try:
        with lock.held(layout.lock):  # a deletion would take away the files that are read
            todo, current = _todo(writer, config, beside)
        report = MeasureReport(config_id=config.config_id, current=current)
        if not todo:
            return report
        run = runs.begin("measure", {"measure": msgspec.structs.asdict(config), **beside})
        with failures.disk(layout.root), lock.spool(layout.root) as folder:
            jobs = [
                Job(
                    layout,
                    rows,
                    config,
                    run_id=run["run_id"],
                    frames=folder / f"frames-{ix:05d}.parquet",
                    verified=verified,
                    backends=wanted,
                )
                for ix, rows in enumerate(_split(todo, workers))
            ]
            batches = _run(jobs, workers, on_progress)
            problems = [problem for batch in batches for problem in batch.problems]
            report.problems = standing(layout, problems)
            report.gone = len(problems) - len(report.problems)
            report.measured = sum(len(batch.recordings) for batch in batches)
            report.duration_s = sum(batch.duration_s for batch in batches)
            if report.measured:
                report.run_id = run["run_id"]
                stale = writer.transaction(
                    lambda con: _replace(con, writer, batches, todo=todo, run=run, problem_count=len(report.problems)),
                    message=run["run_id"],
                )
                unread = {(call_id, recording_id) for call_id, recording_id, _ in problems}
                read = [row for row in todo if _names(row) not in unread]
                if stale:
                    _leave_out(report, [row for row in read if row["recording_id"] in stale], known=there(layout))
                report.run_counts = _run_counts(batches, aside=stale)
                before = [row["heard_by"] for row in read if row["recording_id"] not in stale]
                report.no_longer_heard = dict(Counter(name for names in before for name in names if name not in wanted))
                report.labelled = bool(writer.rows("SELECT 1 FROM lake.labels WHERE kind = 'expectation' LIMIT 1"))
        return report
    finally:
        writer.close()


def _run_counts(batches: Sequence[Batch], *, aside: set[str]) -> dict[str, int]:
    """Count the runs of speech by backend, those of some recordings aside."""
    import polars as pl

    runs = pl.concat([batch.tables["segments"] for batch in batches])
    kept = runs.filter(~pl.col("recording_id").is_in(list(aside)))
    return dict(kept.group_by("backend").len().sort("backend").iter_rows())


def _beside(backends: Sequence[str]) -> dict[str, Any]:
    """What the run keeps of the backends beside energy: the config id of each, and their settings."""
    if not backends:
        return {}
    from workbench.audio.neural_tracks import check, config_id_of
    from workbench.audio.refined import RefinedConfig

    wanted = check(backends)
    if not wanted:
        return {}
    ids = {name: config_id_of(name) for name in wanted}
    return {"backends": ids, "refined": msgspec.to_builtins(RefinedConfig())}


def _heard_by(writer: Writer) -> dict[str, dict[str, str]]:
    """Return the backends beside energy of each measuring run, with the config id of each."""
    found = writer.rows("SELECT run_id, config FROM lake.runs WHERE kind = 'measure'")
    return {run_id: json.loads(text).get("backends", {}) for run_id, text in found}


def _todo(
    writer: Writer, config: MeasureConfig, beside: dict[str, Any] | None = None
) -> tuple[list[dict[str, Any]], int]:
    """Return the recordings to measure, one row per call they belong to, and how many are current.

    Two files that hold one party of a call each are measured together, and with what shares a file with them. Of the
    calls of one recording those that were measured before come first: what they say of its channels holds.
    """
    query = f"SELECT {', '.join(_WANTED)} FROM lake.recordings ORDER BY recording_id, call_id"
    rows = [dict(zip(_WANTED, row, strict=True)) for row in writer.rows(query)]
    known = "SELECT call_id, recording_id, run_id, config_id, other_recording_id FROM lake.input_health"
    heard = {(call_id, recording_id): tuple(row) for call_id, recording_id, *row in writer.rows(known)}
    heard_by = _heard_by(writer)
    wanted = set((beside or {}).get("backends", {}).items())
    sources = dict(writer.rows("SELECT call_id, source_uri FROM lake.calls SEMI JOIN lake.recordings USING (call_id)"))
    pairs = others(rows)
    together = units(pairs)

    def is_current(row: dict[str, Any]) -> bool:
        run_id, config_id, other = heard.get(_names(row), (None, None, None))
        partner = row["other_recording_id"]
        judged = other == partner or (row["call_id"], partner) not in heard  # that file could not be measured
        return config_id == config.config_id and wanted <= set(heard_by.get(run_id, {}).items()) and judged

    for row in rows:
        row["source_uri"] = sources.get(row["call_id"])
        row["heard_by"] = sorted(heard_by.get(heard.get(_names(row), (None,))[0], {}))
        row["other_recording_id"] = pairs.get(_names(row))
        row["unit"] = together.get(row["recording_id"], row["recording_id"])
    waiting = {row["unit"] for row in rows if not is_current(row)}
    todo = [row for row in rows if row["unit"] in waiting]  # of all calls that have it: rows go by recording
    todo.sort(key=lambda row: (row["unit"], _names(row) not in heard, *_names(row)))
    return todo, len(rows) - len(todo)


def _split(todo: list[dict[str, Any]], workers: int) -> Iterator[list[dict[str, Any]]]:
    """Yield the rows in batches of about equal audio; recordings that are measured together stay so."""
    share = min(BATCH_S, max(60.0, sum(row["duration_s"] for row in todo) / (4 * workers)))
    batch: list[dict[str, Any]] = []
    filled = 0.0
    for row in todo:
        if filled >= share and batch[-1]["unit"] != row["unit"]:
            yield batch
            batch, filled = [], 0.0
        batch.append(row)
        filled += row["duration_s"]
    yield batch


def _run(jobs: list[Job], workers: int, on_progress: Progress | None) -> list[Batch]:
    """Run the jobs side by side; return their batches in order."""
    total = sum(job.duration_s for job in jobs)
    done = 0.0

    def told(job: Job) -> None:
        nonlocal done
        done += job.duration_s
        if on_progress:
            on_progress(done, total)

    with measurers(jobs, workers) as measure_one:
        return side_by_side(jobs, measure_one, workers=workers, on_done=told)


def _changed(con: duckdb.DuckDBPyConnection, todo: list[dict[str, Any]]) -> set[str]:
    """Return the recordings whose call went or whose roles or offset changed since they were read."""
    query = f"SELECT {', '.join(_WANTED)} FROM lake.recordings SEMI JOIN measured USING (recording_id)"
    now = {repr(row) for row in con.execute(query).fetchall()}
    return {row["recording_id"] for row in todo if repr(tuple(row[name] for name in _WANTED)) not in now}


def _replace(
    con: duckdb.DuckDBPyConnection,
    writer: Writer,
    batches: list[Batch],
    *,
    todo: list[dict[str, Any]],
    run: dict[str, Any],
    problem_count: int,
) -> set[str]:
    """Replace the derived rows of the measured recordings; the body of the transaction.

    A recording whose call was deleted or imported anew meanwhile keeps none and is returned; the next pass measures
    what is there.
    """
    import polars as pl

    done = sorted({recording_id for batch in batches for recording_id in batch.recordings})
    names = ", ".join(map(quote, done))
    con.execute(f"CREATE OR REPLACE TEMP TABLE measured AS SELECT unnest([{names}]) AS recording_id")
    stale = _changed(con, todo) & set(done)
    for table in _DERIVED:
        ((old,),) = con.execute(f"SELECT count(*) FROM lake.{table} SEMI JOIN measured USING (recording_id)").fetchall()
        if old:
            con.execute(f"DELETE FROM lake.{table} WHERE recording_id IN (SELECT recording_id FROM measured)")
    for ix, batch in enumerate(batches):
        if batch.frames is not None:
            writer.adopt("frames", batch.frames, name=f"{run['run_id']}-{ix:05d}.parquet")
    if stale:
        con.execute(f"DELETE FROM lake.frames WHERE recording_id IN ({', '.join(map(quote, sorted(stale)))})")
    for table in ("channels", "input_health", "segments", "moments"):
        rows = pl.concat([batch.tables[table] for batch in batches])
        writer.insert(table, rows.filter(~pl.col("recording_id").is_in(list(stale))))
    kept = sum(recording_id not in stale for batch in batches for recording_id in batch.recordings)
    writer.add("runs", [runs.end(run, {"recordings": kept, "problems": problem_count})])
    return stale


def _leave_out(report: MeasureReport, rows: list[dict[str, Any]], *, known: set[tuple[str, str]]) -> None:
    """Count no longer what was measured and not kept; what the archive has not any more was deleted meanwhile."""
    report.measured -= len(rows)
    report.duration_s -= sum(row["duration_s"] for row in rows)
    report.gone += sum(_names(row) not in known for row in rows)


def _names(row: dict[str, Any]) -> tuple[str, str]:
    return row["call_id"], row["recording_id"]
