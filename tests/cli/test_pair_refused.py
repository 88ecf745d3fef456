"""A call of two files that is refused names both of them, whichever of the two is at fault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import soundfile

CLIP = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio/vapi-default-01-hard-interruption.example.wav"
Run = Callable[..., tuple[int, str, str]]
SIDES = ("c1.caller.wav", "c1.agent.wav")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    samples, rate = soundfile.read(CLIP, dtype="int16")
    (tmp_path / "calls").mkdir()
    for ix, name in enumerate(SIDES):
        soundfile.write(tmp_path / "calls" / name, samples[:, ix], rate, subtype="PCM_16")
    return tmp_path / "calls"


def spoil(path: Path, fault: str) -> None:
    samples, rate = soundfile.read(path, dtype="int16")
    if fault in ("no samples", "stereo", "three"):
        sounds = {"no samples": samples[:0], "stereo": np.stack([samples] * 2, 1), "three": np.stack([samples] * 3, 1)}
        soundfile.write(path, sounds[fault], rate, subtype="PCM_16")
    else:
        path.write_bytes({"empty": b"", "text": b"hello", "cut": path.read_bytes()[:30]}[fault])


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("fault", ["empty", "text", "cut", "no samples", "stereo", "three"])
def test_both_files_are_named(at: Run, folder: Path, side: str, fault: str) -> None:
    spoil(folder / side, fault)
    other = SIDES[1 - SIDES.index(side)]
    said = f"; {other}, the other side of the call, is left out with it"
    code, out, err = at("import", folder, "--archive", folder.parent / "archive")
    lines = [line for line in (out + err).splitlines() if said in line]
    assert (code, len(lines) > 0) == (2, True)
    assert all(side in line for line in lines)
    code, out, err = at("scan", folder)
    (line,) = [line for line in out.splitlines() if said in line]
    assert f"{side}: " in line


@pytest.mark.parametrize("side", SIDES)
def test_a_silent_side(at: Run, folder: Path, side: str) -> None:
    samples, rate = soundfile.read(folder / side, dtype="int16")
    soundfile.write(folder / side, samples * 0, rate, subtype="PCM_16")
    _, out, _ = at("scan", folder)
    (line,) = [line for line in out.splitlines() if "NOT SCORABLE" in line]
    assert all(name in line for name in SIDES)
