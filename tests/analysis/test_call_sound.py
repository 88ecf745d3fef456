"""A stretch of a call sounds as its recording does, and a missing or changed file is never silence."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.analysis.call_audio import sides, stretch
from workbench.analysis.call_spectrogram import band_edges_hz, call_spectrogram, gather
from workbench.archive.archive import Archive
from workbench.errors import ArchiveFailed, NotScorable, UsageError
from workbench.schema.call import Audio, Call

HARPER, TEXT_ONLY, MONO = (
    "ff0296d00e5e4184",
    "gpt-4o-airline-first-20-task2-trial0",
    "05cec3d4-0561-4010-9fb8-23cc7edef146",
)


@pytest.fixture(scope="module")
def archive(demo_archive: Path) -> Iterator[Archive]:
    with Archive(demo_archive) as opened:
        yield opened


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Archive]:
    """Two mono files at different rates: the agent's begins 1 s into the call."""
    folder = tmp_path_factory.mktemp("pair")
    soundfile.write(folder / "caller.wav", np.full(8000 * 4, 1000, np.int16), 8000)
    soundfile.write(folder / "agent.wav", np.full(16000 * 2, -2000, np.int16), 16000)
    audio = [
        Audio(path=str(folder / "caller.wav"), channels=["caller"], boundary="uploaded"),
        Audio(path=str(folder / "agent.wav"), channels=["agent"], boundary="agent_output", offset_s=1.0),
    ]
    call = Call(id="pair", source_format="made", source_uri="pair", source_sha256="0" * 64, audio=audio)
    with Archive.create(folder / "archive") as opened:
        opened.add([call])
        yield opened


def test_a_stretch_is_the_recording_s_own_samples(archive: Archive) -> None:
    found = stretch(archive, HARPER, start_s=12.82, end_s=17.38)
    samples, rate = soundfile.read(io.BytesIO(found.wav), dtype="int16")
    side = sides(archive, HARPER)[0]
    whole, whole_rate = soundfile.read(side.path, dtype="int16")
    offset = side.recording["offset_s"]
    begin = round((12.82 - offset) * whole_rate)
    order = [side.recording["channel_roles"].index(role) for role in found.roles]
    assert rate == whole_rate
    assert found.roles == ("caller", "agent")
    assert len(samples) / rate == pytest.approx(4.56, abs=1 / rate)
    np.testing.assert_array_equal(samples, whole[begin : begin + len(samples), order])


def test_two_files_lie_beside_each_other_on_the_call_s_clock(made: Archive) -> None:
    found = stretch(made, "pair", start_s=0.5, end_s=3.5)
    samples, rate = soundfile.read(io.BytesIO(found.wav), dtype="int16")
    assert (rate, len(samples), found.roles) == (16000, 48000, ("caller", "agent"))
    assert set(samples[:, 0]) == {1000}
    assert not samples[:8000, 1].any()
    assert set(samples[8000:40000, 1]) == {-2000}
    assert not samples[40000:, 1].any()


def test_one_mixed_channel_is_played_as_it_is(archive: Archive) -> None:
    assert stretch(archive, MONO, start_s=0.0, end_s=1.0).roles == ("mixed",)


def test_it_is_cut_to_the_audio_and_refused_outside(archive: Archive, made: Archive) -> None:
    assert stretch(made, "pair", start_s=-5.0, end_s=99.0).duration_s == pytest.approx(4.0)
    with pytest.raises(UsageError, match="outside the audio"):
        stretch(archive, HARPER, start_s=500.0, end_s=501.0)
    with pytest.raises(UsageError, match="no length"):
        stretch(archive, HARPER, start_s=5.0, end_s=5.0)


def test_no_audio_is_said(archive: Archive) -> None:
    with pytest.raises(NotScorable, match="no audio"):
        stretch(archive, TEXT_ONLY, start_s=0.0, end_s=1.0)


@pytest.mark.parametrize("harm", ["missing", "changed"])
def test_a_missing_or_changed_file_is_an_error(demo_archive: Path, tmp_path: Path, harm: str) -> None:
    shutil.copytree(demo_archive, tmp_path / "archive")
    with Archive(tmp_path / "archive") as copy:
        path = sides(copy, HARPER)[0].path
        if harm == "missing":
            path.unlink()
        else:
            path.write_bytes(path.read_bytes()[:-2] + b"\0\1")
        with pytest.raises(ArchiveFailed, match="missing" if harm == "missing" else "bytes differ"):
            stretch(copy, HARPER, start_s=0.0, end_s=1.0)


def test_a_spectrogram_has_a_picture_a_side(archive: Archive) -> None:
    found = call_spectrogram(archive, HARPER, start_s=12.0, end_s=20.0, bands=40, columns=200)
    assert [picture.role for picture in found] == ["caller", "agent"]
    assert {picture.power_db.shape for picture in found} == {(40, 200)}
    assert all(np.ptp(picture.power_db) > 10 for picture in found)
    with pytest.raises(UsageError, match="cannot be shown"):
        call_spectrogram(archive, HARPER, start_s=0.0, end_s=121.0)


def test_a_tone_lies_in_its_band(tmp_path: Path) -> None:
    time_s = np.arange(16000) / 8000
    tone = np.round(8000 * np.sin(2 * np.pi * 1500 * time_s)).astype(np.int16)
    soundfile.write(tmp_path / "tone.wav", tone, 8000)
    audio = [Audio(path=str(tmp_path / "tone.wav"), channels=["caller"])]
    call = Call(id="tone", source_format="made", source_uri="tone", source_sha256="0" * 64, audio=audio)
    with Archive.create(tmp_path / "archive") as opened:
        opened.add([call])
        picture = call_spectrogram(opened, "tone", start_s=0.5, end_s=1.5)[0]
    band = int(picture.power_db.mean(axis=1).argmax())
    assert picture.band_edges_hz[band] <= 1500 <= picture.band_edges_hz[band + 1]


@pytest.mark.parametrize(("bands", "highest_hz"), [(1, 4000.0), (64, 4000.0), (128, 11025.0), (10, 800.0)])
def test_edges_lie_between_librosa_s_band_centres(bands: int, highest_hz: float) -> None:
    """Golden: `librosa.mel_frequencies`, whose points 1..bands are the centres of its filter bank."""
    import librosa

    centres = librosa.mel_frequencies(n_mels=bands + 2, fmin=0.0, fmax=highest_hz)[1:-1]
    edges = band_edges_hz(bands, highest_hz)
    assert (edges[:-1] < centres).all()
    assert (centres < edges[1:]).all()
    between = librosa.mel_to_hz((librosa.hz_to_mel(centres[:-1]) + librosa.hz_to_mel(centres[1:])) / 2)
    np.testing.assert_allclose(edges[1:-1], between, rtol=1e-12)


def test_gathering_keeps_the_loudest_of_each_column() -> None:
    power = np.array([[1.0, 5.0, 2.0, 0.0, 7.0]])
    assert gather(power, columns=2).tolist() == [[5.0, 7.0]]
    assert gather(power, columns=9) is power
