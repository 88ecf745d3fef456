"""A call that a folder holds in several forms is counted once: the same samples, and no second reading."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from workbench.analysis.folder_health_run import Scanned, scan_folder
from workbench.audio import read
from workbench.audio.sound_digest import SoundDigest
from workbench.timing import measuring

ROOT = Path(__file__).parents[2]
TRACKS = ROOT / "tests" / "data" / "harper-valley-tracks"
CALLS = ROOT / "data" / "calls" / "harper-valley-bank" / "audio"
ID = "ff0296d00e5e4184"


def calls(scanned: Scanned) -> list[str]:
    return [row["file"] for row in scanned.calls]


def reasons(scanned: Scanned) -> dict[str, tuple[str, str]]:
    return {row["file"]: (row["reason"], row["what"]) for row in scanned.refused}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bank call as one file of two channels."""
    shutil.copy(CALLS / f"{ID}.flac", tmp_path / f"{ID}.flac")
    return tmp_path


@pytest.fixture
def tracks(folder: Path) -> Path:
    """The two channels of that file, as they came out of it."""
    samples, rate = soundfile.read(folder / f"{ID}.flac", dtype="int16")
    for ix, role in enumerate(("caller", "agent")):
        soundfile.write(folder / f"{ID}.{role}.wav", samples[:, ix], rate, subtype="PCM_16")
    return folder


def test_the_two_tracks_of_a_file_are_the_same_call(tracks: Path) -> None:
    found = scan_folder(tracks, workers=1)
    assert calls(found) == [f"{ID}.flac"]
    what = f"it and {ID}.agent.wav are the channels of {ID}.flac, which is counted once"
    assert reasons(found) == {f"{ID}.caller.wav": ("duplicate", what)}
    assert len(found.manifest) == 3


def test_a_track_that_was_delayed_in_the_file_is_its_channel(folder: Path) -> None:
    """The bank's own two tracks; in the file the agent's was delayed by 2 s, as its notice says."""
    for role in ("caller", "agent"):
        shutil.copy(TRACKS / f"{ID}.{role}.wav", folder)
    found = scan_folder(folder, workers=1)
    assert (calls(found), [row["reason"] for row in found.refused]) == ([f"{ID}.flac"], ["duplicate"])


def test_tracks_without_names_that_say_whose_they_are(tracks: Path) -> None:
    """By themselves they would be two mono calls."""
    for ix, role in enumerate(("caller", "agent")):
        (tracks / f"{ID}.{role}.wav").rename(tracks / f"track{ix}.wav")
    found = scan_folder(tracks, workers=1)
    assert calls(found) == [f"{ID}.flac"]
    what = f"its samples are those of a channel of {ID}.flac, which is counted once"
    assert reasons(found) == {f"track{ix}.wav": ("duplicate", what) for ix in (0, 1)}


def test_another_format_of_the_same_samples_is_the_same_call(folder: Path) -> None:
    samples, rate = soundfile.read(folder / f"{ID}.flac", dtype="int16")
    soundfile.write(folder / "a.wav", samples, rate, subtype="PCM_16")
    found = scan_folder(folder, workers=1)
    assert calls(found) == ["a.wav"]
    assert reasons(found) == {f"{ID}.flac": ("duplicate", "its samples are those of a.wav, which is counted once")}


def test_one_sample_makes_it_another_call(tracks: Path) -> None:
    path = tracks / f"{ID}.caller.wav"
    samples, rate = soundfile.read(path, dtype="int16")
    samples[5] += 1
    soundfile.write(path, samples, rate, subtype="PCM_16")
    assert calls(scan_folder(tracks, workers=1)) == [f"{ID}.caller.wav", f"{ID}.flac"]


def test_a_pair_alone_is_a_call(tracks: Path) -> None:
    (tracks / f"{ID}.flac").unlink()
    found = scan_folder(tracks, workers=1)
    assert (calls(found), found.refused) == ([f"{ID}.caller.wav"], [])


def test_calls_that_share_a_silent_channel_are_not_one(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    for ix in range(2):
        voice = np.where(np.arange(32_000) % 16_000 < 8_000, rng.normal(0, 3000, 32_000), rng.normal(0, 3, 32_000))
        other = np.roll(voice, 9_000)
        soundfile.write(tmp_path / f"{ix}.wav", np.stack([voice, other], 1).astype(np.int16), 8000, subtype="PCM_16")
    soundfile.write(tmp_path / "silent.wav", np.zeros(32_000, np.int16), 8000, subtype="PCM_16")
    found = scan_folder(tmp_path, workers=1)
    assert calls(found) == ["0.wav", "1.wav"]
    assert reasons(found)["silent.wav"][0] == "no_speech"


@pytest.mark.parametrize("piece", [1, 3, 7, 100])
def test_the_digest_is_that_of_the_samples_between_the_first_and_the_last_sound(piece: int) -> None:
    sound = np.array([5, 0, 0, 0, 0, 0, 0, 0, -3, 0, 1], np.int16)
    samples = np.concatenate([np.zeros(20, np.int16), sound, np.zeros(9, np.int16)])
    digest = SoundDigest()
    for at in range(0, len(samples), piece):
        digest.update(samples[at : at + piece])
    assert digest.hexdigest() == hashlib.sha256(sound.tobytes()).hexdigest()
    silent = SoundDigest()
    silent.update(np.zeros(7, np.int16))
    assert silent.hexdigest() == hashlib.sha256(b"").hexdigest()


def test_nothing_is_read_twice_and_what_cannot_be_a_twin_is_not_digested(
    tracks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    soundfile.write(tracks / "other.wav", np.ones((16_000, 2), np.int16), 16_000, subtype="PCM_16")
    decoded: list[str] = []
    made: list[int] = []
    iterate, watch = read.iterate, measuring._Watch

    def iterating(source: Any, *given: Any, **named: Any) -> Any:
        decoded.append(Path(source.path).name)
        return iterate(source, *given, **named)

    def watching(pair: Any, *, digested: int) -> Any:
        made.append(digested)
        return watch(pair, digested=digested)

    monkeypatch.setattr(measuring, "iterate", iterating)
    monkeypatch.setattr(measuring, "_Watch", watching)
    scan_folder(tracks, workers=1)
    digested = dict(zip(decoded, made, strict=True))
    assert sorted(decoded) == sorted(digested)
    assert digested == {f"{ID}.caller.wav": 1, f"{ID}.agent.wav": 1, f"{ID}.flac": 2, "other.wav": 0}
