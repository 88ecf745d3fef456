"""The threshold and the hangover, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from workbench.audio.activity import activity, noise_floor, threshold
from workbench.audio.config import MeasureConfig
from workbench.errors import UsageError

CONFIG = MeasureConfig()


def test_the_noise_floor_is_an_element_and_not_an_interpolation() -> None:
    levels = np.arange(-70.0, -50.0)  # 20 levels: rank int(0.1 * 19) = 1
    assert noise_floor(levels, 0.10) == -69.0
    assert noise_floor(levels[::-1].copy(), 0.10) == -69.0
    assert noise_floor(np.array([-33.0]), 0.10) == -33.0


def test_the_threshold_lies_15_db_above_the_floor() -> None:
    assert threshold(-50.0, -10.0, CONFIG) == -35.0  # cap is -32, above it


def test_the_threshold_never_lies_under_the_gate() -> None:
    assert threshold(-100.0, -62.0, CONFIG) == -60.0  # cap -84 is under the gate


def test_a_channel_that_is_never_silent_is_still_heard() -> None:
    levels = np.array([-20.0] * 19 + [-12.0])  # floor + 15 = -5 would hide all of it; cap = -34
    assert threshold(-20.0, -12.0, CONFIG) == -34.0
    assert activity(levels, hop_s=0.01).active.all()


def test_a_frame_at_the_threshold_is_speech_and_the_hangover_is_15_frames() -> None:
    levels = np.full(60, -80.0)
    levels[[10, 40]] = -60.0  # the gate itself
    heard = activity(levels, hop_s=0.01)
    assert np.flatnonzero(heard.loud).tolist() == [10, 40]
    assert np.flatnonzero(heard.active).tolist() == [*range(10, 26), *range(40, 56)]
    assert np.flatnonzero(heard.trimmed).tolist() == [10, 40]


def test_a_gap_of_15_frames_is_bridged_and_one_of_16_is_not() -> None:
    levels = np.full(80, -80.0)
    levels[[5, 21, 38]] = -30.0
    heard = activity(levels, hop_s=0.01)
    assert np.flatnonzero(~heard.active).tolist() == [*range(5), 37, *range(54, 80)]
    assert np.flatnonzero(heard.trimmed).tolist() == [*range(5, 22), 38]


def test_speech_up_to_the_end_has_no_frames_beyond_it() -> None:
    levels = np.full(20, -80.0)
    levels[18] = -30.0
    assert np.flatnonzero(activity(levels, hop_s=0.01).active).tolist() == [18, 19]


def test_without_hangover_speech_is_what_is_loud() -> None:
    levels = np.full(30, -80.0)
    levels[[3, 4, 9]] = -30.0
    heard = activity(levels, hop_s=0.01, config=MeasureConfig(hangover_s=0.0))
    assert np.array_equal(heard.active, heard.loud)


def test_digital_silence_is_no_speech() -> None:
    heard = activity(np.full(100, -120.0), hop_s=0.01)
    assert not heard.active.any()
    assert (heard.noise_floor_dbfs, heard.threshold_dbfs) == (-120.0, -60.0)


def test_no_frames_have_no_threshold() -> None:
    heard = activity(np.zeros(0), hop_s=0.01)
    assert heard.active.shape == heard.trimmed.shape == (0,)
    assert heard.threshold_dbfs is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"rel_db": float("nan")},
        {"rel_db": float("inf")},
        {"rel_db": -1.0},
        {"abs_gate_db": 1.0},
        {"hangover_s": 1e308},
        {"frame_ms": float("nan")},
        {"hop_ms": 0.0},
    ],
)
def test_numbers_that_cannot_be_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        MeasureConfig(**wrong)
