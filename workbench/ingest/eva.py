"""EVA records: a voice agent against a simulated caller, one folder a record, alone or under `records/`.

A record has three clocks. Turn times are those of the **audio** events of the caller's log, counted from
the start of her session; the framework's own times (`transcript.jsonl`, `audit_log.json`) only place
words, tool calls and frames, and `result.json` is in local time without a zone, so it is not used for
time. What the simulated caller said is `truth`; what the agent's recogniser made of it is `heard`. The
same record id comes back in every run, so the call's id has the run's name before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, Literal

from msgspec import Struct

from workbench.errors import ImportFailed
from workbench.ingest.eva_audit import Audit, audit_of, model_timings, tools_of
from workbench.ingest.eva_events import (
    Event,
    Stretch,
    end_of,
    events_of,
    spans_of,
    spoken,
    stretches_of,
    zero_of,
)
from workbench.ingest.eva_files import audio_of, framework_spans, read_config, scenario_of, state_of
from workbench.ingest.intake.shape import load, note, refusal, rows, sha256_of_json, sha256_of_named, since_1970, utc
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal, StageTiming, Turn

FORMAT = "eva"
ABOUT = "EVA records: folders with `result.json`, `audit_log.json` and the caller's event log."
CLAIMS: Literal["folder"] = "folder"

EVENT_LOGS: Final = ("user_simulator_events.jsonl", "elevenlabs_events.jsonl")


class _Result(Struct):
    record_id: str
    completed: bool | None = None
    conversation_ended_reason: str | None = None
    output_dir: str | None = None
    error: str | None = None


class _Row(Struct):
    timestamp: datetime
    role: str
    content: str


class _Latencies(Struct):
    latencies: list[float]


def sniff(path: Path, head: bytes) -> bool:
    """Return whether a folder is a record, or holds records in `records/` or beside their scenarios."""
    return bool(_records(path))


def parts(path: Path) -> Iterator[Path]:
    """Yield the files of each record, all of which are in its digest, and those beside the records."""
    for record in _records(path):
        yield from (file for file in record.iterdir() if file.is_file())
        yield from record.parent.glob("scenario-*.json")
        yield record.parent.parent / "config.json"
    yield from path.glob("scenario-*.json")
    yield path / "config.json"


def read(path: Path, options: Options) -> Iterator[Call | Refusal]:
    """Yield a call for each record, after notes; or a refusal for each that cannot be read."""
    for record in _records(path):
        try:
            yield from _read_record(record, path)
        except ImportFailed as error:
            yield refusal(record, error, scope="call")


def _records(path: Path) -> list[Path]:
    if _is_record(path):
        return [path]
    inner = path / "records"
    if inner.is_dir():
        return [folder for folder in sorted(inner.iterdir()) if _is_record(folder)]
    return [folder for folder in sorted(path.glob("record-*")) if _is_record(folder)]


def _is_record(path: Path) -> bool:
    return (path / "result.json").is_file() and (path / "audit_log.json").is_file()


def _read_record(record: Path, root: Path) -> Iterator[Call | Refusal]:
    result = load(record / "result.json", _Result)
    log = next((record / name for name in EVENT_LOGS if (record / name).is_file()), None)
    if log is None:
        raise ImportFailed(
            f"neither {' nor '.join(EVENT_LOGS)} is in the record",
            where=str(record),
            hint="turn times come from the caller's event log; keep it with the record",
            rule="event_log_missing",
        )
    events, refused = events_of(log)
    yield from refused
    zero = zero_of(events)
    stretches = stretches_of(events, zero)
    for ix, stretch in enumerate(stretches):
        if stretch.late_end:
            yield note(
                log,
                "late_audio_end",
                f"turn {ix}: the caller's audio_end came only with her next audio_start; it is left out",
                hint="the end of that turn is not known; measure it from the audio",
                location=f"record {result.record_id}",
            )
    words, bad_words = _words(record / "transcript.jsonl", zero)
    yield from bad_words
    turns = [_turn(ix, stretches, words) for ix in range(len(stretches))]
    audit = audit_of(record / "audit_log.json")
    yield _call(record, root, result, events=events, turns=turns, audit=audit, zero=zero)


def _call(
    record: Path,
    root: Path,
    result: _Result,
    *,
    events: Sequence[Event],
    turns: list[Turn],
    audit: Audit,
    zero: float,
) -> Call:
    run = _run_name(result, record)
    config = read_config(record, root)
    pipeline = config.pipeline
    ended = end_of(events)
    files = {file.name: file for file in sorted(record.iterdir()) if file.is_file()}
    tags = {"record_id": result.record_id, "run": run, "error": result.error}
    tags.update({key: pipeline.get(key) for key in ("llm_model", "stt_model", "tts_model", "s2s_model")})
    return Call(
        id=f"{run}-{result.record_id}" if run else result.record_id,
        source_uri=str(record),
        source_sha256=sha256_of_named(files),
        origin="simulated",
        started_at=since_1970(zero),
        duration_s=None if ended is None else round(ended - zero, 6),
        platform="eva",
        agent_id=Path(config.agent_config_path).stem if config.agent_config_path else None,
        agent_config_sha256=sha256_of_json(pipeline) if pipeline else None,
        ended_by=result.conversation_ended_reason,
        completed=result.completed,
        turn_clock="reported",
        tags={key: str(value) for key, value in tags.items() if value},
        scenario=scenario_of(root, record, result.record_id),
        turns=turns,
        tool_calls=tools_of(audit, turns, zero),
        spans=[*spans_of(events, zero), *framework_spans(record, zero)],
        stage_timings=[*model_timings(audit), *_latencies(record, turns)],
        state=state_of(record),
        audio=audio_of(record) or None,
    )


def _run_name(result: _Result, record: Path) -> str | None:
    """Return the name of the run: the folder above `records`, here or where the record was written."""
    parts = Path(result.output_dir or "").parts
    if "records" in parts[1:]:
        return parts[parts.index("records") - 1]
    return record.resolve().parents[1].name if record.resolve().parent.name == "records" else None


def _words(path: Path, zero: float) -> tuple[list[tuple[float, str, str]], list[Refusal]]:
    """Return (seconds, role, words) of each row of the framework's transcript, and refused rows."""
    words: list[tuple[float, str, str]] = []
    refused: list[Refusal] = []
    for item in rows(path, _Row) if path.is_file() else ():
        if isinstance(item, Refusal):
            refused.append(item)
            continue
        row = item[1]
        moment = utc(row.timestamp)
        if moment is not None:
            words.append((moment.timestamp() - zero, row.role, row.content.strip()))
    return words, refused


