"""One side of a call in two files: the commands that take one file of two channels refuse it in the same words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import soundfile

from workbench.timing.file_steps import file_step

CLIP = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio/vapi-default-01-hard-interruption.example.wav"
Run = Callable[..., tuple[int, str, str]]
SAID = "the two sides of the call lie in two files (pair_of_files)"
STEP = "scan their folder, which reads both, or write them as the two channels of one file"
MOMENT = ("--onset", "2", "--expect", "yield")
MORE = {
    "autopsy": (),
    "pin": ("--at", "2", "--expect", "yield"),
    "robustness": (*MOMENT, "--only", "gain"),
    "compare": (CLIP, *MOMENT),
}


@pytest.fixture(scope="module")
def caller(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The caller's file; the agent's lies beside it."""
    place = tmp_path_factory.mktemp("pair")
    samples, rate = soundfile.read(CLIP, dtype="int16")
    for ix, role in enumerate(("caller", "agent")):
        soundfile.write(place / f"c1.{role}.wav", samples[:, ix], rate, subtype="PCM_16")
    return place / "c1.caller.wav"


@pytest.mark.parametrize("side", ["caller", "agent"])
@pytest.mark.parametrize("channels", [None, "as its name", "the other"])
@pytest.mark.parametrize("command", MORE)
def test_refused_in_the_same_words(at: Run, caller: Path, command: str, channels: str | None, side: str) -> None:
    file = caller.with_name(f"c1.{side}.wav")
    other = "agent" if side == "caller" else "caller"
    named = {None: (), "as its name": ("--channels", side), "the other": ("--channels", other)}[channels]
    code, out, err = at(command, file, *MORE[command], *named)
    told = " ".join(err.split())
    assert (code, out) == (2, "")
    assert SAID in told
    assert f"Hint: {STEP}" in told
    assert file_step("pair_of_files", count=1) == STEP


@pytest.mark.parametrize("command", ["trust", *MORE])
def test_two_roles_for_one_side(at: Run, caller: Path, command: str) -> None:
    code, _, err = at(command, caller, *MORE.get(command, ()), "--channels", "caller,agent")
    told = " ".join(err.split())
    assert code == 2
    assert (
        "the file has 1 channel, --channels names 2; the other side of the call lies beside it in c1.agent.wav" in told
    )
    assert "leave --channels out: workbench trust FILE then reads both" in told


def test_trust_reads_both_where_channels_says_what_the_name_says(at: Run, caller: Path) -> None:
    plain, named = at("trust", caller), at("trust", caller, "--channels", "caller")
    assert plain == named
    assert plain[0] == 0
    assert "2 mono files" in plain[1]


def test_a_side_that_is_said_to_be_mixed_is_a_mono_file(at: Run, caller: Path) -> None:
    code, out, _ = at("autopsy", caller, "--channels", "mixed")
    assert (code, "only silences can be told" in out) == (0, True)
