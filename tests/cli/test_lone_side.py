"""A file named like one side of a call without the other: import, trust, autopsy and scan say so in the same words."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import soundfile

CLIP = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio/vapi-default-07-correction.example.wav"
Run = Callable[..., tuple[int, str, str]]
SAID = "named like one side of a call, but the other side is not beside it"


@pytest.fixture
def lonely(tmp_path: Path) -> Path:
    """The caller's side of a bundled call, and beside it a whole call, so that a scan has a share."""
    (tmp_path / "calls").mkdir()
    samples, rate = soundfile.read(CLIP, dtype="int16")
    soundfile.write(tmp_path / "calls" / "lonely.caller.wav", samples[:, 0], rate, subtype="PCM_16")
    soundfile.write(tmp_path / "calls" / "whole.wav", samples[: 6 * rate], rate, subtype="PCM_16")
    return tmp_path / "calls" / "lonely.caller.wav"


@pytest.mark.parametrize(("command", "code"), [("trust", 2), ("autopsy", 0)])
def test_of_the_file(at: Run, lonely: Path, command: str, code: int) -> None:
    found, out, _ = at(command, lonely)
    assert (found, f"incomplete pair: it is {SAID}" in out) == (code, True)
    assert "pair_incomplete" in json.loads(at(command, lonely, "--json")[1])["warnings"]
    assert SAID not in at(command, lonely, "--channels", "mixed")[1]


def test_of_the_folder(at: Run, lonely: Path) -> None:
    page = lonely.parents[1] / "scan.html"
    code, out, _ = at("scan", lonely.parent, "-o", page)
    assert (code, f"  1 of these is {SAID}" in out) == (0, True)
    assert SAID in page.read_text(encoding="utf-8")
    mono = json.loads(at("scan", lonely.parent, "--json")[1])["mono"]
    assert mono["one_side_files"] == ["lonely.caller.wav"]
    lonely.rename(lonely.with_name("mono.wav"))
    assert "named like one side" not in at("scan", lonely.parent)[1]


def test_the_import_says_the_same(at: Run, lonely: Path) -> None:
    _, out, err = at("import", lonely, "--archive", lonely.parents[1] / "archive")
    assert SAID in " ".join((out + err).split())
