"""Two recordings of a folder with one sound, of which two things are said: one is counted, and it is told which."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import soundfile

from workbench.analysis.folder_health_run import Scanned, scan_folder

CLIP = Path(__file__).parents[2] / "data/calls/vapi-defaults/audio/vapi-default-07-correction.example.wav"
STRAIGHT, EXCHANGED = ["caller", "agent"], ["agent", "caller"]


def put(place: Path, name: str, said: list[str] | None = None) -> None:
    shutil.copy(CLIP, place / name)
    if said is not None:
        (place / name).with_suffix(".json").write_text(json.dumps({"channels": said}), encoding="utf-8")


def pair(place: Path, name: str, *, order: tuple[int, int] = (0, 1), agent_s: float | None = None) -> None:
    samples, rate = soundfile.read(CLIP, dtype="int16")
    for ix, role in zip(order, STRAIGHT, strict=True):
        soundfile.write(place / f"{name}.{role}.wav", samples[:, ix], rate, subtype="PCM_16")
    if agent_s is not None:
        said = {"offset_s": {"caller": 0.0, "agent": agent_s}}
        (place / f"{name}.json").write_text(json.dumps(said), encoding="utf-8")


def told(found: Scanned) -> tuple[str, str, str]:
    """The file that is counted, the one that is not, and why."""
    (call,), (gone,) = found.calls, found.refused
    assert gone["reason"] == "duplicate"
    return call["file"], gone["file"], gone["what"]


def test_the_same_bytes_with_two_channel_maps(tmp_path: Path) -> None:
    put(tmp_path, "a.wav", STRAIGHT)
    put(tmp_path, "b.wav", EXCHANGED)
    kept, gone, what = told(scan_folder(tmp_path, workers=1))
    assert (kept, gone) == ("a.wav", "b.wav")
    assert what == (
        "it holds the same bytes as a.wav, which is counted once; their channel maps contradict: taken is caller,agent "
        "of a.wav, as its sidecar says, not agent,caller of b.wav, as its sidecar says: listen whose channel is which, "
        "and correct what is wrong"
    )


def test_what_a_sidecar_says_goes_before_what_is_assumed(tmp_path: Path) -> None:
    put(tmp_path, "a.wav")
    put(tmp_path, "b.wav", EXCHANGED)
    kept, gone, what = told(scan_folder(tmp_path, workers=1))
    assert (kept, gone) == ("b.wav", "a.wav")
    assert "taken is agent,caller of b.wav, as its sidecar says, not caller,agent of a.wav, as is assumed" in what


def test_another_format_of_the_same_samples(tmp_path: Path) -> None:
    put(tmp_path, "a.wav", STRAIGHT)
    samples, rate = soundfile.read(CLIP, dtype="int16")
    soundfile.write(tmp_path / "b.flac", samples, rate, subtype="PCM_16")
    (tmp_path / "b.json").write_text(json.dumps({"channels": EXCHANGED}), encoding="utf-8")
    kept, gone, what = told(scan_folder(tmp_path, workers=1))
    assert (kept, gone) == ("a.wav", "b.flac")
    assert what.startswith("its samples are those of a.wav, which is counted once; their channel maps contradict: ")


@pytest.mark.parametrize(("said", "against"), [(STRAIGHT, False), (EXCHANGED, True)])
def test_a_file_and_the_files_of_its_channels(tmp_path: Path, said: list[str], against: bool) -> None:
    put(tmp_path, "whole.wav", said)
    pair(tmp_path, "c1")
    kept, gone, what = told(scan_folder(tmp_path, workers=1))
    assert (kept, gone) == ("whole.wav", "c1.caller.wav")
    assert ("their channel maps contradict" in what) is against
    assert ("as the names of the files say" in what) is against


@pytest.mark.parametrize(
    ("second", "said"),
    [
        (lambda place: pair(place, "c2", order=(1, 0)), "their channel maps contradict: taken is caller,agent of c1 ("),
        (
            lambda place: pair(place, "c2", agent_s=1.5),
            "their offsets contradict: taken is that both sides begin at once, not that the agent's side begins 1.5 s",
        ),
        (lambda place: pair(place, "c2", agent_s=0.0), None),
    ],
)
def test_two_pairs(tmp_path: Path, second: Callable[[Path], None], said: str | None) -> None:
    pair(tmp_path, "c1")
    second(tmp_path)
    kept, gone, what = told(scan_folder(tmp_path, workers=1))
    assert (kept, gone) == ("c1.caller.wav", "c2.caller.wav")
    assert "contradict" not in what if said is None else said in what


def test_copies_that_say_the_same_contradict_nothing(tmp_path: Path) -> None:
    put(tmp_path, "a.wav", STRAIGHT)
    put(tmp_path, "b.wav", STRAIGHT)
    put(tmp_path, "c.wav")
    found = scan_folder(tmp_path, workers=1)
    assert [row["file"] for row in found.calls] == ["a.wav"]
    assert {row["what"] for row in found.refused} == {"it holds the same bytes as a.wav, which is counted once"}
