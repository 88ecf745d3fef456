"""hotato envelopes. The fixture is part of a real one; its three events were read off by eye."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import ImportFailed
from workbench.ingest import hotato_envelope
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

FILE = Path(__file__).parents[1] / "data" / "ingest" / "hotato_envelope" / "battery-result.json"


def changed(tmp_path: Path, **fields: Any) -> Path:
    path = tmp_path / "envelope.json"
    path.write_text(json.dumps({**json.loads(FILE.read_text(encoding="utf-8")), **fields}), encoding="utf-8")
    return path


def test_each_event_is_a_label_and_a_span_after_a_note() -> None:
    note, *calls = hotato_envelope.read(FILE, Options())
    assert isinstance(note, Refusal)
    assert (note.scope, note.rule) == ("note", "results_not_measurements")
    assert [
        (call.id, call.labels[0].expect, call.labels[0].onset_s)
        for call in calls
        if isinstance(call, Call) and call.labels
    ] == [
        ("battery-result-vapi-default-01-hard-interruption", "yield", 2.0),
        ("battery-result-vapi-default-02-one-word-stop", "yield", 2.0),
        ("battery-result-vapi-default-03-backchannel-mhm", "hold", 2.0),
    ]


def test_the_verdict_is_kept_as_it_came_and_nothing_is_measured() -> None:
    _, _, slow, _ = hotato_envelope.read(FILE, Options())
    assert isinstance(slow, Call)
    assert slow.spans
    [span] = slow.spans
    assert span.attributes
    assert span.attributes["verdict"]["seconds_to_yield"] == 1.46
    assert (span.type, span.time_s) == ("hotato_event", 2.0)
    assert (slow.turns, slow.audio, slow.stage_timings) == (None, None, None)
    assert slow.outcome is None


def test_milliseconds_in_place_of_seconds_are_mended_by_the_option(tmp_path: Path) -> None:
    events = json.loads(FILE.read_text(encoding="utf-8"))["events"][:1]
    events[0]["measurements"]["caller_onset_sec"] = 2000
    path = changed(tmp_path, events=events)
    for options, onset in ((Options(), 2000.0), (Options(time_unit="ms"), 2.0)):
        _, call = hotato_envelope.read(path, options)
        assert isinstance(call, Call)
        assert (call.labels or [])[0].onset_s == onset


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"schema_version": "2"}, "format_too_new"),
        ({"events": []}, "no_events"),
        ({"events": None}, "wrong_shape"),
    ],
)
def test_an_envelope_of_another_shape_is_refused(tmp_path: Path, fields: dict[str, Any], rule: str) -> None:
    with pytest.raises(ImportFailed) as refused:
        list(hotato_envelope.read(changed(tmp_path, **fields), Options()))
    assert refused.value.rule == rule


def test_a_broken_event_is_refused_alone(tmp_path: Path) -> None:
    events = json.loads(FILE.read_text(encoding="utf-8"))["events"]
    del events[0]["verdict"]
    _, refused, *calls = hotato_envelope.read(changed(tmp_path, events=events), Options())
    assert isinstance(refused, Refusal)
    assert (refused.scope, refused.location) == ("call", "event 1")
    assert len(calls) == 2


def test_a_broken_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "envelope.json"
    path.write_bytes(FILE.read_bytes()[:200])
    with pytest.raises(ImportFailed) as refused:
        list(hotato_envelope.read(path, Options()))
    assert refused.value.rule == "invalid_json"
