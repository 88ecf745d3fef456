"""Perturbations against libsndfile's G.711, against levels counted from samples, and as series."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from workbench.audio.perturb import Sound, gain, leak, mu_law, noise, packet_loss, perturbations, telephone


def tone(seconds: float = 1.0, rate: int = 16_000, hz: float = 1000.0, size: float = 8000.0) -> Sound:
    wave = np.rint(size * np.sin(2 * np.pi * hz * np.arange(round(seconds * rate)) / rate)).astype(np.int16)
    return Sound(samples=np.stack([wave, np.zeros_like(wave)], axis=1), sample_rate_hz=rate)


def test_mu_law_is_that_of_libsndfile(tmp_path: Path) -> None:
    every = np.arange(-32768, 32768, dtype=np.int16)
    sf.write(tmp_path / "u.wav", every, 8000, subtype="ULAW")
    decoded, _ = sf.read(tmp_path / "u.wav", dtype="int16")
    assert np.array_equal(mu_law(every)[1:], decoded[1:])


def test_noise_has_the_level_that_is_asked_for() -> None:
    sound = tone()
    added = noise(sound, 20.0, 3).samples.astype(float)[:, 0] - sound.samples[:, 0]
    assert np.sqrt(np.mean(added**2)) == pytest.approx(8000 / np.sqrt(2) / 10, rel=0.03)
    assert not noise(sound, 20.0, 3).samples[:, 1].any()  # no speech there, so no level to be 20 dB below
    assert np.array_equal(noise(sound, 20.0, 3).samples, noise(sound, 20.0, 3).samples)
    assert not np.array_equal(noise(sound, 20.0, 3).samples, noise(sound, 20.0, 4).samples)


def test_gain_scales_and_clips() -> None:
    assert gain(tone(), -6.0206).samples.max() == 4000
    assert gain(tone(), 20.0).samples.max() == 32767


@pytest.mark.parametrize(
    ("hz", "passes"), [(50, False), (100, False), (300, True), (1000, True), (3400, True), (3800, False)]
)
def test_a_telephone_line_passes_its_band(hz: float, *, passes: bool) -> None:
    sound = telephone(tone(hz=hz))
    assert sound.sample_rate_hz == 8000
    assert len(sound.samples) == 8000
    size = float(np.abs(sound.samples[1000:-1000, 0].astype(float)).max())
    assert size == pytest.approx(8000, rel=0.04) if passes else size < 100


def test_lost_packets_are_whole_and_stay_lost() -> None:
    sound = Sound(samples=np.full((160_000, 2), 7, np.int16), sample_rate_hz=16_000)
    few, many = packet_loss(sound, 10.0, 1).samples, packet_loss(sound, 30.0, 1).samples
    packets = few.reshape(500, 320, 2)
    silent = (packets == 0).all(axis=(1, 2))
    assert (silent | (packets == 7).all(axis=(1, 2))).all()
    assert 30 <= silent.sum() <= 70
    assert (many[few == 0] == 0).all()


def test_a_leak_is_a_softer_and_later_copy() -> None:
    sound = tone()
    leaked = leak(0, 1)(sound, -20.0).samples
    assert not leaked[:320, 1].any()
    assert leaked[320:, 1] == pytest.approx(sound.samples[:-320, 0] / 10, abs=0.51)
    assert np.array_equal(leaked[:, 0], sound.samples[:, 0])


def test_levels_go_one_way_and_leakage_needs_two_parties() -> None:
    for kind in perturbations():
        steps = np.diff(kind.levels)
        assert (steps > 0).all() or (steps < 0).all()
    assert [kind.name for kind in perturbations(agent=None)][-1] == "packet_loss"
