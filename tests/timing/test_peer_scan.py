"""The scan for moments beside hotato 1.20: the same kinds, times and lengths in the same order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from beside_hotato import CLIPS, RATE, as_wav, sound
from hotato.scan import scan_recording
from two_sided import measured

from workbench.timing.measuring import Measured

KINDS = ("overlap_sec", "gap_sec", "trailing_silence_sec", "activity_sec")


def candidates(path: Path) -> list[tuple[Any, ...]]:
    found = []
    for row in scan_recording(str(path))["candidates"]:
        (magnitude,) = (row["durations"][name] for name in KINDS if name in row["durations"])
        after = (row["agent_reaction"] or {}).get("after_sec")
        found.append((row["kind"], row["t_sec"], magnitude, after, (row["agent_reaction"] or {}).get("coherence")))
    return found


def moments(measured: Measured) -> list[tuple[Any, ...]]:
    names = ("onset_s", "magnitude_s", "yield_after_s", "coherence")
    return [
        (row["kind"], *(None if row[name] is None else round(row[name], 3) for name in names))
        for row in measured.moments
    ]


@pytest.mark.parametrize("rate", [RATE, 11025, 16000, 22050, 44100, 48000])
def test_the_scan_finds_the_same_moments_in_the_same_order(rate: int, tmp_path: Path) -> None:
    kinds: set[str] = set()
    for seed in range(24 if rate == RATE else 6):
        path = tmp_path / f"call-{seed}.wav"
        sound(path, seed, rate=rate)
        found = moments(measured(path, channel_map_confirmed=True))
        assert found == candidates(path)
        kinds |= {kind for kind, *_ in found}
    assert len(kinds) >= (5 if rate == RATE else 3)


@pytest.mark.parametrize("clip", CLIPS)
def test_the_scan_of_real_clips_is_the_same(clip: str, tmp_path: Path) -> None:
    path = as_wav(clip, tmp_path)
    heard = measured(path, channel_map_confirmed=True)
    if heard.health["scorable"]:
        assert moments(heard) == candidates(path)
    else:
        assert not heard.moments
