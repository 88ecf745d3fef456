"""Ctrl-C inside a callback of libsndfile, and in threads that read sound."""

from __future__ import annotations

import io
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from workbench.archive.side_by_side import side_by_side
from workbench.audio import read, section, snippet, stopping
from workbench.audio.perturb import Sound, noise, speech_rms
from workbench.audio.read import blocks
from workbench.audio.source import identify
from workbench.errors import UsageError
from workbench.timing.contracts import clip

RATE = 8000


@pytest.fixture(autouse=True)
def _python_handles_it() -> Any:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def wav(tmp_path: Path) -> Path:
    path = tmp_path / "a.wav"
    sound = np.random.default_rng(1).integers(-3000, 3000, (4 * RATE, 2)).astype(np.int16)
    soundfile.write(path, sound, RATE, subtype="PCM_16")
    return path


class Pressed(io.BytesIO):
    """A file in memory at whose first write Ctrl-C is pressed, while libsndfile waits for it."""

    presses = 1

    def write(self, data: Any) -> int:
        if self.presses:
            self.presses = 0
            signal.raise_signal(signal.SIGINT)
        return super().write(data)


class InMemory:
    """Stands for the module `io`."""

    BytesIO = Pressed


def _snippet(path: Path) -> Any:
    return snippet.cut(path, 0.0, 1.0)


def _clip(_path: Path) -> Any:
    return clip._wav(np.zeros((RATE, 2), np.int16), RATE)


@pytest.mark.parametrize(("module", "make"), [(snippet, _snippet), (clip, _clip)], ids=["snippet", "clip"])
def test_it_is_not_swallowed_while_sound_is_encoded(
    module: Any, make: Callable[[Path], Any], wav: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    monkeypatch.setattr(module, "io", InMemory)
    with pytest.raises(KeyboardInterrupt), stopping.heard():
        make(wav)
    assert "ignored" not in capfd.readouterr().err  # what cffi prints of an exception that goes nowhere


def test_it_is_not_swallowed_while_a_headerless_file_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: Any
) -> None:
    path = tmp_path / "a.ulaw"
    path.write_bytes(bytes(4 * RATE))

    class Slow(section._Section):
        def readinto(self, buffer: Any) -> int:
            signal.raise_signal(signal.SIGINT)
            return super().readinto(buffer)

    monkeypatch.setattr(read, "section", Slow)
    monkeypatch.setattr(Slow, "__init__", lambda self, path, *, offset, length: _begin(self, path, offset, length))
    with pytest.raises(KeyboardInterrupt), stopping.heard():
        list(read.iterate(identify(path, encoding="ulaw", sample_rate_hz=RATE)))
    assert "ignored" not in capfd.readouterr().err


def _begin(self: Any, path: str, offset: int, length: int) -> None:
    section._Section.__init__(self, path, offset, length)


def test_a_swallowed_signal_ends_the_block_that_listens() -> None:
    with pytest.raises(KeyboardInterrupt), stopping.heard(), suppress(KeyboardInterrupt):  # as a destructor would
        signal.raise_signal(signal.SIGINT)
    stopping.check()  # and the next command begins afresh
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_signal_that_is_ignored_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with stopping.heard():
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_thread_stops_at_the_next_block_of_sound(wav: Path) -> None:
    reached: list[int] = []

    def work(path: Path, stop: threading.Event) -> None:
        for block in blocks(path, block_frames=100):
            reached.append(len(block))
            if len(reached) == 3:
                stop.set()

    with pytest.raises(KeyboardInterrupt):
        side_by_side([wav], work, workers=1)
    assert len(reached) == 3


def test_one_that_fails_ends_the_others_at_their_next_block(wav: Path) -> None:
    began = threading.Event()

    def work(job: str, _stop: threading.Event) -> None:
        if job == "bad":
            began.wait()
            raise UsageError("no")
        while True:  # a recording without end
            for _ in blocks(wav, block_frames=100):
                began.set()

    with pytest.raises(UsageError):
        side_by_side(["long", "bad"], work, workers=2)


def test_noise_drawn_in_parts_is_the_noise_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from workbench.audio import perturb

    sound = Sound(
        samples=np.random.default_rng(0).integers(-3000, 3000, (999, 2)).astype(np.int16), sample_rate_hz=RATE
    )
    wave = np.random.default_rng(3).normal(0.0, 1.0, sound.samples.shape)
    at_once = np.rint(sound.samples + wave * speech_rms(sound) * 10 ** (-10.0 / 20))
    monkeypatch.setattr(perturb, "_NOISE_ROWS", 100)
    assert np.array_equal(noise(sound, 10.0, 3).samples, at_once)
