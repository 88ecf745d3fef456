"""`compare` of two sound files: what is asked for, what is said, and what is never guessed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import soundfile

CLIPS = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio"
SLOW, PROMPT = (CLIPS / f"vapi-default-{name}.example.wav" for name in ("07-correction", "01-hard-interruption"))
Run = Callable[..., tuple[int, str, str]]
YIELD = ("--expect", "yield", "--channels", "caller,agent")


def test_two_files_side_by_side(run: Run) -> None:
    """The bundled correction yields after 1.01 s, the hard interruption after 0.20 s."""
    given = (*YIELD, "--onset", "2", "--max-time-to-yield-s", "1")
    code, out, _ = run("compare", SLOW, PROMPT, *given, "--json")
    told = json.loads(out)
    assert (code, told["result"], told["changes"]["time_to_yield_s"]) == (0, "fixed", -0.81)
    assert (told["freshness"]["state"], told["evidence_level"]) == ("different", "fresh take")
    code, out, _ = run("compare", PROMPT, SLOW, *given, "--strict")
    assert (code, out.splitlines()[0], "+0.81" in out) == (1, "regressed: PASS -> FAIL", True)
    code, out, _ = run("compare", SLOW, SLOW, *given)
    assert (code, "the same samples" in out, "says nothing of today's agent" in out) == (0, True, True)


def test_mono_where_two_channels_are_needed(run: Run, tmp_path: Path) -> None:
    samples, rate = soundfile.read(PROMPT, dtype="int16")
    soundfile.write(tmp_path / "mono.wav", samples[:, 0], rate, subtype="PCM_16")
    given = ("--onset", "2", "--expect", "yield")
    code, out, _ = run("compare", tmp_path / "mono.wav", PROMPT, *given, "--channels", "mixed")
    assert (code, out) == (2, "")


def test_of_files_nothing_is_guessed(run: Run, tmp_path: Path) -> None:
    """An agent that rightly talked on through a mhm and now stops for it is no better for it."""
    names = ("03-backchannel-mhm", "04-backchannel-halt")
    files = [CLIPS / f"vapi-default-{name}.example.wav" for name in names]
    code, out, error = run("compare", *files, "--channels", "caller,agent", "--strict")
    assert (code, out, "say what the agent should have done" in error) == (2, "", True)
    assert "--expect yield" in error
    assert "--expect hold" in error
    assert "--by COLUMN" in error
    code, out, error = run("compare", *files, "--expect", "hold")
    assert (code, out, "nobody has said which channel is whose (channel_map_unknown)" in error) == (2, "", True)
    assert "--channels caller,agent" in error
    code, out, _ = run("compare", *files, "--expect", "hold", "--channels", "caller,agent", "--strict")
    assert (code, out.splitlines()[0]) == (1, "regressed: PASS -> FAIL")
    copies = [Path(shutil.copy(file, tmp_path / file.name)) for file in files]
    for copy in copies:
        copy.with_suffix(".json").write_text(json.dumps({"channels": ["caller", "agent"]}))
    assert run("compare", *copies, "--expect", "hold", "--strict")[:2] == (1, out)


def test_without_an_onset_the_barge_in_that_autopsy_lists_first_is_taken(run: Run) -> None:
    """In the bundled correction the caller is heard at 1.55 s too, where the agent is silent; it barges in at 2.0 s."""
    code, out, _ = run("compare", SLOW, PROMPT, *YIELD)
    assert code == 0
    assert "at 2 s in the file before and" in out
    told = run("compare", SLOW, PROMPT, *YIELD, "--json")[1]
    assert [event["onset_source"] for event in _sides(told)] == ["detected"] * 2


def _sides(text: str) -> list[dict[str, Any]]:
    told = json.loads(text)
    return [told["before"], told["after"]]


def test_a_reason_is_a_line_only_where_there_is_one(run: Run) -> None:
    given = (*YIELD, "--onset", "2", "--max-time-to-yield-s")
    judged = run("compare", PROMPT, PROMPT, *given, "3")[1]
    assert not [line for line in judged.splitlines() if line.strip() == "reason"]
    failed = run("compare", SLOW, PROMPT, *given, "1")[1]
    assert [line for line in failed.splitlines() if line.startswith("reason  ")]


def _silent_caller(path: Path, place: Path) -> Path:
    samples, rate = soundfile.read(path, dtype="int16")
    samples[:, 0] = 0
    soundfile.write(place, samples, rate, subtype="PCM_16")
    return place


def _one_channel(path: Path, place: Path) -> Path:
    samples, rate = soundfile.read(path, dtype="int16")
    soundfile.write(place, samples.max(axis=1), rate, subtype="PCM_16")
    return place


@pytest.mark.parametrize(
    ("made", "channels", "reason"),
    [
        (_one_channel, None, "mono"),
        (_one_channel, "agent", "no_caller_channel"),
        (_silent_caller, "caller,agent", "silent_caller"),
    ],
)
def test_without_an_onset_and_without_a_caller_there_is_no_verdict(
    run: Run, tmp_path: Path, made: Callable[[Path, Path], Path], channels: str | None, reason: str
) -> None:
    """Nobody is heard for a caller, so no moment is taken, and the error says why in the words of the reason."""
    files = [made(clip, tmp_path / f"{name}.wav") for clip, name in ((SLOW, "slow"), (PROMPT, "prompt"))]
    given = () if channels is None else ("--channels", channels)
    code, out, error = run("compare", *files, "--expect", "yield", *given)
    assert (code, out) == (2, "")
    assert f"the recording before gives no verdict: NOT_SCORABLE, {reason}\n" in error
    assert "Hint: " in error
