"""The acoustic pass: how each turn or run of speech sounded, what is new or changed, in one transaction."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.archive import failures, media, runs
from workbench.archive.deleted_meanwhile import standing
from workbench.archive.lake import Reader, Writer, quote, read_once
from workbench.archive.layout import Layout
from workbench.archive.side_by_side import side_by_side
from workbench.audio.acoustic_config import AcousticConfig
from workbench.errors import MissingExtra, WorkbenchError

if TYPE_CHECKING:
    import duckdb
    import polars as pl

PIECE_S = 10.0
"""Most seconds of a stretch that are in memory at a time."""

_RECORDING = "call_id recording_id uri byte_count container codec sample_rate_hz offset_s duration_s".split()
_PLACE = "call_id recording_id channel_ix stretch role stretch_ix shared start_s end_s".split()
_RECORDINGS = f"select {', '.join(_RECORDING)} from recordings"


@dataclass
class AcousticsReport:
    """What a pass did. `problems` names every recording it could not read, and why; `run_id` None: all was current.

    `gone` counts recordings that were deleted before they could be read.
    """

    run_id: str | None = None
    config_id: str = ""
    described: int = 0
    current: int = 0
    removed: int = 0
    duration_s: float = 0.0
    problems: list[str] = field(default_factory=list)
    gone: int = 0


@dataclass(frozen=True)
class _Job:
    """One call's stretches in one recording."""

    recording: dict[str, Any]
    stretches: list[dict[str, Any]]

    @property
    def duration_s(self) -> float:
        return float(sum(row["end_s"] - row["start_s"] for row in self.stretches))


class _Meter:
    """Tells how many seconds of speech are done: a long recording by its stretches, one that broke off in the end."""

    def __init__(self, jobs: list[_Job], on_progress: Callable[[float, float], None] | None) -> None:
        self._done = {id(job): 0.0 for job in jobs}
        self._total = float(sum(job.duration_s for job in jobs))
        self._on_progress = on_progress
        self._lock = threading.Lock()
        self._tell()

    def described(self, job: _Job, seconds: float) -> None:
        with self._lock:
            self._done[id(job)] += seconds
            self._tell()

    def ended(self, job: _Job) -> None:
        with self._lock:
            self._done[id(job)] = job.duration_s
            self._tell()

    def _tell(self) -> None:
        if self._on_progress:
            self._on_progress(min(sum(self._done.values()), self._total), self._total)


def describe(
    layout: Layout,
    *,
    config: AcousticConfig | None = None,
    workers: int = 2,
    on_progress: Callable[[float, float], None] | None = None,
) -> AcousticsReport:
    """Fill `turn_acoustics` from the stretches of the view `voice_stretches`.

    A recording of a call whose rows are of this config and of the same stretches is current and not read again.

    Parameters
    ----------
    layout : Layout
        The archive.
    config : AcousticConfig, optional
        Usual settings by default. Rows of another config are replaced.
    workers : int
        Threads that decode and describe.
    on_progress : callable, optional
        Called with seconds of speech done and in all, at the start and after each stretch, one call at a time but
        from any thread.

    Returns
    -------
    AcousticsReport
        With `described` and `current` counting rows.

    Raises
    ------
    MissingExtra
        Without librosa; nothing is written.
    ArchiveFailed
        When the archive cannot be written.
    """
    config = config or AcousticConfig()
    _require_librosa()
    (jobs, gone, current), snapshot = read_once(layout, lambda reader: (_todo(reader, config), reader.snapshot))
    report = AcousticsReport(config_id=config.config_id, current=current)
    if not jobs and not gone:
        return report
    run = runs.begin("acoustics", {"acoustics": msgspec.structs.asdict(config), "snapshot": snapshot})
    meter = _Meter(jobs, on_progress)
    results = side_by_side(
        jobs,
        lambda job, stop: _described(layout, job, stop, config=config, run_id=run["run_id"], meter=meter),
        workers=workers,
        on_done=meter.ended,
    )
    problems = [
        (str(job.recording["call_id"]), str(job.recording["recording_id"]), problem)
        for job, (problem, _) in zip(jobs, results, strict=True)
        if problem
    ]
    report.problems = standing(layout, problems)
    report.gone = len(problems) - len(report.problems)
    ended = [(job, rows) for job, (problem, rows) in zip(jobs, results, strict=True) if not problem]
    if ended or gone:
        _write(layout, ended, gone, run=run, report=report)
    return report


def _require_librosa() -> None:
    """Refuse at once, and not once a recording; librosa is imported before threads need it."""
    try:
        import librosa  # noqa: F401
    except ImportError as error:
        raise MissingExtra("librosa", "audio") from error