def _turn(ix: int, stretches: Sequence[Stretch], words: Sequence[tuple[float, str, str]]) -> Turn:
    """Return a turn with the words that came between its start and the same side's next start."""
    stretch = stretches[ix]
    later = (other.start_s for other in stretches[ix + 1 :] if other.role == stretch.role)
    until = next(later, float("inf"))
    side = "assistant" if stretch.role == "agent" else "user"
    given = " ".join(text for at, role, text in words if role == side and stretch.start_s <= at < until)
    if stretch.role == "agent":
        return Turn(role="agent", text=given or None, start_s=stretch.start_s, end_s=stretch.end_s)
    said = stretch.said
    return Turn(
        role="caller",
        text=said,
        truth=spoken(said) if said else None,
        heard=given or None,
        start_s=stretch.start_s,
        end_s=stretch.end_s,
    )


def _latencies(record: Path, turns: Sequence[Turn]) -> list[StageTiming]:
    """Return the response latencies, which the file gives in seconds.

    They belong to turns only when there is one for each time that the agent answers the caller.
    """
    path = record / "response_latencies.json"
    if not path.is_file():
        return []
    values = load(path, _Latencies).latencies
    answers = [ix for ix in range(1, len(turns)) if turns[ix].role == "agent" and turns[ix - 1].role == "caller"]
    owners: Sequence[int | None] = answers if len(answers) == len(values) else [None] * len(values)
    return [
        StageTiming(stage="e2e", value_ms=round(value * 1000, 6), measured_at="server", turn_ix=owner)
        for value, owner in zip(values, owners, strict=True)
    ]
