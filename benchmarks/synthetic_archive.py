"""Archives of any size without decoding audio: frames as the measuring pass writes them, and turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from workbench.archive import measure_job
from workbench.archive.archive import Archive
from workbench.archive.lake import Writer
from workbench.audio.config import MeasureConfig
from workbench.schema import tables
from workbench.schema.call import Call, ToolCall, Turn

CALL_FRAMES = 30_000
"""Frames of a recording: five minutes."""

FILE_RECORDINGS = 24
"""Recordings of a Parquet file: two hours, as many as the measuring pass takes at a time."""

WORDS = (
    "yes no please thank you I would like to book change cancel the a my order table account refund four "
    "five seven Tuesday morning number address confirm is that right of course done moment what else can do"
).split()


def with_frames(path: Path, *, frames: int) -> list[str]:
    """Make an archive of two-channel recordings with that many frames in all; return the call ids.

    Calls, recordings, channels, health and segments lie beside the frames, as after an import and measure.
    """
    import polars as pl

    archive = Archive.create(path)
    config = MeasureConfig().config_id
    lengths = [min(CALL_FRAMES, frames - at) for at in range(0, frames, CALL_FRAMES)]
    names = [f"{ix:08d}" for ix in range(len(lengths))]
    rng = np.random.default_rng(0)
    batches: list[Path] = []
    segments: list[pl.DataFrame] = []
    for first in range(0, len(names), FILE_RECORDINGS):
        file = path / f"frames-{first:08d}.parquet"
        parquet = measure_job.FrameFile(file)
        for name, length in list(zip(names, lengths, strict=True))[first : first + FILE_RECORDINGS]:
            active, speech = _speech(length, rng)
            parquet.write(_frames(name, config, active=active, rng=rng))
            segments += [_segments(name, config, role=ix, runs=runs) for ix, runs in enumerate(speech)]
        parquet.close()
        batches.append(file)
    rows = _rows(names, config, lengths)
    writer = Writer(archive.layout)

    def work(_con: Any) -> None:
        for ix, file in enumerate(batches):
            writer.adopt("frames", file, name=f"synthetic-{ix:05d}.parquet")
        for table, values in rows.items():
            writer.add(table, values)
        writer.insert("segments", tables()["segments"].validate(pl.concat(segments)))

    writer.transaction(work, message="synthetic frames")
    writer.close()
    archive.close()
    return names


def _speech(length: int, rng: np.random.Generator) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Activity of caller and agent, and their runs as (first, after) frames."""
    active = [np.zeros(length, np.bool_) for _ in range(2)]
    runs: list[list[tuple[int, int]]] = [[], []]
    at, who = 50, 1
    while at < length - 100:
        after = min(length - 1, at + 30 + int(rng.gamma(2.0, 160.0)))
        if not runs[who] or at > runs[who][-1][1] + 20:
            active[who][at:after] = True
            runs[who].append((at, after))
        at = max(after + int(rng.choice([-60, 25, 60, 120, 280], p=[0.12, 0.4, 0.3, 0.13, 0.05])), at + 30)
        who = 1 - who
    return active, [np.array(one, np.int64).reshape(-1, 2) for one in runs]


def _frames(name: str, config: str, *, active: list[np.ndarray], rng: np.random.Generator) -> object:
    import pyarrow as pa

    length = len(active[0])

    def constant(value: str) -> pa.DictionaryArray:
        return pa.DictionaryArray.from_arrays(pa.array(np.zeros(length, np.int8)), pa.array([value]))

    def level(on: np.ndarray) -> pa.Array:
        heard = np.where(on, rng.normal(-2400, 500, length), rng.normal(-6200, 34, length))
        return pa.array(np.clip(np.rint(heard), -12000, 0).astype(np.int16))

    columns = {
        "recording_id": constant(name),
        "config_id": constant(config),
        "frame_ix": pa.array(np.arange(length, dtype=np.int32)),
        "caller_cdbfs": level(active[0]),
        "agent_cdbfs": level(active[1]),
        "mixed_cdbfs": pa.nulls(length, pa.int16()),
        "caller_active": pa.array(active[0]),
        "agent_active": pa.array(active[1]),
        "mixed_active": pa.nulls(length, pa.bool_()),
    }
    return pa.table(columns)


def _segments(name: str, config: str, *, role: int, runs: np.ndarray) -> object:
    import polars as pl

    ids = {"recording_id": name, "call_id": name, "role": ("caller", "agent")[role], "backend": "energy"}
    table = tables()["segments"]
    frame = pl.DataFrame({"start_s": runs[:, 0] / 100, "end_s": runs[:, 1] / 100}).with_columns(
        **{key: pl.lit(value) for key, value in ids.items()},
        channel_ix=pl.lit(role),
        config_id=pl.lit(config),
        segment_ix=pl.int_range(pl.len()),
        voiced_end_s=pl.col("end_s"),
        peak_dbfs=pl.lit(-15.0),
        faint=pl.lit(value=False),
        run_id=pl.lit("synthetic"),
    )
    return frame.select(pl.col(column).cast(dtype) for column, dtype in table.polars().items())


