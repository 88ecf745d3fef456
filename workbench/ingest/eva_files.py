"""The other files of an EVA record: configuration, scenario, database, frame log and audio."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct, field

from workbench.ingest.intake.references import is_there
from workbench.ingest.intake.shape import load, rows
from workbench.schema.call import Audio, ChannelRole, Refusal, Scenario, Span, StateRow

PER_WORD: Final = "tts_text"
"""Frames of the frame log that are left out: one a word, with no time of its own."""

PAIR: Final[tuple[tuple[ChannelRole, str], ...]] = (
    ("caller", "audio_user.wav"),
    ("agent", "audio_assistant.wav"),
)
MIXED: Final = "audio_mixed.wav"


class Config(Struct):
    """What the run was made with."""

    pipeline: dict[str, Any] = field(default_factory=dict)
    agent_config_path: str | None = None


class _Frame(Struct):
    timestamp: float
    type: str
    data: dict[str, Any] = field(default_factory=dict)
    source: str | None = None


def read_config(record: Path, root: Path) -> Config:
    """Return the configuration in the record, in the folder that was named or above `records/`."""
    for folder in (record, root, record.parent.parent):
        if (folder / "config.json").is_file():
            return load(folder / "config.json", Config)
    return Config()


def scenario_of(root: Path, record: Path, record_id: str) -> Scenario:
    """Return the scenario of a record, with its document where it lies beside the record."""
    for path in (root / f"scenario-{record_id}.json", record.parent / f"scenario-{record_id}.json"):
        if is_there(path):
            return Scenario(scenario_id=f"eva-{record_id}", document=load(path, dict[str, Any]))
    return Scenario(scenario_id=f"eva-{record_id}")


def state_of(record: Path) -> list[StateRow] | None:
    """Return the records of the database before and after the call, or None when neither was kept.

    Each resource is an object of records by id, or a list; settings such as `_current_date` are left out.
    """
    rows_: list[StateRow] = []
    files: tuple[tuple[Literal["before", "after"], str], ...] = (
        ("before", "initial_scenario_db.json"),
        ("after", "final_scenario_db.json"),
    )
    if not any((record / name).is_file() for _, name in files):
        return None
    for snapshot, name in files:
        if not (record / name).is_file():
            continue
        for resource, records in load(record / name, dict[str, Any]).items():
            if isinstance(records, dict):
                items = [
                    {"id": key, **item} if isinstance(item, dict) else {"id": key, "value": item}
                    for key, item in records.items()
                ]
            else:
                items = records if isinstance(records, list) else []
            rows_ += [StateRow(snapshot=snapshot, resource=resource, record=item) for item in items]
    return rows_


def framework_spans(record: Path, zero: float) -> list[Span]:
    """Return the frame log as point events of type ``pipecat.TYPE``; its times are epoch milliseconds."""
    path = record / "pipecat_logs.jsonl"
    spans: list[Span] = []
    for item in rows(path, _Frame) if path.is_file() else ():
        if isinstance(item, Refusal) or item[1].type == PER_WORD:
            continue
        frame = item[1]
        at = max(0.0, round(frame.timestamp / 1000 - zero, 6))
        spans.append(Span(type=f"pipecat.{frame.type}", name=frame.source, time_s=at, attributes=frame.data or None))
    return spans


def audio_of(record: Path) -> list[Audio]:
    """Return the pair of mono recordings, or the mixed one where the pair is not there.

    The record does not say where on the call's clock they start; they are placed at its start.
    """
    pair = [
        Audio(path=str(record / name), channels=[role], channel_map_source="format")
        for role, name in PAIR
        if (record / name).is_file()
    ]
    if len(pair) == len(PAIR) or not (record / MIXED).is_file():
        return pair
    return [Audio(path=str(record / MIXED), channels=["mixed"], channel_map_source="format")]
