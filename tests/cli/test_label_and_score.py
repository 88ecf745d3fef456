"""`label` and `score` as commands: exit codes, JSON, and one clear error."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile
from click.testing import CliRunner

from workbench.cli import label

CLIP = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio/vapi-default-01-hard-interruption.example.wav"
KEPT = "select scored_events.status, reason, kind from scored_events join runs using (run_id)"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def archive(run: Run, tmp_path: Path) -> Path:
    folder = tmp_path / "calls"
    folder.mkdir()
    shutil.copy(CLIP, folder / "call.wav")
    place = tmp_path / "archive"
    assert run("import", folder, "--channels", "caller,agent", "--measure", "--archive", place)[0] == 0
    return place


def test_a_moment_is_labelled_scored_and_taken_back(run: Run, archive: Path) -> None:
    """The bundled hard interruption: the agent yields 0.20 s after the caller's onset at 2.0 s."""
    where = ("--archive", archive)
    assert run("score", *where)[:2] == (2, "")
    (call,) = json.loads(run("sql", "select call_id from calls", "--format", "json", *where)[1])
    call_id = call["call_id"]
    said = ("--at", "2.0", "--expect", "yield", "--author", "A", *where)
    code, out, _ = run("label", call_id, *said, "--json")
    label = json.loads(out)
    assert (code, label["author"]) == (0, "A")
    assert [(e["status"], e["time_to_yield_s"]) for e in label["events"]] == [("PASS", 0.2)]
    code, out, _ = run("score", "--max-time-to-yield-s", "0.1", *where)
    assert code == 0
    assert "slow_to_yield" in out
    assert run("score", "--max-time-to-yield-s", "0.1", "--strict", *where)[0] == 1
    assert run("label", call_id, "--undo", label["label_id"], *where)[0] == 0
    code, _, error = run("score", *where)
    assert (code, "no moment is labelled" in error) == (2, True)


@pytest.mark.parametrize(
    "given",
    [
        (),
        ("--at", "2.0"),
        ("--expect", "yield"),
        ("--at", "2", "--expect", "yield", "--channels", "caller,agent"),
        ("--at", "2000", "--expect", "yield"),
        ("--channels", "agent,caller"),
        ("--undo", "nothing"),
    ],
)
def test_a_label_that_says_nothing_clear_is_refused(run: Run, archive: Path, given: tuple[str, ...]) -> None:
    code, out, error = run("label", "call", *given, "--archive", archive)
    assert (code, out) == (2, "")
    assert error.count("Hint:") == 1


def test_where_nothing_can_be_scored_the_exit_code_says_so(run: Run, archive: Path) -> None:
    call = json.loads(run("sql", "select call_id from calls", "--format", "json", "--archive", archive)[1])[0]
    run("label", call["call_id"], "--at", "5.0", "--expect", "yield", "--archive", archive)
    code, out, _ = run("score", "--archive", archive)
    assert (code, "agent_silent_at_onset" in out) == (2, True)
    rows = json.loads(run("sql", KEPT, "--format", "json", "--archive", archive)[1])
    assert rows == [{"status": "NOT_SCORABLE", "reason": "agent_silent_at_onset", "kind": "score"}]


@pytest.mark.parametrize("channels", ["unknown,unknown", "mixed"])
def test_a_file_whose_parties_are_not_told_apart_is_scored_as_what_it_lacks(
    run: Run, tmp_path: Path, channels: str
) -> None:
    """What a plain import of a folder gives: the reason is the recording's, and importing anew settles roles."""
    where = ("--archive", tmp_path / "archive")
    samples, rate = soundfile.read(CLIP, dtype="int16")
    mono = channels == "mixed"
    soundfile.write(tmp_path / "call.wav", samples[:, 0] if mono else samples, rate, subtype="PCM_16")
    assert run("import", tmp_path / "call.wav", "--measure", *where)[0] == 0
    assert run("label", "call", "--at", "2.0", "--expect", "yield", *where)[0] == 0
    code, out, _ = run("score", *where)
    assert (code, "no_audio" in out, "NOT_SCORABLE" in out) == (2, False, True)
    assert ("mono" if mono else "channel_map_unknown") in out
    if not mono:
        _, _, err = run("label", "call", "--channels", "caller,agent", *where)
        assert "workbench import FILE --replace --channels caller,agent" in err
        assert run("import", tmp_path / "call.wav", "--replace", "--channels", "caller,agent", *where)[0] == 0
        assert run("measure", *where)[0] == 0
        code, out, _ = run("score", *where)
        assert (code, "PASS" in out) == (0, True)