def _todo(reader: Reader, config: AcousticConfig) -> tuple[list[_Job], list[tuple[str, str]], int]:
    """Return the recordings of calls to describe, those whose rows only go, and how many rows are current."""
    import polars as pl

    wanted = reader.frame("from voice_stretches")
    there = reader.frame(f"select {', '.join(_PLACE)}, config_id, word_count, words_reason from turn_acoustics")
    own = [*_PLACE, "config_id", "word_count"]
    expected = wanted.with_columns(config_id=pl.lit(config.config_id))
    differ = [
        frame.select("call_id", "recording_id")
        for frame in (
            expected.join(there, on=own, how="anti", nulls_equal=True),
            there.join(expected, on=own, how="anti", nulls_equal=True),
        )
    ]
    changed = pl.concat(differ).unique()
    current = len(there.join(changed, on=["call_id", "recording_id"], how="anti"))
    recordings = {(row["call_id"], row["recording_id"]): row for row in reader.frame(_RECORDINGS).to_dicts()}
    todo = wanted.join(changed, on=["call_id", "recording_id"], how="semi").sort("call_id", "recording_id", "start_s")
    parts = todo.partition_by("call_id", "recording_id", maintain_order=True, as_dict=True)
    jobs = [_Job(recordings[str(key[0]), str(key[1])], part.to_dicts()) for key, part in parts.items()]
    gone = [key for key in changed.rows() if key not in parts]
    return jobs, gone, current


def _described(
    layout: Layout, job: _Job, stop: threading.Event, *, config: AcousticConfig, run_id: str, meter: _Meter
) -> tuple[str | None, list[dict[str, Any]]]:
    """Return a problem, or the rows of a job; runs in a thread of its own."""
    if stop.is_set():
        return "stopped", []
    try:
        media.require(layout, job.recording)
        return None, _rows(layout, job, stop, config=config, run_id=run_id, meter=meter)
    except MissingExtra:
        raise
    except WorkbenchError as error:
        return str(error), []
    except OSError as error:
        return f"{job.recording['uri']}: the audio file cannot be read ({error.strerror})", []


def _rows(
    layout: Layout, job: _Job, stop: threading.Event, *, config: AcousticConfig, run_id: str, meter: _Meter
) -> list[dict[str, Any]]:
    from workbench.audio.acoustics import Description
    from workbench.audio.passages import passages
    from workbench.audio.source import identify

    raw = job.recording["container"] == "raw"
    source = identify(
        layout.media_path(job.recording["uri"]),
        encoding=job.recording["codec"] if raw else None,
        sample_rate_hz=job.recording["sample_rate_hz"] if raw else None,
    )
    rate, offset_s = source.sample_rate_hz, float(job.recording["offset_s"])
    spans, owner = [], []
    for ix, stretch in enumerate(job.stretches):
        first, last = (round((stretch[name] - offset_s) * rate) for name in ("start_s", "end_s"))
        for at in range(max(first, 0), last, round(PIECE_S * rate)) or (first,):
            spans.append((at, min(at + round(PIECE_S * rate), last)))
            owner.append(ix)
    left = [owner.count(ix) for ix in range(len(job.stretches))]
    open_ones: dict[int, Description] = {}
    found: dict[int, dict[str, Any]] = {}
    for span_ix, samples in passages(source, spans):
        if stop.is_set():
            break
        ix = owner[span_ix]
        description = open_ones.setdefault(ix, Description(rate, config=config))
        description.add(samples[:, job.stretches[ix]["channel_ix"]])
        left[ix] -= 1
        if not left[ix]:
            found[ix] = _row(job.stretches[ix], open_ones.pop(ix).result(), config=config, run_id=run_id)
            meter.described(job, job.stretches[ix]["end_s"] - job.stretches[ix]["start_s"])
    return [found[ix] for ix in sorted(found)]


def _row(stretch: dict[str, Any], sound: Any, *, config: AcousticConfig, run_id: str) -> dict[str, Any]:
    from dataclasses import asdict

    count = stretch["word_count"]
    pace = None if count is None else count / (stretch["end_s"] - stretch["start_s"])
    return (
        {name: stretch[name] for name in (*_PLACE, "word_count", "words_reason")}
        | asdict(sound)
        | {"words_per_second": pace, "config_id": config.config_id, "run_id": run_id}
    )


def _write(
    layout: Layout,
    ended: list[tuple[_Job, list[dict[str, Any]]]],
    gone: list[tuple[str, str]],
    *,
    run: dict[str, Any],
    report: AcousticsReport,
) -> None:
    """Replace the rows of what was described; a call that was deleted or changed meanwhile gets none."""
    from workbench.schema import tables

    with failures.disk(layout.root):
        writer = Writer(layout)

        def work(con: duckdb.DuckDBPyConnection) -> pl.DataFrame:
            now = {repr(row) for row in con.execute(_RECORDINGS.replace("recordings", "lake.recordings")).fetchall()}
            same = [
                (job, rows) for job, rows in ended if repr(tuple(job.recording[name] for name in _RECORDING)) in now
            ]
            keys = [(job.recording["call_id"], job.recording["recording_id"]) for job, _ in same] + gone
            if keys:
                pairs = ", ".join(f"({quote(call)}, {quote(recording)})" for call, recording in keys)
                con.execute(f"DELETE FROM lake.turn_acoustics WHERE (call_id, recording_id) IN ({pairs})")
            frame = tables()["turn_acoustics"].checked([row for _, rows in same for row in rows])
            writer.insert("turn_acoustics", frame)
            counts = {"stretches": len(frame), "recordings": len(same), "problems": len(report.problems)}
            writer.add("runs", [runs.end(run, counts)])
            return frame

        try:
            frame = writer.transaction(work, message=run["run_id"])
        finally:
            writer.close()
    report.run_id, report.described, report.removed = run["run_id"], len(frame), len(gone)
    report.duration_s = float((frame["end_s"] - frame["start_s"]).sum())
