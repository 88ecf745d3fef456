"""A label that no verdict can rest on is kept, and told with its status, its reason and its next step."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import soundfile

from workbench.timing.channels_hint import map_step
from workbench.timing.next_steps import meaning, next_step

CLIP = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio/vapi-default-01-hard-interruption.example.wav"
Run = Callable[..., tuple[int, str, str]]
REASONS = {
    "mono": "mono",
    "identical": "identical_channels",
    "silent": "silent_agent",
    "offset": "dc_offset",
    "unknown": "channel_map_unknown",
    "late": "agent_silent_at_onset",
}


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from workbench.cli import main

    place = tmp_path_factory.mktemp("labels")
    samples, rate = soundfile.read(CLIP, dtype="int16")
    silent, offset = samples.copy(), samples.copy()
    silent[:, 1] = 0
    offset[:, 1] += 6000
    sounds = {"mono": samples[:, 0], "identical": samples[:, [0, 0]], "silent": silent, "offset": offset}
    for name, sound in (sounds | {"unknown": samples[:-1], "late": samples}).items():
        soundfile.write(place / f"{name}.wav", sound, rate, subtype="PCM_16")
        roles = () if name in ("mono", "unknown") else ("--channels", "caller,agent")
        with pytest.raises(SystemExit) as ended:
            main(["import", str(place / f"{name}.wav"), *roles, "--measure", "-q", "--archive", str(place / "archive")])
        assert not ended.value.code
    return place / "archive"


@pytest.mark.parametrize(("call", "reason"), REASONS.items())
def test_a_label_says_why_nothing_is_judged_and_what_to_do(at: Run, archive: Path, call: str, reason: str) -> None:
    own = map_step(2) if reason == "channel_map_unknown" else None  # of two channels, as `measure` says it
    said = ("label", call, "--at", "5" if call == "late" else "2", "--expect", "yield", "--archive", archive)
    code, out, err = at(*said)
    assert (code, err) == (0, "")
    assert "NOT_SCORABLE" in out
    assert f"not judged, {reason} (1): {meaning(reason, own)}\n" in out
    (event,) = json.loads(at(*said, "--json")[1])["events"]
    assert (event["status"], event["reason"], event["next_step"]) == ("NOT_SCORABLE", reason, next_step(reason, own))
    assert event["next_step"]
    assert event["onset_s"] == pytest.approx(5 if call == "late" else 2, abs=0.01)
    (row,) = [line.split() for line in out.splitlines() if line.startswith("NOT_SCORABLE")]
    assert row[2:4] == ["5" if call == "late" else "2", "yield"]
    kept = at("sql", f"select expect from labels where call_id = '{call}'", "--format", "json", "--archive", archive)[1]
    assert json.loads(kept) == [{"expect": "yield"}]


def test_labels_of_a_file_say_so_too(at: Run, archive: Path, tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("call_id,onset_s,expect\nmono,3.0,hold\nlate,5.5,hold\n")
    code, out, _ = at("label", "--file", path, "--archive", archive)
    assert code == 0
    for reason in ("mono", "agent_silent_at_onset"):
        assert f"not judged, {reason} (" in out
    told = json.loads(at("label", "--file", path, "--archive", archive, "--json")[1])
    assert {row["reason"]: row["next_step"] for row in told["not_judged"]} == {
        reason: next_step(reason) for reason in ("mono", "agent_silent_at_onset")
    }


def test_a_label_that_is_judged_says_nothing_of_it(at: Run, archive: Path) -> None:
    code, out, _ = at("label", "late", "--at", "2", "--expect", "yield", "--archive", archive)
    assert (code, "PASS" in out, "not judged" in out) == (0, True, False)


def test_score_asks_for_verdicts(at: Run, archive: Path, tmp_path: Path) -> None:
    where = ("--archive", tmp_path / "one")
    assert at("import", archive.parent / "mono.wav", "--measure", *where)[0] == 0
    assert at("label", "mono", "--at", "2", "--expect", "yield", *where)[0] == 0
    code, out, _ = at("score", *where)
    assert (code, f"not judged, mono (1): {meaning('mono')}" in out) == (2, True)


def test_a_label_keeps_its_time_in_what_score_prints(at: Run, archive: Path) -> None:
    assert at("label", "mono", "--at", "1.5", "--expect", "yield", "-q", "--archive", archive)[0] == 0
    lines = at("score", "--archive", archive)[1].splitlines()
    (row,) = [line.split() for line in lines if line.split()[1:3] == ["mono", "1.5"]]
    assert row == ["NOT_SCORABLE", "mono", "1.5", "yield", "mono"]
    events = json.loads(at("score", "--archive", archive, "--json")[1])["events"]
    assert {event["onset_s"] for event in events if event["call_id"] == "mono"} >= {1.5}


def test_a_failure_that_no_bound_decides_has_no_margin(at: Run, tmp_path: Path) -> None:
    """In the bundled quiet interruption the agent speaks on, and the talk-over lies far inside its bound: not safe."""
    where = ("--archive", tmp_path / "archive")
    clip = CLIP.parent / "vapi-default-10-quiet-interrupt.example.wav"
    assert at("import", clip, "--id-prefix", "q-", "--channels", "caller,agent", "--measure", "-q", *where)[0] == 0
    (call,) = json.loads(at("sql", "select call_id from calls", "--format", "json", *where)[1])
    said = ("label", call["call_id"], "--at", "2", "--expect", "yield", "--max-talk-over-s", "2", *where)
    code, out, _ = at(*said)
    (row,) = [line for line in out.splitlines() if line.startswith("FAIL")]
    assert (code, row.split()[-1]) == (0, "did_not_yield")
    head = out.splitlines()[1]
    assert row[head.index("margin s") : head.index("reason")].strip() == ""
    (event,) = json.loads(at(*said, "--json")[1])["events"]
    assert (event["reason"], event["decision_margin_s"], event["boundary_sensitive"]) == ("did_not_yield", None, None)
    (kept,) = json.loads(at("sql", "select decision_margin_s from timing_events", "--format", "json", *where)[1])
    assert kept == {"decision_margin_s": None}
    (stored,) = json.loads(at("sql", "select decision_margin_s from scored_events", "--format", "json", *where)[1])
    assert stored["decision_margin_s"] > 0


@pytest.mark.parametrize("expect", ["hold", "yield"])
def test_a_verdict_that_no_bound_decides_is_next_to_none(at: Run, tmp_path: Path, expect: str) -> None:
    """The agent of the bundled quiet interruption speaks on: a hold passes and a yield fails, whatever the bound."""
    where = ("--archive", tmp_path / "archive")
    clip = CLIP.parent / "vapi-default-10-quiet-interrupt.example.wav"
    assert at("import", clip, "--id-prefix", "q-", "--channels", "caller,agent", "--measure", "-q", *where)[0] == 0
    (call,) = json.loads(at("sql", "select call_id from calls", "--format", "json", *where)[1])
    said = (call["call_id"], "--at", "2", "--expect", expect)
    (event,) = json.loads(at("label", *said, "--json", *where)[1])["events"]
    bound = ("--max-talk-over-s", str(event["talk_over_s"]))
    assert at("label", call["call_id"], "--undo", event["label_id"], *where)[0] == 0
    code, out, err = at("pin", *said, *bound, "-o", tmp_path / "contracts", *where)
    assert (code, "within one hop" in out) == (0, False), err
    query = "select status, boundary_sensitive from scored_events"
    assert json.loads(at("sql", query, "--format", "json", *where)[1]) == [
        {"status": "PASS" if expect == "hold" else "FAIL", "boundary_sensitive": True}
    ]
    out = at("score", *where)[1]
    assert "next to a bound" not in out
    (row,) = [line for line in out.splitlines() if line.startswith(("PASS", "FAIL"))]
    head = next(line for line in out.splitlines() if line.startswith("status"))
    assert row[head.index("margin s") : head.index("reason")].strip() == ""
