"""No gate is passed and no mean falls because a moment left: what is gone is named, and the exit code is 2."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from made_stops import sound

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Version 1 stops at y1, later at y2, and holds at h1; version 2 stops sooner, and at h1 too."""
    from workbench.archive.archive import Archive
    from workbench.schema.call import Audio, Call, Label, Scenario

    stops = {"1-y1": 2.5, "1-y2": 3.5, "1-h1": 5.0, "2-y1": 2.4, "2-y2": 2.4, "2-h1": 2.3}
    calls = []
    for ix, (name, stop) in enumerate(stops.items()):
        path = sound(tmp_path / f"{name}.wav", stops=stop, seed=ix)
        expect = "hold" if name[2] == "h" else "yield"
        source: dict[str, Any] = {"source_format": "made", "source_uri": f"{name}.json", "origin": "synthetic"}
        calls.append(
            Call(
                id=name,
                source_sha256=f"{ix:064x}",
                agent_version=name[0],
                scenario=Scenario(scenario_id=name[2:], required_facts=[], forbidden_facts=[]),
                audio=[Audio(path=str(path), channels=["caller", "agent"], channel_map_source="declared")],
                labels=[Label(kind="expectation", onset_s=2.0, expect=expect, value={})],
                **source,
            )
        )
    with Archive.create(tmp_path / "archive") as made:
        made.add(calls)
        made.measure(workers=1)
    return tmp_path / "archive"


def test_no_gate_is_passed_by_the_loss_of_a_moment(run: Run, archive: Path, tmp_path: Path) -> None:
    """Version 2 yields where it should hold: h1 regressed, until its call is gone."""
    policy = tmp_path / "change.json"
    policy.write_text('{"target": {"improve": {"false_yield_count": "no_worse"}}}')
    given = ("compare", "1", "2", "--by", "agent_version", "--archive", archive)
    gates = (("--policy", policy), ("--strict",))
    assert [run(*given, *gate)[0] for gate in gates] == [1, 1]
    assert run("delete", "2-h1", "--yes", "-q", "--archive", archive)[0] == 0
    why = "1 moment with a verdict before has no partner after: h1 hold 1"
    for gate in gates:
        code, out, _ = run(*given, *gate)
        assert (code, f"withheld, exit 2: a gate says nothing here, {why}" in out, "holds:" in out) == (2, True, False)
    told = json.loads(run(*given, *gates[0], "--json")[1])
    assert (told["missing"], told["gate_withheld"], told["policy"][0]["holds"]) == (["h1 hold 1"], why, None)
    code, out, _ = run(*given)
    assert (code, "judged before, without a partner after: h1 hold 1" in out) == (0, True)


def test_a_check_is_not_within_because_a_moment_left(run: Run, archive: Path, tmp_path: Path) -> None:
    """The slowest moment of version 1 goes, then the label of another is taken back: no mean may fall."""
    where = ("--archive", archive)
    assert run("baseline", "set", "left", "--agent-version", "1", "-q", *where)[0] == 0
    tolerances = tmp_path / "t.json"
    tolerances.write_text('{"talk_over_s": "+0%"}')
    check = ("baseline", "check", "left", "--tolerances", tolerances, "--agent-version", "1", *where)
    code, out, _ = run(*check)
    assert (code, "within" in out) == (0, True)
    assert run("delete", "1-y2", "--yes", "-q", *where)[0] == 0
    code, out, _ = run(*check)
    assert (code, "within" in out, "DRIFT" in out) == (2, False, False)
    assert "2 of the baseline's 3 recordings in the archive yet" in out
    assert (
        "withheld, exit 2: 1 of the baseline's 3 moments, in 1 recording, gone or no longer judged: recording " in out
    )
    ((label,),) = _rows(run, archive, "select label_id from labels where call_id = '1-y1'")
    assert run("label", "1-y1", "--undo", label, "-q", *where)[0] == 0
    code, out, _ = run(*check, "--json")
    told = json.loads(out)
    assert (code, told["drifted"], told["baseline_moments"]) == (2, None, {"kept": 3, "lost": 2})
    assert (told["baseline_recordings"], len(told["lost"])) == ({"kept": 3, "in_archive": 2}, 2)
    assert "1-y1 (no such moment of it is labelled among those checked)" in told["lost"]


def _rows(run: Run, archive: Path, query: str) -> list[tuple[Any, ...]]:
    found = json.loads(run("sql", query, "--format", "json", "--archive", archive)[1])
    return [tuple(row.values()) for row in found]
