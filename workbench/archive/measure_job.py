"""What a measuring worker does: some recordings in, derived rows and one Parquet file of frames out."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from workbench.archive import failures, media
from workbench.archive.layout import ROW_GROUP, Layout
from workbench.audio.config import MeasureConfig
from workbench.errors import WorkbenchError

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

    from workbench.timing.measuring import Measured

T = TypeVar("T")

_RESTORE = "run `workbench measure`: it names the other party's file, which could not be measured; restore that"
"""What would mend a file whose other one is in the archive and cannot be read."""

_CONFIRMED = ("declared", "option", "sidecar", "format")
"""Channel maps that a person or the provider states: a suspected swap does not speak against those."""


@dataclass(frozen=True)
class Job:
    """Recordings for one worker.

    Parameters
    ----------
    layout : Layout
        The archive.
    rows : list of dict
        Rows of `recordings`, those of a call next to each other, with all rows of each recording. `other_recording_id`
        is the file of the other party, or None; `source_uri` is where the call came from.
    config : MeasureConfig
        How to measure.
    run_id : str
        The measuring run.
    frames : pathlib.Path
        Parquet file to write the frames to.
    verified : frozenset of str
        Recordings whose bytes were hashed a moment ago and need not be again.
    backends : tuple of {'silero', 'refined'}
        What is heard beside the energy method.
    """

    layout: Layout
    rows: list[dict[str, Any]]
    config: MeasureConfig
    run_id: str
    frames: Path
    verified: frozenset[str] = frozenset()
    backends: tuple[str, ...] = ()

    @property
    def duration_s(self) -> float:
        """Seconds of audio in the job."""
        return float(sum(row["duration_s"] for row in self.rows))


@dataclass
class Batch:
    """What a job gave: checked rows by table, what was measured, and what was not: call, recording, what to say."""

    tables: dict[str, pl.DataFrame] = field(default_factory=dict)
    recordings: list[str] = field(default_factory=list)
    problems: list[tuple[str, str, str]] = field(default_factory=list)
    duration_s: float = 0.0
    frames: Path | None = None


def measure_job(job: Job, stop: threading.Event) -> Batch:
    """Measure the recordings of a job; runs in a thread of its own.

    Parameters
    ----------
    job : Job
        What to measure.
    stop : threading.Event
        Once set, no further recording is begun.

    Returns
    -------
    Batch
        With `problems` for every file that is missing, changed or damaged; the others are measured.
    """
    from workbench.schema import tables

    batch = Batch()
    rows: dict[str, list[dict[str, Any]]] = {"channels": [], "input_health": [], "segments": [], "moments": []}
    parquet = FrameFile(job.frames)
    written: dict[str, dict[str, Any]] = {}
    waiting: dict[tuple[str, str], tuple[dict[str, Any], Measured]] = {}
    try:
        for row in job.rows:
            if stop.is_set():
                break
            first = written.get(row["recording_id"])
            if first is not None and first["channel_roles"] != row["channel_roles"]:
                batch.problems.append((row["call_id"], row["recording_id"], _other_roles(row, first)))
                continue
            found = _attempted(batch, row, partial(_heard, job, row))
            if found is None:
                continue
            measured, beside = found
            rows["channels"] += measured.channels
            rows["input_health"].append(measured.health)
            rows["segments"] += measured.segments + beside
            rows["moments"] += measured.moments
            batch.recordings.append(row["recording_id"])
            batch.duration_s += row["duration_s"]
            if first is None:
                written[row["recording_id"]] = row
                for piece in measured.frames:
                    parquet.write(piece)
            if (other := waiting.pop((row["call_id"], row["other_recording_id"]), None)) is not None:
                rows["moments"] += _attempted(batch, row, partial(_judged_together, job, (row, measured), other)) or []
            elif row["other_recording_id"] is not None:
                waiting[row["call_id"], row["recording_id"]] = (row, measured)
    finally:
        parquet.close()
    for _, alone in waiting.values():
        alone.health["next_step"] = _RESTORE
    batch.tables = {name: tables()[name].checked(of_table) for name, of_table in rows.items()}
    batch.frames = job.frames if job.frames.exists() else None
    return batch


def _attempted(batch: Batch, row: dict[str, Any], work: Callable[[], T]) -> T | None:
    """Return what the work returns, or None with a problem of the recording; a full disk stops everything."""
    try:
        return work()
    except WorkbenchError as error:
        batch.problems.append((row["call_id"], row["recording_id"], f"call {row['call_id']!r}: {error}"))
    except OSError as error:
        if failures.is_full(error):
            raise
        told = f"call {row['call_id']!r}: {row['uri']}: the audio file cannot be read ({error.strerror})"
        batch.problems.append((row["call_id"], row["recording_id"], told))
    return None


def _heard(job: Job, row: dict[str, Any]) -> tuple[Measured, list[dict[str, Any]]]:
    """Measure a recording; return beside it the rows of `segments` by other backends."""
    from workbench.timing.measuring import measure_recording

    raw = row["container"] == "raw"
    media.require(job.layout, row, hashed=row["recording_id"] not in job.verified)
    measured = measure_recording(
        job.layout.media_path(row["uri"]),
        recording_id=row["recording_id"],
        call_id=row["call_id"],
        roles=tuple(row["channel_roles"]),
        offset_s=row["offset_s"],
        config=job.config,
        encoding=row["codec"] if raw else None,
        sample_rate_hz=row["sample_rate_hz"] if raw else None,
        run_id=job.run_id,
        channel_map_confirmed=row["channel_map_source"] in _CONFIRMED,
        scratch=job.frames.parent,
    )
    return measured, _beside(job, row)


def _judged_together(job: Job, *both: tuple[dict[str, Any], Measured]) -> list[dict[str, Any]]:
    """Write into the health of both files of a call what they are together; return the moments they hold."""
    import msgspec

    from workbench.timing.pair import measure_pair

    side = {"caller" if "caller" in row["channel_roles"] else "agent": measured for row, measured in both}
    paired = measure_pair(
        side["caller"],
        side["agent"],
        config=job.config,
        channel_map_confirmed=all(row["channel_map_source"] in _CONFIRMED for row, _ in both),
        scratch=job.frames.parent,
    )
    for row, measured in both:
        measured.health |= msgspec.structs.asdict(paired.health) | {"other_recording_id": row["other_recording_id"]}
    return paired.moments


def _other_roles(row: dict[str, Any], first: dict[str, Any]) -> str:
    """Say why a recording is not measured for a second call: its levels are kept once, by role."""
    ours, theirs = (_call(one) for one in (row, first))
    here, there = (", ".join(one["channel_roles"]) for one in (row, first))
    return (
        f"{ours}: its recording {row['uri']} belongs to the {theirs} too, where its channels are {there} and not "
        f"{here}; delete one of the two calls (workbench delete) and measure again, or import one anew with the roles "
        "of the other (workbench import --replace)"
    )


def _call(row: dict[str, Any]) -> str:
    """Name a call and, where that is known, the file it came from."""
    return f"call {row['call_id']!r}" + (f" ({row['source_uri']})" if row["source_uri"] else "")


def _beside(job: Job, row: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of `segments` by the backends beside the energy method; the sound is decoded once more for them."""
    if not job.backends:
        return []
    from workbench.audio.neural_tracks import neural_segments

    raw = row["container"] == "raw"
    return neural_segments(
        job.layout.media_path(row["uri"]),
        ids={"recording_id": row["recording_id"], "call_id": row["call_id"], "run_id": job.run_id},
        roles=tuple(row["channel_roles"]),
        offset_s=row["offset_s"],
        backends=job.backends,
        encoding=row["codec"] if raw else None,
        sample_rate_hz=row["sample_rate_hz"] if raw else None,
        scratch=job.frames.parent,
    )


