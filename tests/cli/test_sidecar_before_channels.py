"""A sidecar that says otherwise than `--channels`: a command that reads one file refuses, a scan keeps the sidecar."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import soundfile

CLIPS = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio"
CLIP = CLIPS / "vapi-default-01-hard-interruption.example.wav"
Run = Callable[..., tuple[int, str, str]]
MOMENT = ("--expect", "yield", "--onset", "2")


@pytest.fixture
def swapped(tmp_path: Path) -> Path:
    """The clip with its channels exchanged, and a sidecar that says so."""
    samples, rate = soundfile.read(CLIP, dtype="int16")
    folder = tmp_path / "calls"
    folder.mkdir()
    soundfile.write(folder / "swapped.wav", samples[:, ::-1], rate, subtype="PCM_16")
    (folder / "swapped.json").write_text('{"channels": ["agent", "caller"]}', encoding="utf-8")
    return folder / "swapped.wav"


@pytest.mark.parametrize("command", ["trust", "autopsy", "pin", "compare", "robustness"])
def test_one_file_is_refused_and_the_sidecar_named(at: Run, swapped: Path, command: str) -> None:
    more = {
        "pin": ("--at", "2", "--expect", "yield", "-o", swapped.parent / "pins"),
        "compare": (CLIP, *MOMENT),
        "robustness": (*MOMENT, "--only", "gain"),
    }.get(command, ())
    code, out, err = at(command, swapped, *more, "--channels", "caller,agent")
    assert (code, out) == (2, "")
    assert "its sidecar swapped.json says agent,caller, --channels says caller,agent" in err
    assert 'correct "channels" in swapped.json' in err
    assert not (swapped.parent / "pins").exists()


@pytest.mark.parametrize("said", [(), ("--channels", "agent,caller")])
def test_a_sidecar_that_agrees_is_read_as_before(at: Run, swapped: Path, said: tuple[str, ...]) -> None:
    code, out, _ = at("trust", swapped, *said, "--json")
    assert (code, json.loads(out)["channel_map"]["roles"]) == (0, ["agent", "caller"])


def test_a_sidecar_that_leaves_a_role_open_takes_it_from_the_option(at: Run, swapped: Path) -> None:
    swapped.with_suffix(".json").write_text('{"channels": ["unknown", "caller"]}', encoding="utf-8")
    code, out, _ = at("trust", swapped, "--channels", "agent,caller", "--json")
    assert (code, json.loads(out)["channel_map"]["roles"]) == (0, ["agent", "caller"])


@pytest.mark.parametrize("said", ["caller,agent", "caller,agent,mixed"])
def test_a_scan_keeps_the_sidecar_and_counts_it(at: Run, swapped: Path, tmp_path: Path, said: str) -> None:
    alone = json.loads(at("scan", swapped.parent, "--json")[1])
    page = tmp_path / "scan.html"
    code, out, _ = at("scan", swapped.parent, "--channels", said, "-o", page)
    assert (code, "in 1 of these the sidecar says otherwise than --channels, and counts" in out) == (0, True)
    assert "the sidecar says otherwise than --channels, and counts" in page.read_text(encoding="utf-8")
    found = json.loads(at("scan", swapped.parent, "--channels", said, "--json")[1])
    assert found["calls"] == alone["calls"]
    assert (found["counts"]["stated_otherwise_count"], alone["counts"]["stated_otherwise_count"]) == (1, 0)


def test_a_scan_counts_no_sidecar_that_agrees(at: Run, swapped: Path) -> None:
    shutil.copy(CLIPS / "vapi-default-07-correction.example.wav", swapped.parent / "other.wav")
    found = json.loads(at("scan", swapped.parent, "--channels", "agent,caller", "--json")[1])
    assert found["counts"]["stated_otherwise_count"] == 0
