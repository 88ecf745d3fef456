"""Copies are recognised, other calls are not."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
import soundfile
from scipy.signal import resample_poly

from workbench.timing.contracts.freshness import Envelope, freshness
from workbench.timing.contracts.judging import Judged, judge

CALLS = Path(__file__).parents[3] / "data/calls"
CLIPS = sorted([*CALLS.glob("vapi-defaults/audio/*.wav"), *CALLS.glob("ami-floor-exchange/audio/*.wav")])


def heard(path: Path) -> Judged:
    return judge(path, expect="yield", onset_s=1.0)


@pytest.fixture(scope="module")
def takes() -> dict[str, Judged]:
    assert len(CLIPS) == 12
    return {path.name: heard(path) for path in CLIPS}


@pytest.mark.parametrize("name", ["vapi-default-01-hard-interruption", "ami-en2002b-bc-0859"])
@pytest.mark.parametrize("copy", ["8 to 16 kHz", "16 to 8 kHz", "22.05 kHz", "-6 dB", "mp3", "ogg", "mu-law", "later"])
def test_a_copy_is_the_same_recording(tmp_path: Path, takes: dict[str, Judged], name: str, copy: str) -> None:
    (path,) = [path for path in CLIPS if path.name.startswith(name)]
    original = takes[path.name]
    samples, rate = soundfile.read(path, dtype="float64")
    if copy == "8 to 16 kHz":
        narrow = tmp_path / "narrow.wav"
        samples = resample_poly(samples, 1, 2, axis=0)
        soundfile.write(narrow, samples, rate // 2)
        original, samples = heard(narrow), resample_poly(samples, 2, 1, axis=0)
    elif copy == "16 to 8 kHz":
        samples, rate = resample_poly(samples, 1, 2, axis=0), rate // 2
    elif copy == "22.05 kHz":
        samples, rate = resample_poly(samples, 22050, rate, axis=0), 22050
    elif copy == "-6 dB":
        samples = samples * 10 ** (-6 / 20)
    elif copy == "later":
        samples = np.concatenate([np.zeros((round(0.7 * rate), 2)), samples])
    kind = {"mp3": ".mp3", "ogg": ".ogg"}.get(copy, ".wav")
    soundfile.write(tmp_path / f"copy{kind}", samples, rate, subtype="ULAW" if copy == "mu-law" else None)
    made = heard(tmp_path / f"copy{kind}")
    found = freshness(original.envelope, made.envelope, first_pcm=original.pcm_sha256, second_pcm=made.pcm_sha256)
    assert found.state == "same_envelope", found
    assert found.lag_s == pytest.approx(-0.7 if copy == "later" else 0.0, abs=0.011)


@pytest.mark.parametrize("name", [path.name for path in CLIPS])
def test_a_copy_at_another_speed_is_the_same_recording(tmp_path: Path, takes: dict[str, Judged], name: str) -> None:
    """Resampled by 100:101 and not said so, as with two clocks that differ; 3 % is the most that is tried."""
    (path,) = [path for path in CLIPS if path.name == name]
    samples, rate = soundfile.read(path, dtype="float64")
    for slower, faster in ((100, 101), (103, 100), (100, 103)):
        copy = tmp_path / f"{slower}-{faster}.wav"
        soundfile.write(copy, resample_poly(samples, slower, faster, axis=0), rate)
        found = freshness(takes[name].envelope, heard(copy).envelope)
        assert found.state == "same_envelope", found
        assert found.speed == 1.0 or found.speed == pytest.approx(faster / slower, abs=0.003)


def test_a_long_copy_at_another_speed_is_found_and_another_call_is_not(tmp_path: Path) -> None:
    """Calls of a minute, where a thousandth of speed is six frames."""
    paths = sorted(CALLS.glob("harper-valley-bank/audio/*.flac"))[:2]
    one, two = (heard(path).envelope for path in paths)
    samples, rate = soundfile.read(paths[0], dtype="float64")
    for up, down in ((997, 1000), (100, 103), (1000, 973)):
        soundfile.write(tmp_path / "copy.wav", resample_poly(samples, up, down, axis=0), rate)
        copy = heard(tmp_path / "copy.wav").envelope
        found = freshness(one, copy)
        assert found.state == "same_envelope", found
        assert found.speed == pytest.approx(down / up, abs=0.0005)
        turned = freshness(one, Envelope(dbfs=copy.dbfs[::-1], hop_s=copy.hop_s))
        assert (turned.state, turned.exchanged) == ("same_envelope", True)
        assert freshness(one, copy, any_speed=False).state == "different"
    assert freshness(one, two).state == "different"


def test_one_party_alone_at_another_speed_leaves_it_open(takes: dict[str, Judged]) -> None:
    """One party is not heard on either; the other of the one is that of the other, 2 % faster."""
    one = takes["ami-en2002b-bc-0859.example.wav"].envelope
    count = one.dbfs.shape[1]
    faster = np.interp(np.arange(int(count / 1.02)) * 1.02, np.arange(count), one.dbfs[1])
    flat = np.full(count, -80.0)
    flat[:5] = -70.0
    first = Envelope(dbfs=np.stack([one.dbfs[1], flat]), hop_s=one.hop_s)
    second = Envelope(dbfs=np.stack([faster, np.full(len(faster), -80.0)]), hop_s=one.hop_s)
    assert freshness(first, second).state == "unknown"
    assert freshness(first, second, any_speed=False).state == "different"


def test_no_two_of_the_bundled_clips_are_taken_for_one(takes: dict[str, Judged]) -> None:
    found = [freshness(one.envelope, two.envelope) for one, two in combinations(takes.values(), 2)]
    assert len(found) == 66
    assert {item.state for item in found} == {"different"}
    assert max(item.correlation or 0 for item in found) < 0.7


def test_the_same_samples_need_no_envelope(takes: dict[str, Judged]) -> None:
    none = Envelope(dbfs=np.zeros((2, 0)), hop_s=0.01)
    assert freshness(none, none, first_pcm="a", second_pcm="a").state == "same_pcm"
    assert freshness(none, none, first_pcm="a", second_pcm="b").state == "unknown"


def test_the_same_caller_with_another_agent_is_another_take(takes: dict[str, Judged]) -> None:
    one, two = (takes[path.name].envelope for path in CLIPS[3:5])
    mixed = Envelope(dbfs=np.stack([one.dbfs[0], two.dbfs[1]]), hop_s=one.hop_s)
    assert freshness(one, mixed).state == "different"


def test_two_takes_that_begin_and_end_alike_are_two() -> None:
    """Speech of other content under the same on and off: levels that vary by 20 dB, 50 dB over the floor."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        on = np.zeros((2, 800), bool)
        on[0, 200:400] = on[1, 50:240] = True
        takes = [np.where(on, np.repeat(rng.uniform(-35, -15, (2, 80)), 10, axis=1), -80.0) for _ in range(2)]
        one, two = (Envelope(dbfs=take, hop_s=0.01) for take in takes)
        assert freshness(one, two).state == "different"
        assert freshness(one, one).state == "same_envelope"


