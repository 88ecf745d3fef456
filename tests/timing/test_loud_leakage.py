"""Leakage as loud as a voice, or hidden behind one, is told from a second person by its samples."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from two_sided import measured

from workbench.timing.copied_waveform import agreement_in
from workbench.timing.leakage import copy_of

CALLS = Path(__file__).parents[2] / "data" / "calls"
CLIPS = ("01-hard-interruption", "05-hold-on", "07-correction", "08-rapid-1")
RATE = 8000


def mixed(folder: Path, clip: str, *, to: int, db: float, later_s: float = 0.0, gain_db: float = 0.0) -> dict[str, Any]:
    """Health of a bundled clip with one channel added to the other, which is then amplified."""
    samples, rate = soundfile.read(CALLS / "vapi-defaults" / "audio" / f"vapi-default-{clip}.example.wav")
    late = round(later_s * rate)
    added = samples.copy()
    added[late:, to] += 10 ** (db / 20) * samples[: len(samples) - late, 1 - to]
    added[:, to] *= 10 ** (gain_db / 20)
    path = folder / "mixed.wav"
    soundfile.write(path, added / max(1.0, np.abs(added).max()), rate, subtype="PCM_16")
    return measured(path).health


@pytest.mark.parametrize("to", [0, 1], ids=["to-caller", "to-agent"])
@pytest.mark.parametrize("db", [-12.0, -6.0, -4.0, -2.0])
@pytest.mark.parametrize("clip", CLIPS)
def test_each_level_up_to_that_of_the_voice_is_found(tmp_path: Path, clip: str, db: float, to: int) -> None:
    """In `07-correction` the agent speaks over two thirds of the caller: what is heard alone covers a third of it."""
    found = mixed(tmp_path, clip, to=to, db=db, later_s=0.02)
    assert (found["reason"], found["verdict_eligible"]) == ("leakage", False)
    assert found["leakage_db"] == pytest.approx(db, abs=0.5)
    assert found["leakage_direction"] == ("caller->agent" if to else "agent->caller")


@pytest.mark.parametrize("clip", CLIPS)
def test_a_copy_that_was_amplified_keeps_its_direction(tmp_path: Path, clip: str) -> None:
    """The agent's channel with the caller at -4 dB, made 8 dB louder: from its side the caller is a copy at -4 dB."""
    found = mixed(tmp_path, clip, to=1, db=-4.0, gain_db=8.0)
    assert (found["reason"], found["leakage_direction"]) == ("leakage", "caller->agent")
    assert found["leakage_db"] == pytest.approx(4.0, abs=1.0)


def test_no_bundled_call_has_a_copy() -> None:
    files = sorted([*CALLS.glob("*/audio/*.wav"), *CALLS.glob("*/audio/*.flac"), *CALLS.glob("two-clocks/*.flac")])
    assert len(files) > 20
    assert [path.name for path in files if measured(path).health["leakage_db"] is not None] == []


@pytest.mark.parametrize(
    ("clip", "snr_db"),
    [
        ("ami-floor-exchange/audio/ami-en2002b-take-0772", 16),
        ("ami-floor-exchange/audio/ami-en2002b-take-0772", 14),
        ("vapi-defaults/audio/vapi-default-07-correction", 12),
    ],
)
def test_noise_of_its_own_in_each_channel_is_no_copy(tmp_path: Path, clip: str, snr_db: float) -> None:
    """Two steady noises keep to one ratio, 7 or 9 dB here, but neither follows the other."""
    samples, rate = soundfile.read(CALLS / f"{clip}.example.wav")
    loud = np.sqrt(np.sort(samples**2, axis=0)[-len(samples) // 5 :].mean(axis=0))
    noise = np.random.default_rng(1).standard_normal(samples.shape) * loud * 10 ** (-snr_db / 20)
    path = tmp_path / "noisy.wav"
    soundfile.write(path, samples + noise, rate, subtype="PCM_16")
    assert measured(path).health["leakage_db"] is None


def test_levels_alone_make_no_loud_copy_and_no_hidden_one() -> None:
    """Two channels with one envelope at one ratio: what the samples say decides, and without them nothing is said."""
    rng = np.random.default_rng(3)
    source = 10 ** (rng.uniform(-30, -10, 1000) / 20)
    spoken = np.ones(1000, bool)
    asked: list[tuple[int, int]] = []

    def samples(agreement: float) -> Any:
        def agree(frames: np.ndarray, lag: int) -> float:
            asked.append((len(frames), lag))
            return agreement

        return agree

    def copy(other: np.ndarray, **more: Any) -> Any:
        heard = other > 1e-4
        return copy_of([source], [other], source_active=spoken, other_active=heard, hop_s=0.01, **more)

    hidden = np.where(np.arange(1000) < 400, source / 10, 1e-6)
    for other in (source * 0.8, hidden):
        assert copy(other) is None
        assert copy(other, samples_agree=samples(0.49)) is None
        assert copy(other, samples_agree=samples(0.5)) is not None
    assert asked == [(1000, 0), (1000, 0), (400, 0), (400, 0)]
    assert copy(source / 10, samples_agree=samples(0.0)) is not None  # quiet and whole: levels are enough
    assert len(asked) == 4


def test_agreement_in_windows_equals_the_correlation_taken_lag_by_lag() -> None:
    rng = np.random.default_rng(4)
    source = rng.integers(-9000, 9000, 4000).astype(np.int16)
    other = (np.roll(source, 30) // 3 + rng.integers(-2000, 2000, 4000) + 500).astype(np.int16)
    starts = np.array([100, 180, 1500])
    inside = np.concatenate([np.arange(100, 340), np.arange(1500, 1660)])
    own, heard = source[inside] - source[inside].mean(), other - other.mean()
    by_hand = max(
        abs(float(np.dot(own, part))) / float(np.linalg.norm(own) * np.linalg.norm(part))
        for part in (heard[inside + lag] for lag in range(20, 41))
    )
    found = agreement_in(source, other, starts=starts, window=160, lag=30, slack=10)
    assert found == pytest.approx(by_hand, abs=1e-9)
    assert found > 0.7
    assert agreement_in(source, other, starts=starts, window=160, lag=60, slack=10) < 0.2


def test_silence_and_a_constant_offset_agree_with_nothing() -> None:
    rng = np.random.default_rng(5)
    flat, noise = np.full(2000, 700, np.int16), rng.integers(-5, 6, 2000).astype(np.int16)
    some, none = np.arange(0, 1600, 80), np.zeros(0, np.int64)
    for source, other, starts in ((flat, flat, some), (flat + noise, flat, some), (noise, noise, none)):
        assert agreement_in(source, other, starts=starts, window=160, lag=0, slack=80) == 0.0
    apart = rng.permutation(noise)
    assert agreement_in(flat + noise, flat + apart, starts=some, window=160, lag=0, slack=80) < 0.2
