"""Bytes of stored frames: in an archive as measured, after `workbench compact`, and as plain float32."""

from __future__ import annotations

from pathlib import Path

from benchmarks import synthetic_calls
from benchmarks.folder import importing
from benchmarks.measured import WORKBENCH, process
from benchmarks.tables import Table, times
from workbench.archive.archive import Archive

SIZES = {"tiny": (1, 0.2), "quick": (6, 5.0), "full": (24, 5.0)}
"""Calls, minutes of each."""


def run(size: str, scratch: Path) -> list[Table]:
    """Measure files, so one run is enough."""
    import polars as pl
    import pyarrow.parquet as pq

    calls, minutes = SIZES[size]
    archive = scratch / "archive"
    hours = synthetic_calls.folder(scratch / "calls", calls=calls, minutes=minutes) / 3600
    importing(scratch / "calls", archive, media="reference", workers=1)()
    measured = _stored(archive)
    process([*WORKBENCH, "compact", "--archive", archive])
    compacted = _stored(archive)
    with Archive(archive) as opened:
        frames = opened.sql("from frames order by recording_id, frame_ix")
    levels = [name for name in frames.columns if name.endswith("_dbfs")]
    plain = frames.with_columns(pl.col(levels).cast(pl.Float32)).to_arrow()
    pq.write_table(plain, scratch / "float32.parquet")
    float32 = (scratch / "float32.parquet").stat().st_size
    raw = 2 * 4 * frames.height
    sound = sum(path.stat().st_size for path in (scratch / "calls").glob("*.wav"))
    table = Table(
        f"frame_size: {calls} calls of {minutes:g} min ({frames.height} frames, two channels, 10 ms)",
        ["stored as", "KB per call-hour", "x smaller than float32 Parquet"],
    )
    for name, size_bytes in {
        "archive, as measured": measured,
        "archive, after compact": compacted,
        "float32 in Parquet with pyarrow's defaults (peer)": float32,
        "two bare float32 a frame, no activity, no keys": raw,
        "the sound itself, PCM16": sound,
    }.items():
        table.rows.append([name, f"{size_bytes / 1000 / hours:.0f}", times(float32 / size_bytes)])
    largest = max(measured, compacted) / 1000 / hours
    table.target(
        "at most 1,400 KB per call-hour", found=f"{largest:.0f} KB", reached=largest <= 1400, size=size
    )
    return [table]


def _stored(archive: Path) -> int:
    files = list((archive / "data" / "main" / "frames").rglob("*.parquet"))
    assert files
    return sum(path.stat().st_size for path in files)
