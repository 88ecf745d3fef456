"""A start that has no date from year 1 to 9999 in UTC: no table, CSV or RFC 3339 can hold it."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from workbench import ingest
from workbench.assets import folder
from workbench.ingest.native import dump
from workbench.schema.call import Call, Refusal

BEFORE, AFTER = "0001-01-01T00:00:00+01:00", "9999-12-31T23:00:00-05:00"
DATA = folder("data/calls")
TAU2 = Path(__file__).parents[2] / "data" / "ingest" / "tau2" / "text-results.json"
TURN = {"role": "caller", "text": "hello", "start_s": 0.5, "end_s": 1.25}


def read(path: Path) -> tuple[list[Call], list[Refusal]]:
    found = list(ingest.read([path]))
    return [one for one in found if isinstance(one, Call)], [one for one in found if isinstance(one, Refusal)]


@pytest.mark.parametrize("start", [BEFORE, AFTER])
def test_a_native_call_goes_without_it(tmp_path: Path, start: str) -> None:
    rows = [{"id": f"c{ix}", "started_at": start if ix == 1 else None, "turns": [TURN]} for ix in range(3)]
    (tmp_path / "calls.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    found, (refusal,) = read(tmp_path / "calls.jsonl")
    assert [call.started_at for call in found] == [None] * 3
    assert (refusal.rule, refusal.scope, refusal.location) == ("impossible_date", "row", "call c1, started_at")
    assert start[:10] in refusal.message


@pytest.mark.parametrize("start", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z", "0001-01-01T01:00:00+01:00"])
def test_the_first_and_last_second_are_kept(tmp_path: Path, start: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"id": "a", "started_at": start, "turns": [TURN]}))
    (call,), refusals = read(tmp_path / "a.json")
    assert refusals == []
    assert call.started_at == datetime.fromisoformat(start)
    (tmp_path / "b.json").write_bytes(dump(call))
    assert read(tmp_path / "b.json")[0][0].started_at == call.started_at


@pytest.mark.parametrize("start", [BEFORE, AFTER])
def test_a_vcon_with_it_is_refused(tmp_path: Path, start: str) -> None:
    document = json.loads(next(iter(sorted((DATA / "vcon-synthetic").glob("*.json")))).read_bytes())
    document["dialog"][0]["start"] = start
    (tmp_path / "one.json").write_text(json.dumps(document))
    assert [one.rule for one in read(tmp_path / "one.json")[1]] == ["impossible_date"]


@pytest.mark.parametrize("start", [BEFORE, AFTER])
def test_of_a_tau2_result_only_the_simulation_with_it(tmp_path: Path, start: str) -> None:
    document: dict[str, Any] = json.loads(TAU2.read_bytes())
    one = document["simulations"][0]
    document["simulations"] = [{**one, "id": "a", "start_time": start}, {**one, "id": "b"}]
    (tmp_path / "results.json").write_text(json.dumps(document))
    found, refusals = read(tmp_path / "results.json")
    assert [call.id for call in found] == ["b"]
    (refusal,) = [one for one in refusals if one.scope == "call"]
    assert (refusal.rule, refusal.location) == ("impossible_date", "simulation 1")


@pytest.mark.parametrize("time", [9e20, 5 * 10**20, BEFORE, AFTER])
def test_a_row_of_a_transcript(tmp_path: Path, time: float | str) -> None:
    rows = [
        {"speaker": "customer", "text": "hello", "timestamp": time},
        {"speaker": "agent", "text": "hi", "timestamp": time},
    ]
    (tmp_path / "one.json").write_text(json.dumps({"turns": rows}))
    found, refusals = read(tmp_path / "one.json")
    assert [call.started_at for call in found] in ([], [None])
    assert {one.rule for one in refusals if one.scope != "note"} <= {"impossible_date"}
    assert found or refusals


def test_an_event_log(tmp_path: Path) -> None:
    events = [
        {"timestamp": 9e17, "event_type": "audio_start", "user": "framework_agent", "audio_timestamp": 9e14},
    ]
    record = tmp_path / "record-1"
    record.mkdir()
    (record / "result.json").write_text(json.dumps({"record_id": "1"}))
    (record / "audit_log.json").write_text("{}")
    (record / "elevenlabs_events.jsonl").write_text("\n".join(json.dumps(event) for event in events))
    found = list(ingest.read([tmp_path]))
    assert [(one.rule, one.scope) for one in found if isinstance(one, Refusal)] == [("impossible_date", "call")]
