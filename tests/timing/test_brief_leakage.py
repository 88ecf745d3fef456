"""What is heard for less than a second keeps to one ratio by chance: there the samples say whether it is leakage."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from two_sided import measured

from workbench.timing.leakage import copy_of

CALLS = Path(__file__).parents[2] / "data" / "calls"


def of(folder: Path, samples: np.ndarray, rate: int) -> dict[str, Any]:
    """Health of a file with these samples."""
    path = folder / "made.wav"
    soundfile.write(path, samples, rate, subtype="PCM_16")
    return measured(path).health


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_noise_of_its_own_behind_a_caller_of_one_word_is_no_leakage(tmp_path: Path, seed: int) -> None:
    """The caller says one word in 9 s; white noise 15 dB under each party's speech, independent in each channel."""
    samples, rate = soundfile.read(CALLS / "ami-floor-exchange" / "audio" / "ami-en2002b-bc-0859.example.wav")
    noise = np.random.default_rng(seed).standard_normal(samples.shape) * 10 ** (np.array([-61.4, -55.4]) / 20)
    found = of(tmp_path, samples + noise, rate)
    assert (found["leakage_db"], found["leakage_direction"], "leakage" in found["warnings"]) == (None, None, False)


@pytest.mark.parametrize("db", [-6.0, -20.0, -40.0])
def test_a_copy_of_one_word_is_found(tmp_path: Path, db: float) -> None:
    """In `05-backchannel-yeah` 0.2 s of the caller's word are heard 0.24 s later in the agent's pause."""
    samples, rate = soundfile.read(CALLS / "vapi-defaults" / "audio" / "vapi-default-05-backchannel-yeah.example.wav")
    late = round(0.24 * rate)
    added = samples.copy()
    added[late:, 1] += 10 ** (db / 20) * samples[:-late, 0]
    found = of(tmp_path, added, rate)
    assert (found["reason"], found["leakage_direction"]) == ("leakage", "caller->agent")
    assert found["leakage_db"] == pytest.approx(db, abs=0.5)


@pytest.mark.parametrize(("hop_s", "enough"), [(0.01, 100), (0.02, 50)])
def test_levels_alone_make_no_copy_of_less_than_a_second(hop_s: float, enough: int) -> None:
    """20 dB under a source and at one ratio to it; it is the time that counts, not the number of frames."""
    asked: list[int] = []

    def copy(frames: int, agreement: float | None) -> bool:
        source = 10 ** (np.random.default_rng(frames).uniform(-30, -10, frames) / 20)
        spoken = np.ones(frames, bool)

        def agree(alone: np.ndarray, _lag: int) -> float:
            asked.append(len(alone))
            return agreement or 0.0

        samples = None if agreement is None else agree
        found = copy_of(
            [source], [source / 10], source_active=spoken, other_active=spoken, hop_s=hop_s, samples_agree=samples
        )
        return found is not None

    assert [copy(enough - 1, agreement) for agreement in (None, 0.49, 0.5)] == [False, False, True]
    assert [copy(enough, agreement) for agreement in (None, 0.0)] == [True, True]
    assert asked == [enough - 1, enough - 1]
