"""Acoustic features of made sounds, against formulas and counts by hand."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from workbench.audio.acoustic_config import AcousticConfig
from workbench.audio.acoustics import acoustics
from workbench.errors import MissingExtra, UsageError

RATE = 16_000
STEP = 2 ** (0.1 / 12) - 1
"""Half a step of the pitch grid, 0.2 semitones: the largest error that the grid allows."""


def samples(sound: np.ndarray) -> np.ndarray:
    return np.clip(np.rint(sound * 32768), -32768, 32767).astype(np.int16)


def tone(hz: float, *, amplitude: float = 0.5, seconds: float = 2.0, rate: int = RATE) -> np.ndarray:
    return amplitude * np.sin(2 * math.pi * hz * np.arange(round(seconds * rate)) / rate)


def band(low_hz: float, high_hz: float, *, seconds: float = 4.0, seed: int = 3) -> np.ndarray:
    """Noise with equal power at every frequency of a band and none outside: phases are random, sizes are not."""
    count = round(seconds * RATE)
    frequencies = np.fft.rfftfreq(count, 1 / RATE)
    phases = np.random.default_rng(seed).uniform(0, 2 * math.pi, len(frequencies))
    spectrum = np.where((frequencies >= low_hz) & (frequencies <= high_hz), np.exp(1j * phases), 0)
    sound = np.fft.irfft(spectrum, count)
    return 0.3 * sound / np.abs(sound).max()


def white(*, sigma: float, seconds: float, rate: int = RATE, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).normal(0, sigma, round(seconds * rate))


@pytest.mark.parametrize("hz", [80.0, 220.0, 440.0])
def test_a_pure_tone_has_its_own_pitch_level_and_centroid(hz: float) -> None:
    found = acoustics([samples(tone(hz))], RATE)
    assert found.f0_median_hz == pytest.approx(hz, rel=STEP * 1.01)
    assert found.f0_p10_hz == pytest.approx(hz, rel=3 * STEP)  # a frame may fall on the next step of the grid
    assert found.f0_p90_hz == pytest.approx(hz, rel=3 * STEP)
    assert found.voiced_fraction == pytest.approx(1.0, abs=0.02)
    # mean square of a sine of amplitude a is a^2 / 2
    assert found.level_dbfs == pytest.approx(10 * math.log10(0.5**2 / 2), abs=0.01)
    assert found.centroid_hz == pytest.approx(hz, abs=31.25)  # a bin
    assert found.flatness is not None
    assert found.flatness < 1e-4
    assert found.narrow_band is True
    assert found.clipped_fraction == 0.0
    assert found.reason is None


def test_a_harmonic_tone_has_the_pitch_of_its_fundamental_and_the_centroid_of_its_sizes() -> None:
    sizes = {1: 0.10, 2: 0.20, 3: 0.15, 4: 0.05}  # the second harmonic is the strongest
    found = acoustics([samples(sum(tone(150.0 * n, amplitude=size) for n, size in sizes.items()))], RATE)
    assert found.f0_median_hz == pytest.approx(150.0, rel=STEP * 1.01)
    wanted = sum(150.0 * n * size for n, size in sizes.items()) / sum(sizes.values())  # 345 Hz
    assert wanted == pytest.approx(345.0)
    assert found.centroid_hz == pytest.approx(wanted, rel=0.02)
    level = 10 * math.log10(sum(size**2 / 2 for size in sizes.values()))
    assert found.level_dbfs == pytest.approx(level, abs=0.05)


def test_pulses_are_as_many_a_second_as_were_put_in() -> None:
    sound = np.zeros(2 * RATE)
    sound[::128] = 0.8  # 250 pulses in 32,000 samples: 125 a second
    assert np.count_nonzero(sound) == 250
    found = acoustics([samples(sound)], RATE)
    assert found.f0_median_hz == pytest.approx(250 / 2, rel=2 * STEP)


def test_a_glide_spans_its_range() -> None:
    seconds, low, high = 4.0, 100.0, 200.0
    at = np.arange(round(seconds * RATE)) / RATE
    glide = 0.4 * np.sin(2 * math.pi * (low * at + (high - low) * at**2 / (2 * seconds)))
    found = acoustics([samples(glide)], RATE)
    assert found.f0_p10_hz == pytest.approx(110.0, rel=0.02)
    assert found.f0_median_hz == pytest.approx(150.0, rel=0.02)
    assert found.f0_p90_hz == pytest.approx(190.0, rel=0.02)


def test_white_noise_is_as_flat_as_theory_says_and_has_no_pitch() -> None:
    found = acoustics([samples(white(sigma=0.1, seconds=4.0))], RATE)
    # the power of a bin is exponentially distributed: exp(E[ln X]) / E[X] = exp(-Euler's constant)
    assert found.flatness == pytest.approx(math.exp(-np.euler_gamma), abs=0.02)
    assert found.centroid_hz == pytest.approx(RATE / 4, rel=0.01)
    assert found.rolloff_hz == pytest.approx(0.85 * RATE / 2, rel=0.01)
    assert found.bandwidth_hz == pytest.approx(RATE / 2)
    assert found.narrow_band is False
    assert found.voiced_fraction is not None
    assert found.voiced_fraction < 0.1
    assert found.level_dbfs == pytest.approx(20 * math.log10(0.1), abs=0.05)


@pytest.mark.parametrize(("edge_hz", "narrow"), [(2000.0, True), (3400.0, True), (7000.0, False)])
def test_band_limited_noise_ends_where_its_band_ends(edge_hz: float, narrow: bool) -> None:
    found = acoustics([samples(band(0.0, edge_hz))], RATE)
    assert found.bandwidth_hz is not None
    assert edge_hz - 32 <= found.bandwidth_hz <= edge_hz + 160  # the window leaks upwards
    assert found.rolloff_hz == pytest.approx(0.85 * edge_hz, rel=0.03)
    assert found.centroid_hz == pytest.approx(edge_hz / 2, rel=0.03)
    assert found.narrow_band is narrow


def test_hum_stands_out_by_what_its_amplitude_gives() -> None:
    rate, amplitude, sigma = 8000, 0.01, 0.001
    noise = white(sigma=sigma, seconds=20.0, rate=rate)
    found = acoustics([samples(noise + tone(50.0, amplitude=amplitude, seconds=20.0, rate=rate))], rate)
    # Hann window of N samples: a tone on a bin has (A N / 4)^2 there and a quarter of it in both neighbours, so half
    # of it over the three bins; a bin of noise has sigma^2 3 N / 8. Their ratio is A^2 N / (12 sigma^2).
    wanted = 10 * math.log10(amplitude**2 * rate / (12 * sigma**2))  # 48.2 dB
    assert found.hum_50_db == pytest.approx(wanted, abs=1.0)
    assert found.hum_60_db == pytest.approx(0.0, abs=2.0)
    quiet = acoustics([samples(noise)], rate)
    assert quiet.hum_50_db == pytest.approx(0.0, abs=2.0)


def test_hum_at_60_is_not_hum_at_50() -> None:
    sound = white(sigma=0.001, seconds=5.0) + tone(60.0, amplitude=0.01, seconds=5.0)
    found = acoustics([samples(sound)], RATE)
    assert found.hum_60_db is not None
    assert found.hum_60_db > 40
    assert found.hum_50_db == pytest.approx(0.0, abs=3.0)


def test_clipped_samples_are_counted() -> None:
    sound = samples(tone(200.0, amplitude=0.3, seconds=1.0))
    sound[100:110], sound[500:505] = 32767, -32768
    assert acoustics([sound], RATE).clipped_fraction == 15 / 16_000


def test_pauses_do_not_count() -> None:
    sound = samples(tone(200.0, seconds=1.0))
    paused = np.concatenate([sound, np.zeros(3 * RATE, np.int16)])
    alone, with_pause = acoustics([sound], RATE), acoustics([paused], RATE)
    assert with_pause.f0_median_hz == alone.f0_median_hz
    assert with_pause.level_dbfs == pytest.approx(alone.level_dbfs, abs=0.1)
    assert with_pause.centroid_hz == pytest.approx(alone.centroid_hz, rel=0.01)


def test_a_long_stretch_in_pieces_sounds_like_one() -> None:
    sound = samples(sum(tone(130.0 * n, amplitude=0.1, seconds=3.0) for n in (1, 2, 3)))
    whole, parts = acoustics([sound], RATE), acoustics([sound[:RATE], sound[RATE:]], RATE)
    assert parts.f0_median_hz == whole.f0_median_hz
    assert parts.level_dbfs == pytest.approx(whole.level_dbfs, abs=0.01)
    assert parts.centroid_hz == pytest.approx(whole.centroid_hz, rel=0.001)
    assert parts.bandwidth_hz == whole.bandwidth_hz


def test_what_cannot_be_described_says_why() -> None:
    nothing = acoustics([], RATE)
    assert (nothing.reason, nothing.clipped_fraction) == ("outside the recording", None)
    short = acoustics([np.full(100, 32767, np.int16)], RATE)
    assert short.reason == "shorter than a frame of 0.032 s"
    assert (short.level_dbfs, short.clipped_fraction) == (None, 1.0)
    silent = acoustics([np.zeros(RATE, np.int16)], RATE)
    assert silent.reason == "silence below -70 dBFS"
    assert (silent.level_dbfs, silent.f0_median_hz, silent.hum_50_db, silent.clipped_fraction) == (None, None, None, 0)
    brief = acoustics([samples(tone(200.0, seconds=0.5))], RATE)
    assert brief.f0_median_hz is not None
    assert (brief.hum_50_db, brief.hum_60_db) == (None, None)


def test_without_librosa_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "librosa", None)
    with pytest.raises(MissingExtra, match="audio"):
        acoustics([samples(tone(200.0))], RATE)


def test_other_settings_have_another_id_and_impossible_ones_are_refused() -> None:
    assert AcousticConfig().config_id == AcousticConfig().config_id
    assert AcousticConfig(loud_db=20.0).config_id != AcousticConfig().config_id
    for wrong in ({"hop_s": 0.0}, {"f0_min_hz": 20.0}, {"f0_max_hz": 50.0}, {"rolloff_fraction": 1.0}):
        with pytest.raises(UsageError):
            AcousticConfig(**wrong)
