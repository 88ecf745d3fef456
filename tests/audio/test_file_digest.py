"""One reading gives the digests of a file and of its samples: hashlib's own. A changed file is read anew."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.audio.file_digest import file_sha256, pcm16_sha256
from workbench.audio.read import blocks, pcm_sha256


def noise(samples: int, channels: int = 2) -> np.ndarray:
    return np.random.default_rng(samples).integers(-9000, 9000, size=(samples, channels), dtype=np.int16)


@pytest.mark.parametrize("samples", [1, 7, 4000, 700_000])
def test_both_digests_of_a_pcm16_wav(tmp_path: Path, samples: int) -> None:
    path = tmp_path / "a.wav"
    soundfile.write(path, noise(samples), 8000, subtype="PCM_16")
    path.write_bytes(path.read_bytes() + b"LIST\x04\x00\x00\x00abcd")  # a chunk after the samples is no sample
    assert file_sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()
    wanted = hashlib.sha256(noise(samples).astype("<i2").tobytes()).hexdigest()
    assert pcm16_sha256(path) == wanted
    assert pcm_sha256(path) == wanted
    assert hashlib.sha256(np.concatenate(list(blocks(path))).tobytes()).hexdigest() == wanted


@pytest.mark.parametrize(("name", "subtype"), [("a.flac", "PCM_16"), ("a.wav", "ULAW"), ("b.wav", "FLOAT")])
def test_other_sound_is_decoded_for_its_samples(tmp_path: Path, name: str, subtype: str) -> None:
    path = tmp_path / name
    soundfile.write(path, noise(4000), 8000, subtype=subtype)
    assert pcm16_sha256(path) is None
    assert file_sha256(path) == hashlib.sha256(path.read_bytes()).hexdigest()
    assert pcm_sha256(path) == hashlib.sha256(np.concatenate(list(blocks(path))).tobytes()).hexdigest()


def test_a_changed_file_is_read_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"one")
    first = file_sha256(path)
    path.write_bytes(b"two")
    os.utime(path, ns=(1, 1))
    assert file_sha256(path) == hashlib.sha256(b"two").hexdigest() != first


def test_no_file_and_empty_file(tmp_path: Path) -> None:
    (tmp_path / "empty.wav").touch()
    assert file_sha256(tmp_path / "empty.wav") == hashlib.sha256(b"").hexdigest()
    with pytest.raises(FileNotFoundError):
        file_sha256(tmp_path / "none.wav")
