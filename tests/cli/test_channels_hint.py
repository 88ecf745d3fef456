"""Roles that do not fit a file: every command gives one hint, which fits the file's channels."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.timing.channels_hint import channels_hint
from workbench.timing.health import NEXT_STEPS

CLIP = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio/vapi-default-01-hard-interruption.example.wav"
Run = Callable[..., tuple[int, str, str]]
COMMANDS = ("trust", "autopsy", "pin", "compare", "robustness")
GIVEN = [
    ("three", "caller,agent", channels_hint(3)),
    ("stereo", "caller,agent,mixed", channels_hint(2)),
    ("stereo", "caller", channels_hint(2)),
    ("mono", "caller,agent", NEXT_STEPS["mono"]),
    ("mono", "caller,agent,mixed", NEXT_STEPS["mono"]),
]
"""`import` takes a mono file as mixed, with a note of its own."""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, Path]:
    samples, rate = soundfile.read(CLIP, dtype="int16")
    sounds = {"mono": samples[:, 0], "stereo": samples, "three": np.hstack([samples, samples[:, :1]])}
    for name, sound in sounds.items():
        soundfile.write(tmp_path / f"{name}.wav", sound, rate, subtype="PCM_16")
    return {name: tmp_path / f"{name}.wav" for name in sounds}


def refused(at: Run, command: str, file: Path, roles: str) -> str:
    """What the command says, in one line."""
    moment = ("--expect", "yield", "--onset", "2")
    more = {
        "pin": ("--at", "2", "--expect", "yield", "-o", file.parent / "pins"),
        "compare": (CLIP, *moment),
        "robustness": moment,
        "import": ("--archive", file.parent / "archive"),
    }
    code, out, err = at(command, file, *more.get(command, ()), "--channels", roles)
    assert code == 2
    return " ".join((out + err).split())


@pytest.mark.parametrize(
    ("command", "name", "roles", "said"),
    [
        *((command, *given) for command in COMMANDS for given in GIVEN),
        *(("import", *given) for given in GIVEN if given[0] != "mono"),
    ],
)
def test_the_hint_fits_the_file(
    at: Run, files: dict[str, Path], command: str, name: str, roles: str, said: str
) -> None:
    told = refused(at, command, files[name], roles)
    assert said in told
    assert not told.endswith(f"--channels {roles}")


def test_the_example_is_written_out() -> None:
    assert channels_hint(3) == "name one role a channel, 3 in all, e.g. --channels caller,agent,mixed"


@pytest.mark.parametrize(
    ("count", "roles"), [(2, "caller,agent"), (3, "caller,agent,mixed"), (5, "caller,agent,mixed")]
)
def test_an_example_has_as_many_roles_as_the_file_has_channels(count: int, roles: str) -> None:
    example = channels_hint(count).rpartition(" ")[2]
    assert (example.startswith(roles), example.count(",") + 1) == (True, count)


def test_a_folder_names_the_same_hint_a_file(at: Run, files: dict[str, Path]) -> None:
    _, out, _ = at("scan", files["three"].parent, "--channels", "caller,agent")
    assert channels_hint(3) in out


@pytest.mark.parametrize("command", COMMANDS)
def test_a_word_that_is_no_role(at: Run, files: dict[str, Path], command: str) -> None:
    told = refused(at, command, files["three"], "caller,agent,bot")
    assert "'bot' is none of caller, agent, mixed, unknown" in told
    assert channels_hint(3) in told


def test_a_party_that_is_not_heard_is_not_answered_with_the_roles_that_were_named(at: Run, tmp_path: Path) -> None:
    samples, rate = soundfile.read(CLIP, dtype="int16")
    samples[:, 1] = 0
    for name, sound, roles in (
        ("silent", samples, "caller,agent"),
        ("three", np.hstack([samples, samples[:, :1]]), "caller,mixed,mixed"),
    ):
        soundfile.write(tmp_path / f"{name}.wav", sound, rate, subtype="PCM_16")
        code, out, _ = at("trust", tmp_path / f"{name}.wav", "--channels", roles)
        assert (code, "next step  listen which channel is whose" in out, "--channels caller" in out) == (2, True, False)


def test_a_map_of_a_call_of_an_archive(at: Run, files: dict[str, Path]) -> None:
    place = ("--archive", files["mono"].parent / "archive")
    for name, roles in (("mono", "mixed"), ("stereo", "agent,caller"), ("three", "caller,agent,unknown")):
        assert at("import", files[name], "--channels", roles, *place)[0] == 0
    given = {
        ("mono", "caller,agent"): NEXT_STEPS["mono"],
        ("three", "caller,agent"): channels_hint(3),
        ("stereo", "caller,bot"): channels_hint(2),
        ("stereo", "caller,agent"): "workbench import FILE --replace --channels caller,agent",
    }
    for (call, roles), said in given.items():
        code, _, err = at("label", call, "--channels", roles, *place)
        assert (code, said in err) == (2, True), err


@pytest.mark.parametrize(
    ("name", "fits", "other"), [("stereo", "caller,agent", "three"), ("three", "caller,agent,mixed", "two")]
)
def test_a_file_without_roles_is_told_as_many_as_it_has_channels(
    at: Run, files: dict[str, Path], name: str, fits: str, other: str
) -> None:
    channels = () if name == "stereo" else ("--channels", "unknown,unknown,unknown")
    told = " ".join(at("trust", files[name], *channels)[1].split())
    assert re.search(rf"one role a channel: --channels {fits}(?![,\w])", told)
    assert f"for {other}" not in told
    place = files[name].parent / "archive"
    assert at("import", files[name], "--measure", "--archive", place)[0] == 0
    told = " ".join(at("sql", "select next_step from input_health", "--archive", place, "--format", "csv")[1].split())
    assert re.search(rf"--replace --channels {fits}`", told)
