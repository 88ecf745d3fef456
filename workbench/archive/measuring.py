"""The measuring pass: what is new or was measured with another config, on all cores, in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.archive import failures, lock, media, runs
from workbench.archive.lake import Writer
from workbench.archive.layout import Layout
from workbench.errors import ArchiveFailed, ImportFailed
from workbench.audio.config import MeasureConfig

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

BATCH_S = 7200.0
"""Seconds of audio a worker takes at a time; one Parquet file of frames comes of each batch."""

_CONFIRMED = ("declared", "option", "sidecar", "format")
"""Channel maps that a person or the provider states: a suspected swap does not speak against those."""

_DERIVED = ("channels", "frames", "segments", "input_health")
_WANTED = (
    "call_id recording_id uri byte_count container codec sample_rate_hz offset_s duration_s channel_roles "
    "channel_map_source"
).split()


@dataclass
class MeasureReport:
    """What a measuring pass did. `problems` names every recording it could not read, and why."""

    run_id: str | None = None
    config_id: str = ""
    measured: int = 0
    current: int = 0
    duration_s: float = 0.0
    problems: list[str] = field(default_factory=list)


@dataclass
class _Batch:
    channels: list[dict[str, Any]] = field(default_factory=list)
    health: list[dict[str, Any]] = field(default_factory=list)
    segments: list[dict[str, Any]] = field(default_factory=list)
    recordings: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    frames: Path | None = None


def measure(
    layout: Layout,
    *,
    config: MeasureConfig | None = None,
    workers: int = 2,
    on_progress: Callable[[float, float], None] | None = None,
) -> MeasureReport:
    """Measure every recording that has not been measured with this config.

    Parameters
    ----------
    layout : Layout
        The archive.
    config : MeasureConfig, optional
        Published energy method by default.
    workers : int
        Processes that decode and measure; 1 stays in this process.
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
    """
    config = config or MeasureConfig()
    writer = Writer(layout)
    try:
        todo, current = _todo(writer, config)
        report = MeasureReport(config_id=config.config_id, current=current)
        if not todo:
            return report
        run = runs.begin("measure", {"measure": msgspec.structs.asdict(config)})
        with failures.disk(layout.root), lock.spool(layout.root) as folder:
            batches = _measure_batches(layout, todo, config, run["run_id"], folder, workers, on_progress)
            report.problems = sorted(text for batch in batches for text in batch.problems)
            report.measured = sum(len(batch.recordings) for batch in batches)
            done = {rid for batch in batches for rid in batch.recordings}
            report.duration_s = sum(row["duration_s"] for row in todo if row["recording_id"] in done)
            if report.measured:
                report.run_id = run["run_id"]
                counts = {"recordings": report.measured, "problems": len(report.problems)}
                writer.transaction(
                    lambda con: _commit(con, writer, layout, batches, runs.end(run, counts)), message=run["run_id"]
                )
        return report
    finally:
        writer.close()


def _todo(writer: Writer, config: MeasureConfig) -> tuple[list[dict[str, Any]], int]:
    """Return the recordings to measure, one row per call they belong to, and how many are current."""
    query = f"SELECT {', '.join(_WANTED)} FROM lake.recordings ORDER BY recording_id, call_id"
    rows = [dict(zip(_WANTED, row, strict=True)) for row in writer.con.execute(query).fetchall()]
    known = "SELECT recording_id, call_id FROM lake.input_health WHERE config_id = ?"
    current = set(writer.con.execute(known, [config.config_id]).fetchall())
    todo = [row for row in rows if (row["recording_id"], row["call_id"]) not in current]
    return todo, len(rows) - len(todo)


def _measure_batches(
    layout: Layout,
    todo: list[dict[str, Any]],
    config: MeasureConfig,
    run_id: str,
    folder: Path,
    workers: int,
    on_progress: Callable[[float, float], None] | None,
) -> list[_Batch]:
    total = sum(row["duration_s"] for row in todo)
    share = min(BATCH_S, max(60.0, total / (4 * workers)))
    batches: list[list[dict[str, Any]]] = [[]]
    filled = 0.0
    for row in todo:
        same = bool(batches[-1]) and batches[-1][-1]["recording_id"] == row["recording_id"]
        if filled >= share and not same:
            batches.append([])
            filled = 0.0
        batches[-1].append(row)
        filled += row["duration_s"]
    jobs = [(layout, rows, config, run_id, folder / f"frames-{ix:05d}.parquet") for ix, rows in enumerate(batches)]
    results: dict[int, _Batch] = {}
    done = 0.0

    def finished(ix: int, result: _Batch) -> None:
        nonlocal done
        results[ix] = result
        done += sum(row["duration_s"] for row in batches[ix])
        if on_progress:
            on_progress(done, total)

    if workers == 1 or len(jobs) == 1:
        for ix, job in enumerate(jobs):
            finished(ix, _measure_batch(*job))
    else:
        with ProcessPoolExecutor(min(workers, len(jobs)), mp_context=get_context("spawn")) as pool:
            futures = {pool.submit(_measure_batch, *job): ix for ix, job in enumerate(jobs)}
            for future in as_completed(futures):
                finished(futures[future], future.result())
    return [results[ix] for ix in sorted(results)]


def _measure_batch(
    layout: Layout, rows: list[dict[str, Any]], config: MeasureConfig, run_id: str, path: Path
) -> _Batch:
    """Measure some recordings and write their frames to one Parquet file; runs in a worker process."""
    from workbench.timing.measuring import measure_recording

    batch = _Batch()
    parquet = _FrameFile(path)
    written: set[str] = set()
    try:
        for row in rows:
            try:
                media.require(layout, row)
                raw = row["container"] == "raw"
                measured = measure_recording(
                    layout.media_path(row["uri"]),
                    recording_id=row["recording_id"],
                    call_id=row["call_id"],
                    roles=tuple(row["channel_roles"]),
                    offset_s=row["offset_s"],
                    config=config,
                    encoding=row["codec"] if raw else None,
                    sample_rate_hz=row["sample_rate_hz"] if raw else None,
                    run_id=run_id,
                    channel_map_confirmed=row["channel_map_source"] in _CONFIRMED,
                )
            except (ArchiveFailed, ImportFailed) as error:
                batch.problems.append(str(error))
                continue
            batch.channels += measured.channels
            batch.health.append(measured.health)
            batch.segments += measured.segments
            batch.recordings.append(row["recording_id"])
            if row["recording_id"] not in written:
                written.add(row["recording_id"])
                parquet.write(measured.frames)
    finally:
        parquet.close()
    batch.frames = path if path.exists() else None
    return batch


class _FrameFile:
    """A Parquet file of frames: delta encodings, zstd, one row group a recording at most."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: Any = None

    def write(self, frames: pa.Table) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        if frames.num_rows == 0:
            return
        if self._writer is None:
            numbers = [f.name for f in frames.schema if pa.types.is_integer(f.type)]
            texts = [f.name for f in frames.schema if pa.types.is_string(f.type) or pa.types.is_dictionary(f.type)]
            self._writer = pq.ParquetWriter(
                self._path,
                frames.schema,
                compression="zstd",
                compression_level=1,
                use_dictionary=texts,
                column_encoding={name: "DELTA_BINARY_PACKED" for name in numbers},
            )
        self._writer.write_table(frames, row_group_size=122_880)

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()