def test_against_numpy_at_one_lag(takes: dict[str, Judged]) -> None:
    """The correlation at lag 0 of equally long envelopes is numpy's corrcoef."""
    rng = np.random.default_rng(1)
    base = rng.normal(-30, 8, (2, 900))
    other = base + rng.normal(0, 2, base.shape)
    found = freshness(Envelope(dbfs=base, hop_s=0.01), Envelope(dbfs=other, hop_s=0.01))
    floored = [np.maximum(rows, rows.max(axis=1, keepdims=True) - 20) for rows in (base, other)]
    expected = min(np.corrcoef(floored[0][ix], floored[1][ix])[0, 1] for ix in (0, 1))
    assert (found.lag_s, found.correlation) == (0.0, pytest.approx(expected, abs=1e-4))


@pytest.mark.parametrize("gain_db", [0.0, -9.0])
def test_a_copy_with_its_channels_exchanged_is_a_copy(takes: dict[str, Judged], gain_db: float) -> None:
    for take in takes.values():
        one = take.envelope
        found = freshness(one, Envelope(dbfs=one.dbfs[::-1] + gain_db, hop_s=one.hop_s))
        assert (found.state, found.exchanged, found.lag_s) == ("same_envelope", True, 0.0)
        assert freshness(one, one).exchanged is False


def test_a_party_that_never_moves_does_not_make_two_takes_of_a_copy(takes: dict[str, Judged]) -> None:
    """Hum within a dB, as on the line of somebody who only listens: the speech of the other is the same."""
    rng = np.random.default_rng(4)
    take = takes[CLIPS[3].name].envelope
    hum = rng.uniform(-40.4, -39.6, (2, take.dbfs.shape[1]))
    for flat in (0, 1):
        one, two = take.dbfs.copy(), take.dbfs - 6
        one[flat], two[flat] = hum
        sides = [Envelope(dbfs=rows, hop_s=take.hop_s) for rows in (one, two)]
        assert freshness(*sides).state == "unknown"
        assert freshness(sides[0], take).state == "unknown"
        other = np.repeat(rng.uniform(-35, -15, (2, 90)), 10, axis=1)
        other[flat] = rng.uniform(-40.4, -39.6, other.shape[1])
        assert freshness(sides[0], Envelope(dbfs=other, hop_s=take.hop_s)).state == "different"
    still = Envelope(dbfs=np.stack([hum[0], hum[1]]), hop_s=take.hop_s)
    assert freshness(still, still).state == "unknown"


def test_a_part_in_which_one_party_is_silent_is_not_told_to_be_another_take(takes: dict[str, Judged]) -> None:
    """The clip's second half on an otherwise still line of the agent."""
    take = takes[CLIPS[3].name].envelope
    part = take.dbfs[:, take.dbfs.shape[1] // 3 :].copy()
    part[1] = -70.0
    assert freshness(take, Envelope(dbfs=part, hop_s=take.hop_s)).state == "unknown"


@pytest.mark.parametrize(("frames", "level"), [(100, -30.0), (900, -120.0)])
def test_too_little_to_compare_is_unknown(frames: int, level: float) -> None:
    flat = Envelope(dbfs=np.full((2, frames), level), hop_s=0.01)
    assert freshness(flat, flat).state == "unknown"
