"""Digests taken ahead change nothing of what is read."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path

import numpy as np
import pytest
import soundfile as sf

from workbench.audio import file_digest
from workbench.errors import ImportFailed
from workbench.ingest import read
from workbench.ingest.intake import ahead
from workbench.ingest.protocol import Options
from workbench.schema.call import Call, Refusal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Thirty short calls and one that is no audio."""
    for ix in range(30):
        noise = np.random.default_rng(ix).integers(-3000, 3000, size=(800, 2), dtype=np.int16)
        sf.write(tmp_path / f"call-{ix:02d}.wav", noise, 8000)
    (tmp_path / "call-07x.wav").write_bytes(b"no audio")
    return tmp_path


def _line(item: Call | Refusal) -> str:
    if isinstance(item, Refusal):
        return f"{item.rule} {Path(item.source_uri).name}"
    return f"{item.id} {item.source_sha256}"


def told(folder: Path, workers: int) -> list[str]:
    """What is read, call by call: its id and digest, or the rule that refuses it. One file vanishes on the way."""
    file_digest._digests.cache_clear()
    found = read([folder], Options(channels=("caller", "agent")), workers=workers)
    (folder / "call-20.wav").rename(folder / "hidden")
    try:
        return [_line(item) for item in found]
    finally:
        (folder / "hidden").rename(folder / "call-20.wav")


def test_calls_and_refusals_are_the_same_with_any_number_of_workers(folder: Path) -> None:
    one, two, many = (told(folder, workers) for workers in (1, 2, 16))
    assert one == two == many
    assert len(one) == 31
    sound = hashlib.sha256((folder / "call-00.wav").read_bytes()).hexdigest()
    assert one[0] == f"call-00 {sound}"
    assert [line for line in one if line.endswith(".wav")] == ["not_audio call-07x.wav", "unreadable call-20.wav"]


def test_the_digests_are_known_when_a_call_is_read(folder: Path) -> None:
    file_digest._digests.cache_clear()
    calls = [item for item in read([folder], workers=2) if isinstance(item, Call)]
    info = file_digest._digests.cache_info()
    assert len(calls) == 30
    assert info.misses <= 31
    assert info.hits >= 30


def test_threads_begin_before_the_first_call_is_asked_for_and_end_when_closed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, released = threading.Event(), threading.Event()
    asked: list[Path] = []

    def slow(path: Path) -> str:
        asked.append(path)
        begun.set()
        released.wait(5.0)
        return ""

    monkeypatch.setattr(ahead, "file_sha256", slow)
    threads = threading.active_count()
    reading = read([folder], workers=2)
    assert begun.wait(5.0)
    released.set()
    reading.close()
    assert threading.active_count() == threads
    assert len(asked) < 31
    assert list(reading) == []


def test_a_strict_reading_ends_at_the_first_refusal_with_work_still_ahead(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ahead, "PER_WORKER", 4)
    file_digest._digests.cache_clear()
    threads = threading.active_count()
    with pytest.raises(ImportFailed, match="not a sound file"):
        list(read([folder], Options(strict=True, channels=("caller", "agent")), workers=2))
    assert threading.active_count() == threads
    assert file_digest._digests.cache_info().misses < 31


@pytest.mark.parametrize("error", [ImportFailed("odd"), RuntimeError("odd")])
def test_what_goes_wrong_ahead_is_left_for_the_reader(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def failing(_path: Path) -> str:
        raise error

    monkeypatch.setattr(ahead, "file_sha256", failing)
    assert sum(isinstance(item, Call) for item in read([folder], workers=2)) == 30
