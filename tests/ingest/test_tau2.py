"""tau2 runs. Runs of speech in the bundled voice simulation were counted with jq: the agent starts
speaking in 15 ticks after a silent one, the caller in 11; of the text fixture everything was read off by eye.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import ImportFailed
from workbench.ingest import tau2, tau2_file
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

ROOT = Path(__file__).parents[2]
VOICE = ROOT / "data" / "calls" / "tau2-voice"
TEXT = ROOT / "tests" / "data" / "ingest" / "tau2" / "text-results.json"


def voice() -> Call:
    [call] = tau2.read(VOICE, Options())
    assert isinstance(call, Call)
    return call


def test_turns_are_runs_of_ticks_with_speech() -> None:
    call = voice()
    assert call.turn_clock == "ticks"
    assert Counter(turn.role for turn in call.turns or ()) == {"agent": 15, "caller": 11}
    first = next(turn for turn in call.turns or () if turn.role == "caller")
    # the caller speaks from tick 26, and a tick is 0.2 s
    assert (first.start_s, first.text) == (5.2, None)


def test_time_is_counted_in_ticks_and_never_read_off_the_wall_clock() -> None:
    call = voice()
    # 973 ticks of 0.2 s, which took 352.9 s to compute
    assert call.duration_s == 194.6
    assert call.tags
    assert call.tags["wall_clock_s"].startswith("352.87")


def test_what_happened_in_the_ticks_is_kept_as_spans() -> None:
    spans = voice().spans or []
    noises = [span for span in spans if span.type == "burst_noise"]
    # ticks 96, 553, 616 and 695
    assert [span.start_s for span in noises] == [19.2, 110.6, 123.2, 139.0]
    assert [(span.start_s, span.end_s) for span in spans if span.name == "backchannel"] == [(135.8, 136.0)]
    assert [span.name for span in spans if span.type == "non_directed_phrase"] == [
        "I'll be right with you.",
        "Give me a moment.",
    ]


def test_a_run_without_a_reward_has_no_outcome() -> None:
    call = voice()
    assert (call.outcome, call.ended_by, call.completed) == (None, "user_stop", True)
    assert (call.trial, call.seed, call.agent_id) == (0, 626729, "openai:gpt-realtime-2")
    assert call.scenario
    assert call.scenario.scenario_id == "retail-40"
    assert call.tool_calls is None


def changed(tmp_path: Path, config: dict[str, Any]) -> Path:
    shutil.copytree(VOICE, tmp_path, dirs_exist_ok=True)
    results = json.loads((VOICE / "results.json").read_text(encoding="utf-8"))
    results["info"]["audio_native_config"] = config
    (tmp_path / "results.json").write_text(json.dumps(results), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("config", [{}, {"tick_duration_seconds": 200}, {"tick_duration_seconds": 0}])
def test_ticks_without_a_length_in_seconds_are_refused(tmp_path: Path, config: dict[str, Any]) -> None:
    [refused] = tau2.read(changed(tmp_path, config), Options())
    assert isinstance(refused, Refusal)
    assert (refused.scope, refused.rule) == ("call", "tick_length_unknown")


def test_recordings_are_found_and_their_channels_not_guessed(tmp_path: Path) -> None:
    shutil.copytree(VOICE, tmp_path, dirs_exist_ok=True)
    audio = tmp_path / "artifacts" / "task_40" / f"sim_{voice().id}" / "audio"
    audio.mkdir(parents=True)
    (audio / "both.wav").write_bytes(b"RIFF")
    note, call = tau2.read(tmp_path, Options())
    assert isinstance(note, Refusal)
    assert note.rule == "channel_map_unknown"
    assert isinstance(call, Call)
    assert (call.audio or [])[0].channels == ["unknown", "unknown"]
    [stated] = tau2.read(tmp_path, Options(channels=("caller", "agent")))
    assert isinstance(stated, Call)
    assert (stated.audio or [])[0].channel_map_source == "option"


def test_a_text_run_has_turns_tool_calls_and_a_reward() -> None:
    call, refused = tau2_file.read(TEXT, Options())
    assert isinstance(call, Call)
    assert [(turn.role, turn.start_s) for turn in call.turns or ()] == [
        ("agent", 0.0),
        ("caller", 4.0),
        ("agent", 12.0),
    ]
    assert call.turn_clock == "generated"
    assert [
        (tool.name, tool.turn_ix, tool.result, tool.error, tool.consequential) for tool in call.tool_calls or ()
    ] == [
        ("get_order", 2, {"status": "pending"}, None, False),
        ("cancel_order", 2, None, "Error: no such order", True),
    ]
    assert [span.name for span in call.spans or ()] == ["check_app"]
    assert (call.outcome, call.cost_usd, call.ended_by) == ("success", 0.0125, "user_stop")
    assert call.scenario
    assert call.scenario.document["task"]["id"] == "7"
    # generation_time_seconds is in seconds
    assert [(timing.turn_ix, timing.value_ms) for timing in call.stage_timings or ()] == [
        (1, 1500.0),
        (2, 2250.0),
    ]
    assert isinstance(refused, Refusal)
    assert (refused.location, refused.rule) == ("simulation 2", "wrong_shape")  # its duration is "1 s"


def test_a_result_without_simulations_is_refused() -> None:
    with pytest.raises(ImportFailed) as refused:
        list(tau2_file.read(VOICE / "results.json", Options()))
    assert refused.value.rule == "no_simulations"


def test_a_broken_simulation_is_refused(tmp_path: Path) -> None:
    shutil.copytree(VOICE, tmp_path, dirs_exist_ok=True)
    (tmp_path / "simulations" / "0.json").write_text('{"id": "a", "ticks": [', encoding="utf-8")
    refused, call = tau2.read(tmp_path, Options())
    assert isinstance(refused, Refusal)
    assert refused.rule == "invalid_json"
    assert isinstance(call, Call)
