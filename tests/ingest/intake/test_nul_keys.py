"""A NUL in a key of a call ends the text of a query on it, and with that every question to the archive."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench import ingest
from workbench.ingest.intake.hygiene import MAX_MESSAGE
from workbench.schema.call import Call, Refusal

TURN = {"role": "caller", "text": "hello", "start_s": 0.5, "end_s": 1.25}


def read(path: Path, **second: Any) -> tuple[list[Call], list[Refusal]]:
    rows = [{"id": f"c{ix}", "turns": [TURN]} for ix in range(3)]
    rows[1] |= second
    path.write_text("\n".join(json.dumps(row) for row in rows))
    found = list(ingest.read([path]))
    return [one for one in found if isinstance(one, Call)], [one for one in found if isinstance(one, Refusal)]


def test_an_id_is_refused(tmp_path: Path) -> None:
    found, refusals = read(tmp_path / "calls.jsonl", id="a\0b", made_up=1)
    assert [call.id for call in found] == ["c0", "c2"]
    refusal = refusals[-1]
    assert (refusal.rule, refusal.scope, refusal.location) == ("nul_in_key", "call", r"call a\x00b")
    assert refusal.hint
    assert all("\0" not in f"{one.location}{one.message}{one.call_id}" for one in refusals)


@pytest.mark.parametrize(
    "field",
    ["parent_call_id", "experiment_id", "arm", "agent_id", "agent_version", "agent_config_sha256", "scenario_id"],
)
def test_a_key_beside_the_id_is_left_out(tmp_path: Path, field: str) -> None:
    second = {"scenario": {"scenario_id": "a\0b"}} if field == "scenario_id" else {field: "a\0b"}
    found, (refusal,) = read(tmp_path / "calls.jsonl", **second)
    assert [call.id for call in found] == ["c0", "c1", "c2"]
    where = "scenario.scenario_id" if field == "scenario_id" else field
    assert (refusal.rule, refusal.scope, refusal.location) == ("nul_in_key", "row", f"call c1, {where}")
    assert found[1].scenario is None
    assert getattr(found[1], field, None) is None


@pytest.mark.parametrize("field", ["span_id", "parent_id"])
def test_a_span_with_one_is_refused(tmp_path: Path, field: str) -> None:
    spans = [{"type": "a", "time_s": 1.0}, {"type": "b", "time_s": 1.0, field: "a\0b"}]
    found, (refusal,) = read(tmp_path / "calls.jsonl", spans=spans)
    assert [span.type for span in found[1].spans or ()] == ["a"]
    assert (refusal.rule, refusal.scope, refusal.location) == ("nul_in_key", "row", "call c1, spans[1]")


def test_words_with_one_are_kept(tmp_path: Path) -> None:
    found, refusals = read(tmp_path / "calls.jsonl", turns=[TURN | {"text": "a\0b"}])
    assert (len(found), refusals) == (3, [])


def test_no_message_repeats_more_of_the_input_than_fits(tmp_path: Path) -> None:
    names = {f"field {ix} {'x' * 5_000}": 1 for ix in range(5)}
    _, refusals = read(tmp_path / "calls.jsonl", id="i" * 100_000, turns=[TURN | {"role": "y" * 100_000}], **names)
    assert len(refusals) == 2
    assert all(len(text) <= MAX_MESSAGE for one in refusals for text in (one.message, one.location, one.hint))
    assert refusals[-1].location.endswith("turns[0]")
