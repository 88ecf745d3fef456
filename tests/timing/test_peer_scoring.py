"""Scored moments beside hotato 1.20, run in the same process, on all bundled two-channel clips and on seeded sound."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from beside_hotato import CLIPS, RATE, as_wav, labels_of, ours, same, sound, theirs
from two_sided import measured


def test_there_are_clips() -> None:
    assert len(CLIPS) >= 20


@pytest.mark.parametrize("clip", CLIPS)
def test_real_clips_are_scored_alike(clip: str, tmp_path: Path) -> None:
    path = as_wav(clip, tmp_path)
    heard = measured(path, channel_map_confirmed=True)
    labels = labels_of(heard.duration_s, seed=len(clip), count=4)
    for row, label in zip(ours(heard, labels), labels, strict=True):
        same(row, theirs(path, label), heard, label)


@pytest.mark.parametrize("rate", [RATE, 11025, 16000, 22050, 44100, 48000])
def test_seeded_sound_is_scored_alike(rate: int, tmp_path: Path) -> None:
    """At 11,025 and 22,050 Hz a hop is 9.977 ms, and no end of speech lies on a whole microsecond."""
    found: Counter[str] = Counter()
    for seed in range(24 if rate == RATE else 6):
        path = tmp_path / "call.wav"
        labels = labels_of(sound(path, seed, rate=rate), seed, count=6)
        heard = measured(path, channel_map_confirmed=True)
        for row, label in zip(ours(heard, labels), labels, strict=True):
            found[row["status"]] += 1
            same(row, theirs(path, label), heard, label)
    assert min(found["PASS"], found["FAIL"]) >= (10 if rate == RATE else 1)


def test_a_yield_that_hotato_misses_turns_its_verdict(tmp_path: Path) -> None:
    """It looks at every second frame of a pause, and the search ends before it comes to one with the caller near."""
    path = as_wav("harper-valley-bank/audio/00d676d7058c49bb.flac", tmp_path)
    heard = measured(path, channel_map_confirmed=True)
    label = {"onset_s": 14.28, "expect": "hold", "value": None}
    (row,), other = ours(heard, [label]), theirs(path, label)
    assert (row["status"], row["reason"], round(row["time_to_yield_s"], 6)) == ("FAIL", "false_yield", 2.99)
    assert (other["status"], other["did_yield"]) == ("PASS", False)
    assert same(row, other, heard, label) == "missed"
