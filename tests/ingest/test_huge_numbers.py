"""Whole numbers beyond 64 bits, which JSON allows, cost the field they stand in and no more."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from workbench import ingest
from workbench.archive.rows import rows_of
from workbench.archive.spooling import Spool
from workbench.assets import folder
from workbench.schema.call import Call, Refusal

TAU_BENCH = folder("data/calls") / "tau-bench" / "gpt-4o-airline-first-20.json"
TAU2 = Path(__file__).parents[1] / "data" / "ingest" / "tau2" / "text-results.json"


def read(path: Path) -> tuple[list[Call], list[Refusal]]:
    found = list(ingest.read([path]))
    return [one for one in found if isinstance(one, Call)], [one for one in found if isinstance(one, Refusal)]


def spooled(calls: list[Call], place: Path) -> Spool:
    place.mkdir()
    spool = Spool(place)
    for call in calls:
        spool.add(rows_of(call, run_id="r"))
    spool.flush()
    return spool


@pytest.mark.parametrize("number", [2**63, 10**30, -1])
def test_a_trial_of_tau_bench(tmp_path: Path, number: int) -> None:
    runs = json.loads(TAU_BENCH.read_bytes())[:3]
    runs[1]["trial"] = number
    (tmp_path / "runs.json").write_text(json.dumps(runs))
    calls, refusals = read(tmp_path / "runs.json")
    assert [call.trial for call in calls] == [runs[0]["trial"], None, runs[2]["trial"]]
    (refusal,) = [one for one in refusals if one.scope != "note"]
    assert (refusal.rule, refusal.scope) == ("out_of_range", "row")
    assert f"trial is {number}" in refusal.message
    assert spooled(calls, tmp_path / "spool").failures == []


@pytest.mark.parametrize("field", ["seed", "trial"])
def test_a_seed_or_trial_of_tau2(tmp_path: Path, field: str) -> None:
    document = json.loads(TAU2.read_bytes())
    document["simulations"][0][field] = 10**25
    (tmp_path / "results.json").write_text(json.dumps(document))
    calls, refusals = read(tmp_path / "results.json")
    assert [call.id for call in calls] == ["sim-text-1"]  # as without the number: the other one is cut off
    assert getattr(calls[0], field) is None
    assert "out_of_range" in [one.rule for one in refusals if one.scope == "row"]
    assert spooled(calls, tmp_path / "spool").failures == []


def numbers(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    here = [path] if isinstance(value, (int, float)) and not isinstance(value, bool) else []
    return here + [place for key, inner in items for place in numbers(inner, (*path, key))]


@pytest.mark.parametrize("huge", [2**63, 10**30, 10**400])
@pytest.mark.parametrize("source", [TAU_BENCH, TAU2], ids=["tau_bench", "tau2"])
def test_no_number_of_a_file_stops_an_import(tmp_path: Path, source: Path, huge: int) -> None:
    document = json.loads(source.read_bytes())
    if isinstance(document, list):
        document = document[:1]
    kinds = {tuple(part for part in place if isinstance(part, str)): place for place in numbers(document)}
    assert kinds
    for ix, place in enumerate(kinds.values()):
        changed = msgspec.json.decode(msgspec.json.encode(document))
        inner = changed
        for part in place[:-1]:
            inner = inner[part]
        inner[place[-1]] = huge
        path = tmp_path / f"{ix}.json"
        path.write_text(json.dumps(changed))
        calls, refusals = read(path)
        assert calls or refusals
        assert spooled(calls, tmp_path / f"spool-{ix}").failures == []


def test_a_number_beyond_every_float_costs_its_line(tmp_path: Path) -> None:
    """As 1e999 does. In a text the digits are letters."""
    lines = [{"id": name, "turns": [{"role": "caller", "text": "x", "start_s": 1}]} for name in "abc"]
    lines[1]["seed"] = 10**308
    lines[2]["tags"] = {"digits": "1" * 400}
    (tmp_path / "c.jsonl").write_text("\n".join(map(json.dumps, lines)))
    calls, refusals = read(tmp_path / "c.jsonl")
    assert [call.id for call in calls] == ["a", "c"]
    assert [(one.rule, one.location) for one in refusals] == [("invalid_json", "line 2")]
