"""Frame levels against librosa, against sums taken one by one, and whatever the blocks."""

from __future__ import annotations

import math
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from workbench.audio.config import MeasureConfig
from workbench.audio.frames import frame_levels, to_dbfs
from workbench.audio.read import blocks
from workbench.errors import UsageError


def noise(samples: int, channels: int = 2, seed: int = 7) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.clip(rng.normal(0, 6000, (samples, channels)), -32768, 32767).astype(np.int16)


def one_by_one(samples: np.ndarray, hop: int, window: int) -> np.ndarray:
    """Windows summed in whole numbers, one after the other: the definition itself."""
    found = []
    for start in range(0, len(samples), hop):
        part = samples[start : start + window].astype(object)
        found.append([math.sqrt(sum(int(v) ** 2 for v in channel) / len(part)) / 32768 for channel in part.T])
    return np.array(found).T


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 22050, 44100, 48000])
@pytest.mark.parametrize("extra", [0, 1, 123])
def test_full_windows_are_those_of_librosa(rate: int, extra: int) -> None:
    import librosa

    config, samples = MeasureConfig(), noise(rate + extra)
    window, hop = config.window_samples(rate), config.hop_samples(rate)
    levels = frame_levels([samples], sample_rate_hz=rate, config=config)
    theirs = librosa.feature.rms(
        y=samples.T.astype(np.float64) / 32768,
        frame_length=window,
        hop_length=hop,
        center=False,
        dtype=np.float64,
    )[:, 0, :]
    assert np.abs(levels.rms[:, : theirs.shape[1]] - theirs).max() < 1e-6
    assert levels.rms.shape[1] == math.ceil(len(samples) / hop)
    assert levels.hop_s == hop / rate


@pytest.mark.parametrize(("frame_ms", "hop_ms"), [(20, 10), (25, 10), (11, 10), (7.3, 3.1), (30, 30), (50, 7)])
@pytest.mark.parametrize("count", [1, 79, 80, 81, 160, 1003])
def test_any_window_and_hop_equal_the_sums_taken_one_by_one(frame_ms: float, hop_ms: float, count: int) -> None:
    config, samples = MeasureConfig(frame_ms=frame_ms, hop_ms=hop_ms), noise(count)
    levels = frame_levels([samples], sample_rate_hz=8000, config=config)
    expected = one_by_one(samples, config.hop_samples(8000), config.window_samples(8000))
    assert levels.rms.shape == expected.shape
    assert np.abs(levels.rms - expected).max() < 1e-12


@pytest.mark.parametrize("size", [1, 79, 997, 80_000, 81_234])
def test_blocks_of_any_length_give_the_same_numbers(size: int) -> None:
    samples = noise(200_000 if size > 900 else 5_000)
    whole = frame_levels([samples], sample_rate_hz=22050)
    cut = frame_levels((samples[i : i + size] for i in range(0, len(samples), size)), sample_rate_hz=22050)
    assert np.array_equal(whole.rms, cut.rms)
    assert whole.peak.tolist() == cut.peak.tolist()
    assert whole.clipped_count.tolist() == cut.clipped_count.tolist()
    assert np.allclose(whole.power, cut.power, rtol=1e-12)


def test_full_scale_does_not_overflow() -> None:
    samples = np.full((48_000, 3), -32768, np.int16)
    levels = frame_levels([samples], sample_rate_hz=48000)
    assert np.all(levels.rms == 1.0)
    assert levels.peak.tolist() == [1.0, 1.0, 1.0]
    assert levels.clipped_count.tolist() == [48_000] * 3


def test_peak_and_clipping_by_channel() -> None:
    samples = np.zeros((5000, 2), np.int16)
    samples[4321, 0], samples[17, 1], samples[18, 1], samples[4999, 1] = -20_000, 32_441, -32_441, 32_440
    levels = frame_levels([samples], sample_rate_hz=8000)
    assert levels.peak.tolist() == [20_000 / 32768, 32_441 / 32768]
    assert levels.clipped_count.tolist() == [0, 2]


def test_levels_in_dbfs_are_those_of_the_formula() -> None:
    """20 log10(0.5) = -6.0206; a sine of full scale lies 3.0103 dB under it; silence is -120."""
    assert to_dbfs(np.array([1.0, 0.5, 0.0, 1e-9])).round(4).tolist() == [0.0, -6.0206, -120.0, -120.0]
    sine = (32767 * np.sin(2 * np.pi * 400 * np.arange(8000) / 8000)).astype(np.int16).reshape(-1, 1)
    levels = frame_levels([sine], sample_rate_hz=8000)
    assert np.abs(to_dbfs(levels.rms)[0, :99] + 3.0103).max() < 0.001


def test_a_constant_offset_counts_as_level() -> None:
    samples = np.full((8000, 1), 3277, np.int16)
    assert abs(to_dbfs(frame_levels([samples], sample_rate_hz=8000).rms)[0, 0] + 20.0) < 0.01


def test_no_blocks_are_no_frames() -> None:
    levels = frame_levels([], sample_rate_hz=8000)
    assert levels.rms.shape == (0, 0)
    assert levels.frame_count == 0


@pytest.mark.parametrize("bad", [np.zeros(10, np.int16), np.zeros((10, 2), np.float32), np.zeros((10, 1), np.int16)])
def test_blocks_that_do_not_fit_are_refused(bad: np.ndarray) -> None:
    with pytest.raises(UsageError):
        frame_levels([noise(100), bad], sample_rate_hz=8000)


def test_memory_does_not_grow_with_the_samples(tmp_path: Path) -> None:
    """Twenty minutes of 8 kHz stereo are 38 MB of samples and 1.9 MB of levels."""
    path = tmp_path / "long.raw"
    minute = noise(8000 * 60, 1)
    with path.open("wb") as file:
        for _ in range(40):
            file.write(minute.tobytes())
    assert path.stat().st_size > 38_000_000
    tracemalloc.start()
    levels = frame_levels(blocks(path, encoding="pcm_s16le", sample_rate_hz=16000), sample_rate_hz=16000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert levels.duration_s == 1200.0
    assert peak < 10_000_000


@pytest.mark.parametrize(
    "values",
    [
        {"hop_ms": 0.0},
        {"hop_ms": 1e-9},
        {"hop_ms": 0.999},
        {"hop_ms": 20.1},
        {"frame_ms": -1.0},
        {"frame_ms": 9.0},
        {"frame_ms": 10_001.0},
        {"noise_percentile": 1.5},
        {"hangover_s": -0.1},
    ],
)
def test_a_config_that_means_nothing_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        MeasureConfig(**values)


def test_the_id_of_a_config_is_the_hash_of_its_json() -> None:
    """Taken with sha256sum of the text written out here."""
    import hashlib

    text = (
        '{"abs_gate_db":-60.0,"backend":"energy","dyn_margin_db":22.0,"faint_db":20.0,"frame_ms":20.0,"hangover_s":0.15,'
        '"hop_ms":10.0,"noise_percentile":0.1,"rel_db":15.0}'
    )
    assert MeasureConfig().config_id == hashlib.sha256(text.encode()).hexdigest()[:12]
    assert MeasureConfig(hop_ms=10).config_id == MeasureConfig().config_id
    assert MeasureConfig(rel_db=14).config_id != MeasureConfig().config_id
