"""Float samples that are finite and that no sound has: no warning of numpy's, and a warning of ours."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.analysis.incidents_of_file import examine
from workbench.audio.read import to_int16
from workbench.errors import ImportFailed


def written(path: Path, value: float, *, count: int) -> Path:
    sound = np.random.default_rng(1).normal(0, 0.05, (16000, 2)).astype(np.float32)
    sound[100 : 100 + count, 0] = value
    soundfile.write(path, sound, 8000, subtype="FLOAT")
    return path


@pytest.mark.parametrize("value", [1e38, -1e38, 1e30, np.inf])
def test_a_few_are_warned_of(tmp_path: Path, value: float) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = examine(written(tmp_path / "x.wav", value, count=2))
    assert "non_finite_samples" in found.health["warnings"]


def test_a_loud_one_is_none_of_them(tmp_path: Path) -> None:
    """A float file scaled as 16-bit whole numbers is far over full scale, and damaged it is not."""
    assert "non_finite_samples" not in examine(written(tmp_path / "x.wav", 32767.0, count=2)).health["warnings"]


def test_many_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match="beyond all scale"):
        examine(written(tmp_path / "x.wav", 1e38, count=200))


def test_they_become_full_scale() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert to_int16(np.array([3e38, -3e38], np.float32)).tolist() == [32767, -32768]
