"""tau-bench trajectories. The first run of the bundled file was counted by eye: 15 turns and 8 tool calls,
of which the fifth failed. Two ids of tool calls come twice in it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.errors import ImportFailed
from workbench.ingest import tau_bench
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal

FILE = Path(__file__).parents[2] / "data" / "calls" / "tau-bench" / "gpt-4o-airline-first-20.json"


def calls() -> list[Call]:
    return [call for call in tau_bench.read(FILE, Options()) if isinstance(call, Call)]


def written(tmp_path: Path, runs: Any) -> Path:
    path = tmp_path / "runs.json"
    path.write_text(json.dumps(runs), encoding="utf-8")
    return path


def test_each_run_is_a_call_with_its_task_and_trial() -> None:
    found = calls()
    assert len(found) == len({call.id for call in found}) == len({call.source_sha256 for call in found}) == 20
    assert found[0].id == "gpt-4o-airline-first-20-task0-trial0"


def test_the_first_run_as_counted() -> None:
    call = calls()[0]
    assert [turn.role for turn in call.turns or ()] == ["caller", "agent"] * 7 + ["caller"]
    assert [tool.name for tool in call.tool_calls or ()] == [
        "get_user_details",
        "search_direct_flight",
        "search_onestop_flight",
        "calculate",
        "book_reservation",
        "think",
        "calculate",
        "book_reservation",
    ]
    assert call.tool_calls
    assert [tool.consequential for tool in call.tool_calls] == [False] * 4 + [True, False, False, True]
    failed = call.tool_calls[4]
    assert failed.error
    assert failed.error.startswith("Error: payment amount does not add up")
    assert failed.result is None
    # the fourth call has the id of the first; its answer is its own
    assert call.tool_calls[3].result == 255.0
    assert call.tool_calls[0].result["name"] == {"first_name": "Mia", "last_name": "Li"}


def test_a_tool_call_belongs_to_the_turn_it_serves() -> None:
    call = calls()[0]
    assert call.turns
    assert call.tool_calls
    assert [tool.turn_ix for tool in call.tool_calls] == [5, 5, 7, 9, 11, 11, 11, 13]
    assert "direct flights from New York" in (call.turns[5].text or "")


def test_there_is_no_clock_and_the_end_mark_is_no_word() -> None:
    call = calls()[0]
    assert call.turn_clock == "none"
    assert call.turns
    assert all(turn.start_s is None for turn in call.turns)
    assert call.turns[-1].text == "Thank you so much for your help!"
    assert (call.ended_by, call.completed) == ("caller", True)


def test_the_reward_is_the_outcome_and_the_policy_is_kept_once() -> None:
    call = calls()[0]
    assert (call.outcome, call.expected_outcome, call.trial) == ("failure", "success", 0)
    assert call.tags
    assert call.tags["reward"] == "0.0"
    assert call.policy is None
    assert call.scenario
    assert call.scenario.document["policy_text"].startswith("# Airline Agent Policy")
    assert call.scenario.document["task"]["actions"][0]["name"] == "book_reservation"


def test_one_task_is_one_scenario_over_its_trials(tmp_path: Path) -> None:
    run = json.loads(FILE.read_text(encoding="utf-8"))[0]
    found = list(tau_bench.read(written(tmp_path, [run, {**run, "trial": 1}]), Options()))
    assert len({call.scenario.scenario_id for call in found if isinstance(call, Call) and call.scenario}) == 1
    assert len({call.id for call in found if isinstance(call, Call)}) == 2


def test_a_run_that_broke_off_is_not_completed(tmp_path: Path) -> None:
    run = json.loads(FILE.read_text(encoding="utf-8"))[0]
    run["traj"] = run["traj"][:8]  # ends with the answer of the first tool call
    [call] = tau_bench.read(written(tmp_path, [run]), Options())
    assert isinstance(call, Call)
    assert (call.completed, call.ended_by) == (False, None)
    assert [tool.turn_ix for tool in call.tool_calls or ()] == [None]


def test_a_bad_run_is_refused_alone(tmp_path: Path) -> None:
    run = json.loads(FILE.read_text(encoding="utf-8"))[0]
    refused, call = tau_bench.read(written(tmp_path, [{**run, "reward": "high"}, run]), Options())
    assert isinstance(refused, Refusal)
    assert (refused.scope, refused.location, refused.rule) == ("call", "item 1", "wrong_shape")
    assert isinstance(call, Call)


def test_a_broken_file_gives_what_came_before_the_break(tmp_path: Path) -> None:
    path = tmp_path / "runs.json"
    path.write_bytes(FILE.read_bytes()[:40_000])
    found: list[Call | Refusal] = []
    with pytest.raises(ImportFailed) as refused:
        found.extend(tau_bench.read(path, Options()))
    assert refused.value.rule == "invalid_json"
