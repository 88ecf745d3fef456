"""Incidents beside hotato 1.20, run in the same process: the same names, kinds, times and severities.

Three differences are meant. A silence of hotato begins at the end of the hangover, ours where the last loud frame
before it ends; `scanned_onset_s` and `scanned_s` are those of hotato. hotato counts the silence after a caller or an
agent until the agent speaks, ours until anybody does: a critical dead air of theirs in which the other party was
speaking is none of ours. And to hotato faint sound is speech, while a silence of ours goes on through it, and is told
even where hotato has only pieces of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import soundfile
from hotato.autopsy import run_autopsy

from workbench.analysis.incidents import spoken
from workbench.analysis.incidents_of_file import Examined, measured

CALLS = Path(__file__).parents[2] / "data" / "calls"
CLIPS = sorted(
    path.relative_to(CALLS).as_posix()
    for pattern in ("harper-valley-bank/audio/*.flac", "*/audio/*.example.wav")
    for path in CALLS.glob(pattern)
)
BANK = [clip for clip in CLIPS if clip.startswith("harper")]
SILENCES = ("long_response_gap", "agent_stop_no_caller")


def as_wav(clip: str, folder: Path, *, mono: bool = False) -> Path:
    samples, rate = soundfile.read(CALLS / clip, dtype="int16", always_2d=True)
    path = folder / "call.wav"
    soundfile.write(path, samples[:, 1] if mono else samples, rate, subtype="PCM_16")
    return path


def both(path: Path) -> tuple[Examined, list[tuple[float, bool]], dict[str, Any]]:
    examined, measurement = measured(path)
    runs = sorted((row["start_s"], row["faint"]) for row in measurement.segments)
    return examined, runs, run_autopsy(str(path))[0]


def test_there_are_clips() -> None:
    assert len(CLIPS) >= 18


@pytest.mark.parametrize("clip", CLIPS)
def test_two_channels_give_the_same_incidents(clip: str, tmp_path: Path) -> None:
    examined, runs, theirs = both(as_wav(clip, tmp_path))
    assert examined.name == theirs["id"]
    scanned = [row for row in examined.incidents if row["scanned_s"] is not None]
    assert all(row["kind"] in SILENCES for row in examined.incidents if row not in scanned)
    ours = {(row["kind"], round(row["scanned_onset_s"], 3)): row for row in scanned}
    assert set(ours) == {(row["scan_kind"], row["t_sec"]) for row in theirs["incidents"]}
    for peer in theirs["incidents"]:
        own = ours[peer["scan_kind"], peer["t_sec"]]
        onset_s, before_s = own["scanned_onset_s"], own["scanned_onset_s"] - own["onset_s"]
        assert before_s == pytest.approx(0.15 if peer["scan_kind"] in SILENCES else 0.0, abs=1e-6)
        after = [(start, faint) for start, faint in runs if start >= onset_s - 1e-6]
        sound_s = (after[0][0] if after else examined.duration_s) - onset_s
        spoke_s = next((start for start, faint in after if not faint), examined.duration_s) - onset_s
        nobody_s = min(sound_s, own["scanned_s"])
        if peer["scan_kind"] in SILENCES and own["aside"] != "faint" and spoke_s > nobody_s + 0.02:
            assert own["until_sound_s"] == pytest.approx(nobody_s + before_s, abs=1e-6)
            assert own["magnitude_s"] == pytest.approx(spoke_s + before_s, abs=1e-6)
            assert (own["severity"] == "critical") is (spoke_s >= 5.0)
        elif peer["scan_kind"] in SILENCES and sound_s < own["scanned_s"] - 0.02:
            assert own["until_sound_s"] == pytest.approx(sound_s + before_s, abs=1e-6)
        else:
            severity = "CRITICAL" if own["severity"] == "critical" else "WARNING"
            assert (spoken(own["incident"]), severity) == (peer["kind_key"], peer["severity"])


@pytest.mark.parametrize("clip", BANK)
def test_one_channel_gives_the_same_silences_with_the_same_confidence(clip: str, tmp_path: Path) -> None:
    examined, runs, theirs = both(as_wav(clip, tmp_path, mono=True))
    if not runs:
        assert (examined.mode, theirs["incidents"]) == (None, [])
        return
    found = [
        (spoken(row["incident"]), row["severity"].upper(), round(row["scanned_onset_s"], 3), row["confidence"])
        for row in sorted(examined.incidents, key=lambda row: (-row["scanned_s"], row["scanned_onset_s"]))
    ]
    expected = [(row["kind_key"], row["severity"], row["t_sec"], row["confidence"]) for row in theirs["incidents"]]
    assert found == expected


def test_the_difference_is_there(tmp_path: Path) -> None:
    """Of the critical silences that hotato finds in the bank calls, most have the other party speaking in them.

    Ours last 5 s or more after the hangover without faint sound, each told once: of them 4 do so until any sound.
    """
    theirs_count = ours_count = unbroken_count = 0
    for clip in BANK:
        examined, _, theirs = both(as_wav(clip, tmp_path))
        theirs_count += sum(
            row["severity"] == "CRITICAL" and row["scan_kind"] in SILENCES for row in theirs["incidents"]
        )
        ours = [row for row in examined.incidents if row["severity"] == "critical" and row["kind"] in SILENCES]
        ours_count += sum(row["aside"] is None for row in ours)
        unbroken_count += sum(row["until_sound_s"] >= 5.15 for row in ours)
    assert (theirs_count, ours_count, unbroken_count) == (26, 9, 4)