def _commit(
    con: duckdb.DuckDBPyConnection, writer: Writer, layout: Layout, batches: list[_Batch], run: dict[str, Any]
) -> None:
    """Replace the derived rows of the measured recordings; the body of the transaction."""
    con.execute("CREATE OR REPLACE TEMP TABLE measured (recording_id VARCHAR)")
    con.executemany("INSERT INTO measured VALUES (?)", [[rid] for batch in batches for rid in sorted(set(batch.recordings))])
    for table in _DERIVED:
        old = con.execute(f"SELECT count(*) FROM lake.{table} SEMI JOIN measured USING (recording_id)").fetchall()
        if old[0][0]:
            con.execute(f"DELETE FROM lake.{table} WHERE recording_id IN (SELECT recording_id FROM measured)")
    for ix, batch in enumerate(batches):
        if batch.frames is not None:
            _adopt(con, layout, batch.frames, f"{run['run_id']}-{ix:05d}.parquet")
    rows = {
        "channels": [row for batch in batches for row in batch.channels],
        "input_health": [row for batch in batches for row in batch.health],
        "segments": [row for batch in batches for row in batch.segments],
        "runs": [run],
    }
    for table, values in rows.items():
        writer.add(table, values)


def _adopt(con: duckdb.DuckDBPyConnection, layout: Layout, spooled: Path, name: str) -> None:
    """Make a spooled Parquet file part of `frames` as it is; encoding it again would cost more than measuring.

    A process killed before the commit leaves a file that no snapshot names; `compact` removes it.
    """
    target = layout.data / "main" / "frames" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    if spooled.exists():  # not so when the transaction runs again after a conflict
        spooled.replace(target)
    path = str(target).replace("'", "''")
    con.execute(f"CALL ducklake_add_data_files('lake', 'frames', '{path}')")