def test_the_last_label_that_is_taken_back_leaves_a_sentence(run: Run, archive: Path) -> None:
    code, out, _ = run("label", "call", "--at", "2.0", "--expect", "yield", "--archive", archive)
    code, out, _ = run("label", "call", "--undo", out.split()[1], "--archive", archive)
    assert (code, out.splitlines()[1:]) == (0, ["no labelled moment of this call is left"])


BEFORE = "had settled the suspected swap: verdicts rested on it before"
SETTLED = "the suspected swap of 1 recording is settled: verdicts may rest on it"


@pytest.mark.parametrize(
    ("swapped", "source", "told", "count"),
    [
        (False, "--channels", "no suspected swap of this call was open", 0),
        (True, "--channels", f"--channels at the import {BEFORE}", 0),
        (True, "declared", f"the document of the call {BEFORE}", 0),
        (True, "unknown", SETTLED, 1),
    ],
)
def test_a_confirmed_channel_map_says_what_it_settles(
    run: Run, tmp_path: Path, swapped: bool, source: str, told: str, count: int
) -> None:
    """The agent of the clip speaks for most of it; on the caller's channel that much speech is a suspected swap."""
    where = ("--archive", tmp_path / "archive")
    samples, rate = soundfile.read(CLIP, dtype="int16")
    longer = np.tile(samples[:, ::-1] if swapped else samples, (4, 1))
    (tmp_path / "calls").mkdir()
    file, stated = tmp_path / "calls" / "call.wav", ()
    soundfile.write(file, longer, rate, subtype="PCM_16")
    if source == "--channels":
        stated = ("--channels", "caller,agent")
    else:
        audio = {"path": str(file), "channels": ["caller", "agent"], "channel_map_source": source}
        document = {"format": "workbench.call/1", "id": "call", "audio": [audio]}
        file = tmp_path / "call.json"
        file.write_text(json.dumps(document))
    assert run("import", file, *stated, "--measure", *where)[0] == 0
    assert run("label", "call", "--at", "2", "--expect", "yield", *where)[0] == 0
    withheld = "possible_swap" in run("score", "--json", *where)[1]
    assert withheld is bool(count)
    said = ("label", "call", "--channels", "caller,agent", "--author", "A", *where)
    code, out, _ = run(*said)
    assert (code, out.splitlines()[1]) == (0, f"channel map caller,agent confirmed; {told}")
    assert run("label", "call", "--undo", out.split()[1], *where)[0] == 0
    assert json.loads(run(*said, "--json")[1])["swaps_settled"] == count
    assert "possible_swap" not in run("score", "--json", *where)[1]


def test_a_moment_without_a_verdict_is_not_next_to_a_bound(run: Run, tmp_path: Path) -> None:
    """The bundled correction fails its bound by 0.01 s, a hop; where the noise withholds it no hop turns anything."""
    where = ("--archive", tmp_path / "archive")
    assert run("import", CLIP.parents[1], "--measure", "-q", *where)[0] == 0
    assert "; 1 next to a bound" in run("score", *where)[1]
    code, out, _ = run("score", "--snr-gate-db", "200", *where)
    assert (code, "9 NOT_SCORABLE" in out, "next to a bound" in out) == (2, True, False)