class FrameFile:
    """A Parquet file of frames: delta encodings, some short recordings or a part of a long one in a row group."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writer: Any = None
        self._waiting: list[pa.Table] = []
        self._rows = 0
        self._failed = False

    def write(self, frames: pa.Table) -> None:
        """Append frames: those of a short recording, or a piece of a long one; none is fine."""
        if not frames.num_rows:
            return
        if self._waiting and self._rows + frames.num_rows > ROW_GROUP:
            self._flush()
        self._waiting.append(frames)
        self._rows += frames.num_rows

    def _flush(self) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        frames = pa.concat_tables(self._waiting).unify_dictionaries()  # with several Parquet writes the texts in full
        if self._writer is None:
            numbers = [f.name for f in frames.schema if pa.types.is_integer(f.type)]
            texts = [f.name for f in frames.schema if pa.types.is_string(f.type) or pa.types.is_dictionary(f.type)]
            self._writer = pq.ParquetWriter(
                self._path,
                frames.schema,
                compression="zstd",
                compression_level=1,
                use_dictionary=texts,
                column_encoding=dict.fromkeys(numbers, "DELTA_BINARY_PACKED"),
            )
        groups = -(-frames.num_rows // ROW_GROUP)
        self._failed = True
        self._writer.write_table(frames, row_group_size=-(-frames.num_rows // groups))
        self._failed = False
        self._waiting, self._rows = [], 0

    def close(self) -> None:
        """Finish the file; there is none when nothing was written."""
        import pyarrow as pa

        try:
            if self._waiting and not self._failed:
                self._flush()
        finally:
            if self._writer is not None:
                with suppress(pa.ArrowException, OSError) if self._failed else nullcontext():  # the first error counts
                    self._writer.close()
