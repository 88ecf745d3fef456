"""Bytes of stored frames: in an archive as measured, after `workbench compact`, and as plain float32."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import soundfile as sf

from benchmarks import synthetic_calls
from benchmarks.folder import importing
from benchmarks.measured import WORKBENCH, process
from benchmarks.tables import Table, times
from workbench.archive.archive import Archive
from workbench.audio.frames import frame_levels, to_dbfs

SIZES = {"tiny": (1, 0.2), "quick": (6, 5.0), "full": (24, 5.0)}
"""Calls, minutes of each."""


def run(size: str, scratch: Path) -> list[Table]:
    """Measure files, so one run is enough."""
    import pyarrow.parquet as pq

    calls, minutes = SIZES[size]
    archive = scratch / "archive"
    hours = synthetic_calls.folder(scratch / "calls", calls=calls, minutes=minutes) / 3600
    importing(scratch / "calls", archive, media="reference", workers=1)()
    measured = _stored(archive)
    process([*WORKBENCH, "compact", "--archive", archive])
    compacted = _stored(archive)
    plain = _plain(archive)
    pq.write_table(plain, scratch / "float32.parquet")
    float32 = (scratch / "float32.parquet").stat().st_size
    raw = 2 * 4 * plain.num_rows
    sound = sum(path.stat().st_size for path in (scratch / "calls").glob("*.wav"))
    table = Table(
        f"frame_size: {calls} calls of {minutes:g} min ({plain.num_rows} frames, two channels, 10 ms)",
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
    table.target("at most 1,400 KB per call-hour", found=f"{largest:.0f} KB", reached=largest <= 1400, size=size)
    return [table]


def _plain(archive: Path) -> Any:
    """Return the frames as an Arrow table whose levels are float32, as they come out of the measurement."""
    import polars as pl

    with Archive(archive) as opened:
        frames = opened.sql("from frames order by recording_id, frame_ix")
        uris = opened.sql("select uri from recordings order by recording_id")["uri"]
    levels = []
    for uri in uris:
        samples, rate = sf.read(uri, dtype="int16", always_2d=True)
        levels.append(to_dbfs(frame_levels([samples], sample_rate_hz=rate).rms).astype(np.float32))
    caller, agent = np.concatenate(levels, axis=1)
    exact = frames.with_columns(caller_dbfs=pl.Series(caller), agent_dbfs=pl.Series(agent))
    return exact.drop("mixed_dbfs", "mixed_active").to_arrow()


def _stored(archive: Path) -> int:
    files = list((archive / "data" / "main" / "frames").rglob("*.parquet"))
    assert files
    return sum(path.stat().st_size for path in files)
