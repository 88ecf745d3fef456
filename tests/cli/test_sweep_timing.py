"""`sweep-timing` as a command: what it prints, its JSON, and one clear error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.archive.archive import Archive
from workbench.schema.call import Call, Label, Turn

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def archive(run: Run, tmp_path: Path) -> Path:
    """The labelled clips of a set of defaults of a voice agent, bundled with the workbench."""
    calls = Path(__file__).parents[2] / "data" / "calls" / "vapi-defaults"
    place = tmp_path / "archive"
    assert run("import", calls, "--measure", "--archive", place)[0] == 0
    return place


def test_a_pause_of_another_length_flips_a_hold(run: Run, archive: Path) -> None:
    code, out, _ = run("sweep-timing", "--grid", "yield_hangover_s=0.1,0.2,0.3", "--archive", archive)
    assert code == 0
    assert "9 labelled moments at 3 grid points" in out
    assert "compared with the default: yield_hangover_s 0.2" in out
    shown = [line.split()[0] for line in out.splitlines() if line[:3] in ("0.1", "0.2", "0.3")]
    assert shown == ["0.1", "0.2", "0.3"]  # the order of the grid, wherever the default lies in it
    code, text, _ = run("sweep-timing", "--grid", "yield_hangover_s=0.1,0.2,0.3", "--archive", archive, "--json")
    found = json.loads(text)
    assert (code, found["default"]) == (0, {"yield_hangover_s": 0.2})
    assert [point["yield_hangover_s"] for point in found["points"]] == [0.1, 0.2, 0.3]
    assert found["points"][1]["flip_count"] == 0
    (flip,) = found["flips"]
    assert (flip["call_id"], flip["status"], flip["status_then"]) == ("vapi-default-03-backchannel-mhm", "PASS", "FAIL")
    assert (flip["kept_at"], flip["flips_at"], flip["side"]) == ("0.2", "0.1", "below")
    before = run("score", "--archive", archive, "--json")[1]
    after = run("score", "--yield-hangover-s", "0.1", "--archive", archive, "--json")[1]
    old, new = ({e["call_id"]: e["status"] for e in json.loads(text)["events"]} for text in (before, after))
    assert [call_id for call_id in old if old[call_id] != new[call_id]] == [flip["call_id"]]


def test_measuring_and_bounds_are_swept_too(run: Run, archive: Path) -> None:
    grid = ("--grid", "abs_gate_db=-60,-10", "--grid", "max_time_to_yield_s=0.05,none")
    found = json.loads(run("sweep-timing", *grid, "--archive", archive, "--json")[1])
    assert len(found["points"]) == 4
    assert {flip["parameter"] for flip in found["flips"]} == {"abs_gate_db", "max_time_to_yield_s"}
    assert "each label's own" in run("sweep-timing", *grid, "--archive", archive)[1]


def test_what_is_refused(run: Run, archive: Path, tmp_path: Path) -> None:
    assert run("sweep-timing", "--archive", archive)[:2] == (2, "")
    code, out, error = run("sweep-timing", "--grid", "frame_ms=10", "--archive", archive)
    assert (code, out) == (2, "")
    assert "'frame_ms' is no parameter" in error
    run("init", "--archive", tmp_path / "empty")
    code, out, error = run("sweep-timing", "--grid", "rel_db=10", "--archive", tmp_path / "empty")
    assert (code, out) == (2, "")
    assert "no moment is labelled" in error


def test_where_nothing_can_be_judged_the_exit_code_says_so(run: Run, tmp_path: Path) -> None:
    label = Label(kind="expectation", onset_s=1.0, expect="yield", author="A")
    source = {"source_format": "made", "source_uri": "made", "source_sha256": "0"}
    call = Call(id="unheard", **source, turns=[Turn(role="caller", text="hello")], labels=[label])
    place = tmp_path / "archive"
    with Archive.create(place) as archive:
        archive.add([call])
    code, out, _ = run("sweep-timing", "--grid", "rel_db=10,20", "--archive", place)
    assert code == 2
    assert "1 labelled moment at 2 grid points" in out
