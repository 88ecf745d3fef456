"""An incident of one file becomes a contract without an archive: the bytes are checked, a person judges."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from workbench.analysis.incident_pinned import target_of

CLIPS = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio"
CLIP = CLIPS / "vapi-default-07-correction.example.wav"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(tmp_path: Path) -> Path:
    """The agent talks on for 1.01 s after the caller corrects it at 2.0 s."""
    return Path(shutil.copy(CLIP, tmp_path / "my call.wav"))


def test_the_line_under_an_incident_pins_it(call: Path, at: Run, tmp_path: Path) -> None:
    told = at("autopsy", call, "--channels", "caller,agent")[1]
    assert "ROLE" not in told
    line = re.search(r"to pin it: workbench (pin .*)  # or hold", told)
    assert line is not None
    code, out, _ = at(*shlex.split(line[1]), "-o", tmp_path / "c", "--json")
    found = json.loads(out)
    digest = hashlib.sha256(CLIP.read_bytes()).hexdigest()
    assert (code, found["incident"]) == (0, f"apx-{digest[:12]}#1")
    assert found["contract"]["digests"]["source_sha256"] == [digest]
    measured = found["contract"]["measurement"]
    assert (measured["status"], measured["time_to_yield_s"]) == ("PASS", pytest.approx(1.01, abs=0.011))
    assert found["contract"]["label"]["authority"] == "human"
    code, out, _ = at("prove", tmp_path / "c")
    assert (code, "1 PASS, 0 FAIL, 0 TAMPERED, 0 REFUSED" in out) == (0, True)


def test_an_assumed_map_is_no_part_of_the_line(call: Path, at: Run, tmp_path: Path) -> None:
    """Whoever copies the line says no more than is known: it asks for the roles, and is refused until they are said."""
    told = at("autopsy", call)[1]
    (line,) = re.findall(r"to pin it: workbench (pin .*)  # or hold", told)
    assert "--channels ROLE,ROLE " in line
    assert "caller,agent" not in told
    assert told.count("nobody has said which channel is whose. Listen, and run autopsy with --channels first") == 1
    code, out, err = at(*shlex.split(line), "-o", tmp_path / "c")
    assert (code, out, "'role' is none of" in err) == (2, "", True)


def test_the_worst_is_taken_where_no_number_is_given(call: Path, at: Run, tmp_path: Path) -> None:
    said = ("--channels", "caller,agent", "-o", tmp_path / "c", "--json")
    code, out, _ = at("pin", call, "--expect", "hold", *said)
    assert (code, json.loads(out)["incident"][-2:]) == (0, "#1")
    assert json.loads(out)["contract"]["measurement"]["reason"] == "false_yield"
    code, out, _ = at("pin", call, "--at", "2", "--expect", "yield", "--max-time-to-yield-s", "0.5", *said)
    assert (code, json.loads(out)["incident"]) == (0, None)
    assert json.loads(out)["contract"]["measurement"]["reason"] == "slow_to_yield"


def test_an_address_is_held_against_the_bytes(call: Path, at: Run, tmp_path: Path) -> None:
    address = f"apx-{hashlib.sha256(CLIP.read_bytes()).hexdigest()[:12]}#1"
    said = ("--channels", "caller,agent", "--expect", "yield", "-o", tmp_path / "c")
    assert at("pin", address, "--file", call, *said)[0] == 0
    other = CLIPS / "vapi-default-05-hold-on.example.wav"
    code, _, err = at("pin", address, "--file", other, *said)
    assert (code, "it has other bytes" in err) == (2, True)
    code, _, err = at("pin", address, *said)
    assert (code, "--file FILE" in err) == (2, True)


@pytest.mark.parametrize(
    ("moment", "given", "why"),
    [
        ("#1", ("--expect", "yield"), "nobody has said which channel is whose"),
        ("#1", ("--channels", "caller,agent"), "say what the agent should have done"),
        ("#1", ("--channels", "caller,agent", "--expect", "yield", "--at", "2"), "say what the agent should have done"),
        ("#2", ("--channels", "caller,agent", "--expect", "yield"), "latency-spike"),
        ("#9", ("--channels", "caller,agent", "--expect", "yield"), "no incident 9"),
        ("", ("--channels", "caller,agent", "--expect", "yield", "--at", "nan"), "--at"),
        ("", ("--channels", "caller,agent", "--expect", "yield", "--at", "70"), "outside_the_recording"),
        ("", ("--channels", "caller,agent", "--expect", "yield", "--max-talk-over-s", "-1"), "--max-talk-over-s"),
        ("", ("--channels", "caller,agent", "--expect", "yield", "--author", " "), "nobody is named"),
    ],
)
def test_what_cannot_be_pinned_leaves_nothing(
    call: Path, at: Run, tmp_path: Path, moment: str, given: tuple[str, ...], why: str
) -> None:
    code, _, err = at("pin", f"{call}{moment}", *given, "-o", tmp_path / "c")
    assert (code, why in err) == (2, True)
    assert not (tmp_path / "c").exists()


@pytest.mark.parametrize("number", ["-1", "a", "", "1.0", "1#2", "12345678901234567890"])
@pytest.mark.parametrize("given", [("--channels", "caller,agent"), ()])
def test_what_is_no_number_of_an_incident_is_said_to_be_none(
    call: Path, at: Run, number: str, given: tuple[str, ...]
) -> None:
    code, _, err = at("pin", f"{call}#{number}", "--expect", "yield", *given)
    assert (code, f"{number!r} is no number of an incident" in err) == (2, True)


@pytest.mark.parametrize("name", ["é" * 200, "é" * 200 + "#1", "é" * 200 + "#x", "a" * 5000, "a/" * 3000])
def test_what_is_too_long_for_the_name_of_a_file_is_the_id_of_a_call(name: str) -> None:
    """A name has at most 255 bytes on every usual file system, a path 4096."""
    assert target_of(name, file=None) is None


def test_a_file_without_a_critical_incident_has_no_worst(at: Run, tmp_path: Path) -> None:
    calm = CLIPS / "vapi-default-01-hard-interruption.example.wav"
    code, _, err = at("pin", calm, "--channels", "caller,agent", "--expect", "yield", "-o", tmp_path / "c")
    assert (code, "no critical barge-in or talk-over" in err) == (2, True)


def test_autopsy_without_a_file_is_of_a_bundled_call(at: Run, tmp_path: Path) -> None:
    code, out, _ = at("autopsy")
    assert (code, "bundled call" in out, "barge-in" in out) == (0, True, True)
    assert json.loads(at("autopsy", "--json")[1])["kind"] == "autopsy"
    assert at("autopsy", "-q")[:2] == (0, "")
    assert at("autopsy", "-q", "-o", tmp_path / "a.html")[0] == 0
    assert "vapi-default-07" in (tmp_path / "a.html").read_text()
    assert CLIP.exists()


BANK = Path(__file__).parents[2] / "data/calls/harper-valley-bank/audio"
AMI = Path(__file__).parents[2] / "data/calls/ami-floor-exchange/audio"


@pytest.mark.parametrize("file", [BANK / "ff0296d00e5e4184.flac", AMI / "ami-en2002b-take-0149.example.wav"])
def test_every_line_that_says_how_to_pin_pins_and_every_other_says_why_not(file: Path, at: Run, tmp_path: Path) -> None:
    """In both the talk-overs and barge-ins are some that `pin` takes and some that it refuses."""
    told = at("autopsy", file)[1]
    blocks = re.findall(r"^#(\d+) .*(?:barge-in|talk-over) .*\n.*\n    (.*)", told, re.MULTILINE)
    able = 0
    for number, line in blocks:
        named = re.fullmatch(r"to pin it: workbench pin .* --expect yield(  # or hold)?", line)
        able += named is not None
        assert named is not None or line.startswith("cannot be pinned: "), line
        for expect in ("yield", "hold") if named is None or named[1] else ("yield",):
            given = ("--channels", "caller,agent", "--expect", expect, "-o", tmp_path / f"{number}-{expect}")
            code, _, err = at("pin", f"{file}#{number}", *given)
            assert code == (2 if named is None else 0), (number, expect, line, err)
    assert 0 < able < len(blocks)


def test_more_context_is_advised_only_where_it_helps(at: Run, tmp_path: Path) -> None:
    """Of the bank call the agent is heard at 44.12 s, and not in a clip with a threshold of its own."""
    given = ("--channels", "caller,agent", "--expect", "yield", "-o", tmp_path / "c")
    code, _, err = at("pin", f"{BANK / 'ff0296d00e5e4184.flac'}#3", *given)
    hint = " ".join(err.partition("Hint: ")[2].split())
    assert (code, "agent_silent_at_onset" in err, "give it more context" in hint) == (2, True, False)
    assert "choose another moment, or take the whole call as context" in hint
    code, _, err = at("pin", CLIP, "--at", "2", *given, "--post-s", "0.5")
    hint = err.partition("Hint: ")[2]
    assert (code, "recording_ended" in err, "longer --post-s" in hint) == (2, True, True)