def _rows(names: list[str], config: str, lengths: list[int]) -> dict[str, list[dict[str, object]]]:
    ids = [{"call_id": name, "recording_id": name, "config_id": config, "run_id": "synthetic"} for name in names]
    call = {"source_format": "audio", "origin": "synthetic", "evidence_tier": 1, "supplied": ["audio"]}
    recording = {
        "boundary": "combined",
        "storage": "reference",
        "container": "wav",
        "codec": "pcm_s16le",
        "sample_rate_hz": 8000,
        "channel_count": 2,
        "byte_count": 0,
        "channel_roles": ["caller", "agent"],
        "offset_s": 0.0,
        "channel_map_source": "option",
    }
    health = {
        "scorable": True,
        "recommendation": "eligible for scan",
        "verdict_eligible": True,
        "warnings": [],
    }
    both = list(zip(ids, lengths, strict=True))
    return {
        "calls": [
            {**one, **call, "source_uri": "synthetic", "source_sha256": one["call_id"], "turn_clock": "none"}
            | {"duration_s": length / 100}
            for one, length in both
        ],
        "recordings": [
            {**one, **recording, "uri": f"{one['call_id']}.wav"}
            | {"frame_count": length * 80, "duration_s": length / 100}
            for one, length in both
        ],
        "input_health": [{**one, **health} for one in ids],
        "channels": [
            {**one, "channel_ix": ix, "role": role, "clipped_fraction": 0.0, "active_s": 60.0}
            | {"noise_floor_dbfs": -62.4, "threshold_dbfs": -47.4}
            for one in ids
            for ix, role in enumerate(("caller", "agent"))
        ],
    }


def with_labels(path: Path, *, calls: int, labels: int) -> None:
    """Make an archive with frames and label moments of every call, half of them yield and half hold.

    Parameters
    ----------
    path : pathlib.Path
        Where to make it.
    calls : int
        Calls of five minutes.
    labels : int
        Moments of a call at most; each is the start of a run of the caller.
    """
    names = with_frames(path, frames=calls * CALL_FRAMES)
    rng = np.random.default_rng(1)
    archive = Archive(path)
    runs = archive.sql("select call_id, start_s from segments where role = 'caller' and start_s < 280")
    starts = {
        call_id: own["start_s"].to_list() for (call_id,), own in runs.partition_by("call_id", as_dict=True).items()
    }
    archive.close()
    rows = []
    for name in names:
        chosen = rng.choice(starts[name], size=min(labels, len(starts[name])), replace=False)
        for ix, onset in enumerate(sorted(chosen.tolist())):
            row = {"call_id": name, "label_id": f"{ix}", "kind": "expectation", "onset_s": onset}
            rows.append(row | {"expect": ("yield", "hold")[ix % 2], "author": "synthetic"})
    writer = Writer(Archive(path).layout)
    writer.transaction(lambda _con: writer.add("labels", rows), message="synthetic labels")
    writer.close()


def with_turns(path: Path, *, calls: int, turns: int = 20) -> None:
    """Add calls with timed turns to an archive, made when missing; callers' turns say what was heard and what said."""
    archive = Archive(path) if path.exists() else Archive.create(path)
    archive.add(_calls(calls, turns))
    archive.close()


def _calls(count: int, turns: int) -> Iterator[Call]:
    rng = np.random.default_rng(0)
    for ix in range(count):
        picks = rng.integers(0, len(WORDS), size=(turns, 9))
        misheard = rng.random(turns) < 0.1
        gaps = rng.choice([-0.4, 0.3, 0.7, 1.2, 2.0, 3.5], size=turns, p=[0.1, 0.4, 0.3, 0.1, 0.07, 0.03])
        lengths = rng.uniform(1.0, 6.0, size=turns)
        at, said = 0.0, []
        for n in range(turns):
            text = " ".join(WORDS[word] for word in picks[n])
            start = round(max(at + float(gaps[n]), at - 0.4, 0.0), 2)
            at = round(start + float(lengths[n]), 2)
            if n % 2:
                heard = text.replace("four", "five").replace("book", "look") if misheard[n] else text
                said.append(Turn(role="caller", text=text, truth=text, heard=heard, start_s=start, end_s=at))
            else:
                said.append(Turn(role="agent", text=text, start_s=start, end_s=at))
        tool = ToolCall(
            name="issue_refund",
            turn_ix=turns - 2,
            arguments={"amount": int(rng.integers(1, 300))},
            consequential=True,
            start_s=at,
            end_s=at,
        )
        yield Call(
            id=f"call-{ix:08d}",
            source_format="synthetic",
            source_uri="synthetic",
            source_sha256=f"{ix:064x}",
            origin="synthetic",
            turn_clock="reported",
            policy={"refund_limit": 100},
            completed=bool(rng.random() < 0.9),
            turns=said,
            tool_calls=[tool],
        )


def rows_of_text(calls: int, *, seed: int = 0) -> Iterator[bytes]:
    """Yield lines of the voice-evals row format, one call a line, about 750 bytes each."""
    rng = np.random.default_rng(seed)
    for ix in range(calls):
        lengths = rng.integers(6, 40, size=2)
        said, answer = (" ".join(WORDS[word] for word in rng.integers(0, len(WORDS), size=n)) for n in lengths)
        row = {
            "id": f"call-{seed:04d}-{ix:08d}",
            "scenario": {
                "name": f"scenario-{ix % 20}",
                "expected_outcome": "booked",
                "required_facts": ["Tuesday"],
            },
            "asr_transcript": said,
            "ground_truth_transcript": said,
            "agent_transcript": answer,
            "outcome": "booked",
            "stage_timings_ms": {
                "stt_ms": 190,
                "llm_ttft_ms": 310,
                "tts_ttfa_ms": 220,
                "e2e_ms": 820 + ix % 900,
            },
            "interruptions": [{"at_ms": 4200, "agent_stopped_ms": 210}] if ix % 5 == 0 else [],
        }
        yield json.dumps(row).encode() + b"\n"
