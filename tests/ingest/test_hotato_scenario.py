"""hotato batteries. Expected values are read off the scenario files of the bundled clips by eye."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from workbench.ingest import hotato_scenario
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

CALLS = Path(__file__).parents[2] / "data" / "calls"
VAPI, AMI = CALLS / "vapi-defaults", CALLS / "ami-floor-exchange"
MHM = "vapi-default-03-backchannel-mhm"


def read(folder: Path, options: Options | None = None) -> dict[str, Call]:
    found = list(hotato_scenario.read(folder, options or Options()))
    return {call.id: call for call in found if isinstance(call, Call)}


@pytest.fixture
def battery(tmp_path: Path) -> Path:
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "audio").mkdir()
    shutil.copy(VAPI / "scenarios" / f"{MHM}.json", tmp_path / "scenarios")
    shutil.copy(VAPI / "audio" / f"{MHM}.example.wav", tmp_path / "audio")
    return tmp_path


def change(battery: Path, **fields: Any) -> None:
    path = battery / "scenarios" / f"{MHM}.json"
    path.write_text(json.dumps({**json.loads(path.read_text(encoding="utf-8")), **fields}), encoding="utf-8")


def test_every_scenario_with_audio_is_a_call() -> None:
    assert len(read(VAPI)) == len(list((VAPI / "scenarios").glob("*.json"))) == 9
    assert len(read(AMI)) == 3


def test_a_backchannel_is_labelled_hold_at_two_seconds() -> None:
    call = read(VAPI)[MHM]
    assert call.labels
    [label] = call.labels
    assert (label.kind, label.expect, label.onset_s) == ("expectation", "hold", 2.0)
    assert label.value["max_time_to_yield_s"] is None
    assert (call.origin, call.platform, call.agent_id) == ("role_played", "vapi", "hotato-probe")
    assert call.audio
    assert (call.audio[0].channels, call.audio[0].channel_map_source) == (["caller", "agent"], "format")
    assert call.duration_s == 8.0


def test_words_without_order_or_clock_are_no_turns() -> None:
    call = read(VAPI)[MHM]
    assert (call.turns, call.turn_clock) == (None, "none")
    assert call.scenario
    assert call.scenario.document["transcript"]["caller"] == "mhm"


def test_segments_set_by_people_are_labels_of_speech() -> None:
    call = read(AMI)["ami-en2002b-take-0149"]
    assert call.origin == "real"
    assert call.labels
    expectation, *speech = call.labels
    assert (expectation.expect, expectation.value["max_talk_over_s"]) == ("yield", 1.85)
    assert [(label.value["role"], label.onset_s, label.end_s) for label in speech] == [
        ("caller", 3.0, 9.0),
        ("agent", 0.0, 4.1),
        ("agent", 8.3, 9.0),
    ]


def test_channels_come_from_the_scenario_and_from_the_option_only_where_it_is_silent(battery: Path) -> None:
    swapped = Options(channels=("agent", "caller"))
    assert (read(battery, swapped)[MHM].audio or [])[0].channels == ["caller", "agent"]
    change(battery, channels={"caller_channel": 1, "agent_channel": 0})
    assert (read(battery)[MHM].audio or [])[0].channels == ["agent", "caller"]
    change(battery, channels=None)
    audio = (read(battery, swapped)[MHM].audio or [])[0]
    assert (audio.channels, audio.channel_map_source) == (["agent", "caller"], "option")


def test_milliseconds_in_place_of_seconds_are_mended_by_the_option(battery: Path) -> None:
    change(battery, caller_onset_sec=2000, duration_sec=8000)
    assert (read(battery)[MHM].labels or [])[0].onset_s == 2000.0
    call = read(battery, Options(time_unit="ms"))[MHM]
    assert ((call.labels or [])[0].onset_s, call.duration_s) == (2.0, 8.0)


@pytest.mark.parametrize(
    ("fields", "rule"),
    [
        ({"channels": {"caller_channel": 0, "agent_channel": 0}}, "bad_channel_map"),
        ({"caller_onset_sec": "two"}, "wrong_shape"),
        ({"audio": "elsewhere.wav"}, "audio_missing"),
    ],
)
def test_a_scenario_that_cannot_be_a_call_is_refused(battery: Path, fields: dict[str, Any], rule: str) -> None:
    change(battery, **fields)
    [refused] = hotato_scenario.read(battery, Options())
    assert isinstance(refused, Refusal)
    assert (refused.scope, refused.rule) == ("call", rule)
    assert refused.source_uri.endswith(f"{MHM}.json")


def test_a_broken_scenario_does_not_take_the_others_along(battery: Path) -> None:
    (battery / "scenarios" / "a.json").write_text('{"id": "a", ', encoding="utf-8")
    first, second = hotato_scenario.read(battery, Options())
    assert isinstance(first, Refusal)
    assert isinstance(second, Call)