def test_labels_of_one_moment_are_told_of(run: Run, archive: Path) -> None:
    where = ("--archive", archive)

    def label(at: str, expect: str, author: str) -> tuple[str, str]:
        code, out, err = run("label", "call", "--at", at, "--expect", expect, "--author", author, *where)
        assert code == 0, err
        return out.split()[1], out

    first, out = label("2.0", "yield", "A")
    assert "note:" not in out
    assert "note:" not in run("score", *where)[1]
    _, out = label("2.1", "yield", "B")
    assert f"note: label {first} stands at this moment too and says the same; the moment is counted once" in out
    code, out, _ = run("score", *where)
    assert (code, "note: 1 moment carries 2 labels; a moment is counted once" in out) == (0, True)
    assert f"call at 2 s: {first} (yield), " in out
    assert "1 labelled moment with 2 labels: 1 " in out
    other, out = label("2.05", "hold", "C")
    assert "says otherwise, so nothing is judged here" in out
    code, out, _ = run("score", "--json", *where)
    told = json.loads(out)
    assert (code, {event["reason"] for event in told["events"]}) == (2, {"labels_disagree"})
    assert [moment["expects"] for moment in told["shared_moments"]] == [["yield", "hold", "yield"]]
    code, _, err = run("pin", "call", "--label", first, "-o", archive.parent / "pins", *where)
    assert (code, "INCONCLUSIVE, labels_disagree" in err, "take the others back" in err) == (2, True, True)
    assert run("label", "call", "--undo", other, *where)[0] == 0
    assert run("score", *where)[0] == 0


def test_a_file_of_labels_is_added_and_scored_at_once(run: Run, archive: Path, tmp_path: Path) -> None:
    where, path = ("--archive", archive), tmp_path / "labels.csv"
    path.write_text("call_id,onset_s,expect\ncall,2.0,yield\ncall,2.1,hold\n", encoding="utf-8")
    code, out, err = run("label", "--file", path, "--author", "A", *where)
    assert code == 0, err
    assert "2 labels added" in out
    assert "1 INCONCLUSIVE" in out
    code, out, _ = run("label", "--file", path, "--author", "A", "--json", *where)
    assert (code, json.loads(out)["added_count"], len(json.loads(out)["labels"])) == (0, 0, 2)
    path.write_text("call_id,onset_s,expect\ncall,99,yield\n", encoding="utf-8")
    code, out, err = run("label", "--file", path, *where)
    assert (code, out) == (2, "")
    assert "line 2: the moment 99 s lies outside the call" in err
    for given in (("--file", path, "--at", "1"), ("call", "--file", path), (), ("call", "--note", "x", "--undo", "y")):
        assert run("label", *given, *where)[0] == 2


def test_labels_are_piped_in(archive: Path) -> None:
    text = 'call_id,onset_s,expect,note\ncall,2.0,yield,"first\n#2 second"\n'
    given = ["--file", "-", "--author", "A", "--archive", str(archive), "--json"]
    done = CliRunner().invoke(label.command, given, input=text)
    assert (done.exit_code, json.loads(done.stdout)["added_count"]) == (0, 1)


def test_many_moments_are_counted_and_the_most_urgent_are_shown(
    at: Run, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eighteen moments, the limit set to five: those that failed come first, and the query for the rest is printed."""
    monkeypatch.setattr("workbench.cli.score.MOST_ROWS", 5)
    where, path = ("--archive", archive), tmp_path / "labels.csv"
    lines = [f"call,{0.02 + ix * 0.3:.2f},hold" for ix in range(18)]
    lines += ["call,2.13,hold,", "call,0.02,yield,"]
    text = ["call_id,onset_s,expect,note", *(f"{line}," for line in lines[:18]), *lines[18:]]
    path.write_text("\n".join(text), encoding="utf-8")
    assert at("label", "--file", path, *where)[0] == 0
    _, out, _ = at("score", *where)
    head, names, _, *rest = out.splitlines()
    assert head.startswith("18 labelled moments with 20 labels: ")
    assert names.split()[0] == "status"
    (more,) = [ix for ix, line in enumerate(rest) if " more: " in line]
    assert more == 5
    assert rest[0].split()[0] == "FAIL"
    assert rest[more].startswith("13 more: workbench sql")
    assert "from timing_events where config_id = " in rest[more]
    assert [event["status"] for event in json.loads(at("score", "--json", *where)[1])["events"]].count("FAIL") >= 1
