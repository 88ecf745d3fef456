"""Pieces of a recording: where they begin, what they keep, and what is refused."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.audio.mel import mel_spectrogram
from workbench.audio.snippet import cut, envelope
from workbench.errors import MissingExtra, UsageError

RATE = 8000


@pytest.fixture
def call(tmp_path: Path) -> Path:
    """Three seconds: the left channel sounds 440 Hz at 1.0-1.5 s, the right 1200 Hz at 2.0-2.25 s."""
    t = np.arange(3 * RATE) / RATE
    left = 0.5 * np.sin(2 * np.pi * 440 * t) * ((t >= 1.0) & (t < 1.5))
    right = 0.25 * np.sin(2 * np.pi * 1200 * t) * ((t >= 2.0) & (t < 2.25))
    path = tmp_path / "call.wav"
    soundfile.write(path, np.stack([left, right], axis=1), RATE, subtype="PCM_16")
    return path


def onsets(data: bytes) -> tuple[np.ndarray, list[float]]:
    samples, rate = soundfile.read(io.BytesIO(data), always_2d=True)
    assert rate == RATE
    return samples, [float(np.flatnonzero(np.abs(samples[:, c]) > 0.1)[0]) / rate for c in (0, 1)]


@pytest.mark.parametrize(("kind", "tolerance_s"), [("wav", 0.001), ("mp3", 0.02)])
def test_a_cut_keeps_both_channels_and_its_times(call: Path, kind: str, tolerance_s: float) -> None:
    samples, found = onsets(cut(call, 0.5, 2.5, format=kind))  # type: ignore[arg-type]
    assert samples.shape == (2 * RATE, 2)
    assert abs(found[0] - 0.5) < tolerance_s
    assert abs(found[1] - 1.5) < tolerance_s


def test_padding_is_cut_to_the_file(call: Path) -> None:
    samples, _ = onsets(cut(call, 0.2, 2.9, format="wav", pad_s=0.5))
    assert len(samples) == 3 * RATE


def test_the_same_cut_has_the_same_bytes_and_mp3_is_small(call: Path) -> None:
    assert cut(call, 0.5, 2.5) == cut(call, 0.5, 2.5)
    assert len(cut(call, 0.5, 2.5)) < len(cut(call, 0.5, 2.5, format="wav")) / 8


@pytest.mark.parametrize(("start", "end"), [(2.0, 2.0), (2.0, 1.0), (3.5, 4.0)])
def test_a_stretch_that_holds_nothing_is_refused(call: Path, start: float, end: float) -> None:
    with pytest.raises(UsageError):
        cut(call, start, end)


def test_mp3_refuses_what_it_cannot_carry_and_wav_takes_it(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "three.wav", np.ones((800, 3), np.int16), RATE, subtype="PCM_16")
    with pytest.raises(UsageError, match="3 channels at 8000 Hz"):
        cut(tmp_path / "three.wav", 0, 0.1)
    assert soundfile.info(io.BytesIO(cut(tmp_path / "three.wav", 0, 0.1, format="wav"))).channels == 3


def test_the_envelope_is_the_largest_sample_of_each_column(call: Path) -> None:
    drawn = envelope(call, 0.0, 3.0, columns=12)
    assert drawn.shape == (2, 12)
    assert np.flatnonzero(drawn[0] > 0.4).tolist() == [4, 5]
    assert np.flatnonzero(drawn[1] > 0.2).tolist() == [8]
    assert np.abs(drawn[0, 4] - 0.5) < 0.001
    assert drawn[0, 0] == 0.0


def test_an_envelope_beyond_the_file_is_flat(call: Path) -> None:
    drawn = envelope(call, -1.0, 5.0, columns=6)
    assert drawn[0].round(1).tolist() == [0.0, 0.0, 0.5, 0.0, 0.0, 0.0]
    assert not envelope(call, 7.0, 8.0, columns=4).any()


def test_an_envelope_finer_than_the_samples(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "few.wav", np.array([[8192], [-16384]], np.int16), RATE, subtype="PCM_16")
    assert envelope(tmp_path / "few.wav", 0, 2 / RATE, columns=4).tolist() == [[0.25, 0.25, 0.5, 0.5]]


def test_columns_equal_peaks_taken_one_by_one(call: Path) -> None:
    samples = np.abs(soundfile.read(call, dtype="int16")[0].astype(int))
    drawn = envelope(call, 0.9, 1.7, columns=64)
    for column in range(64):
        part = samples[7200 + column * 100 : 7300 + column * 100]
        assert drawn[:, column].tolist() == (part.max(axis=0) / 32768).tolist()


def test_the_mel_spectrogram_shows_each_tone_where_and_when_it_sounds(call: Path) -> None:
    import librosa

    mel = mel_spectrogram(call, 0.0, 3.0, bands=40)
    assert mel.shape == (2, 40, 301)
    centres = librosa.mel_frequencies(n_mels=42, fmax=RATE / 2)[1:-1]
    for channel, (at, hertz) in enumerate([(125, 440), (212, 1200)]):
        assert abs(centres[mel[channel, :, at].argmax()] - hertz) < 80
        assert mel[channel, :, at].max() - mel[channel, :, 50].max() > 40


def test_the_mel_spectrogram_refuses_what_means_nothing(call: Path) -> None:
    with pytest.raises(UsageError):
        mel_spectrogram(call, 4.0, 5.0)
    with pytest.raises(UsageError):
        mel_spectrogram(call, 0.0, 1.0, bands=0)


def test_the_mel_spectrogram_without_librosa_names_the_extra(call: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "librosa", None)
    with pytest.raises(MissingExtra, match=r"callbench\[audio\]"):
        mel_spectrogram(call, 0.0, 1.0)
