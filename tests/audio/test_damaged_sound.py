"""Sound files that are damaged in ways a decoder lets pass: refused or counted, and nothing printed."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.assets import folder
from workbench.audio import mp3 as mp3_module
from workbench.audio.mp3 import clearly_shorter, expected_samples, quiet
from workbench.audio.read import Tally, blocks, iterate, pcm_sha256, probe
from workbench.audio.source import identify
from workbench.errors import ImportFailed

MP3S = sorted((folder("data/calls") / "vcon-synthetic").glob("*.mp3"))


def tone(seconds: float = 5.0, rate: int = 8000) -> np.ndarray:
    return 0.3 * np.sin(np.arange(round(seconds * rate)) * 0.25)


def refused(path: Path) -> ImportFailed:
    with pytest.raises(ImportFailed) as caught:
        pcm_sha256(path)
    return caught.value


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("subtype", ["FLOAT", "DOUBLE"])
def test_float_samples_that_are_no_numbers_are_counted(tmp_path: Path, value: float, subtype: str) -> None:
    samples = tone()
    samples[100:140] = value  # 40 of 40,000: 0.1 %, the most that is taken
    soundfile.write(tmp_path / "few.wav", samples, 8000, subtype=subtype)
    tally = Tally()
    assert sum(len(block) for block in iterate(identify(tmp_path / "few.wav"), tally=tally)) == 40_000
    assert (tally.samples, tally.non_finite) == (40_000, 40)
    samples[140] = value
    soundfile.write(tmp_path / "many.wav", samples, 8000, subtype=subtype)
    failure = refused(tmp_path / "many.wav")
    assert failure.rule == "non_finite_samples"
    assert "41 of 40,000" in failure.what


def wav(path: Path, rate: int) -> Path:
    body = struct.pack("<HHIIHH", 1, 1, rate, (rate * 2) % 2**32, 2, 16)
    data = np.zeros(40_000, "<i2").tobytes()
    chunks = b"fmt " + struct.pack("<I", len(body)) + body + b"data" + struct.pack("<I", len(data)) + data
    path.write_bytes(b"RIFF" + struct.pack("<I", 4 + len(chunks)) + b"WAVE" + chunks)
    return path


@pytest.mark.parametrize(
    ("rate", "accepted"),
    [(1, False), (3999, False), (4000, True), (384_000, True), (384_001, False), (4 * 10**9, False)],
)
def test_a_sample_rate_no_recording_has_is_refused(tmp_path: Path, rate: int, accepted: bool) -> None:
    path = wav(tmp_path / "a.wav", rate)
    if accepted:
        assert probe(path).sample_rate_hz == rate
        return
    with pytest.raises(ImportFailed, match=f"{rate} Hz") as caught:
        probe(path)
    assert caught.value.rule == "sample_rate"


@pytest.mark.parametrize(("channels", "accepted"), [(2, True), (64, True), (65, False), (65_535, False)])
def test_more_channels_than_a_recording_of_a_call_has_are_refused(
    tmp_path: Path, channels: int, accepted: bool
) -> None:
    path = wav(tmp_path / "a.wav", 8000)
    content = bytearray(path.read_bytes())
    content[22:24] = struct.pack("<H", channels)
    path.write_bytes(content)
    if accepted:
        assert probe(path).channel_count == channels
        return
    with pytest.raises(ImportFailed, match=f"{channels:,} channels; .* at most 64") as caught:
        probe(path)
    assert caught.value.rule == "too_many_channels"


def test_the_sample_rate_of_a_headerless_file_is_held_to_the_same(tmp_path: Path) -> None:
    (tmp_path / "a.ulaw").write_bytes(b"\x7f" * 800)
    with pytest.raises(ImportFailed, match="80 Hz") as caught:
        probe(tmp_path / "a.ulaw", encoding="ulaw", sample_rate_hz=80)
    assert caught.value.rule == "sample_rate"


def mp3(path: Path, *, rate: int = 16_000, channels: int = 1, mode: str = "VARIABLE") -> Path:
    with soundfile.SoundFile(
        path, "w", rate, channels, format="MP3", subtype="MPEG_LAYER_III", bitrate_mode=mode, compression_level=0.5
    ) as file:
        file.write(np.stack([tone(5.0, rate)] * channels, axis=1))
    return path


@pytest.mark.parametrize("mode", ["CONSTANT", "VARIABLE"])
@pytest.mark.parametrize("channels", [1, 2])
@pytest.mark.parametrize("rate", [8000, 16_000, 44_100])
def test_the_header_of_an_mp3_promises_what_was_written(tmp_path: Path, rate: int, channels: int, mode: str) -> None:
    path = mp3(tmp_path / "a.mp3", rate=rate, channels=channels, mode=mode)
    assert expected_samples(str(path)) == 5 * rate
    tagged = tmp_path / "tagged.mp3"
    tagged.write_bytes(b"ID3\x04\x00\x00\x00\x00\x02\x00" + b"\xff" * 256 + path.read_bytes())
    assert expected_samples(str(tagged)) == 5 * rate


def test_a_vbri_header_is_understood(tmp_path: Path) -> None:
    frame = bytearray(200)
    frame[:4] = b"\xff\xfb\x90\x00"  # MPEG-1 layer III, 44.1 kHz
    frame[36:40], frame[50:54] = b"VBRI", struct.pack(">I", 100)
    (tmp_path / "a.mp3").write_bytes(frame)
    assert expected_samples(str(tmp_path / "a.mp3")) == 115_200
    (tmp_path / "b.mp3").write_bytes(b"\xff\xfb\x90\x00" + bytes(400))
    assert expected_samples(str(tmp_path / "b.mp3")) is None
    (tmp_path / "c.mp3").write_bytes(b"no frame")
    assert expected_samples(str(tmp_path / "c.mp3")) is None


@pytest.mark.parametrize("path", MP3S, ids=[path.name for path in MP3S])
def test_a_whole_mp3_holds_what_its_header_promises(path: Path) -> None:
    assert probe(path).frame_count == expected_samples(str(path))


@pytest.mark.parametrize("share", [0.9, 0.5, 0.1])
def test_a_truncated_mp3_is_refused_like_a_truncated_wav(
    tmp_path: Path, share: float, capfd: pytest.CaptureFixture[str]
) -> None:
    data = mp3(tmp_path / "a.mp3").read_bytes()
    (tmp_path / "cut.mp3").write_bytes(data[: int(share * len(data))])
    failure = refused(tmp_path / "cut.mp3")
    assert failure.rule == "truncated_audio"
    assert "promises 80,000 samples" in failure.what or "cut off" in failure.what
    assert capfd.readouterr().err == ""


def test_a_frame_or_two_may_be_missing() -> None:
    assert not clearly_shorter(79_000, 80_000, sample_rate_hz=16_000)  # 1.3 %
    assert not clearly_shorter(10_000, 11_000, sample_rate_hz=16_000)  # 0.06 s
    assert clearly_shorter(78_000, 80_000, sample_rate_hz=16_000)
    assert not clearly_shorter(90_000, 80_000, sample_rate_hz=16_000)


def test_the_decoder_prints_nothing_for_a_damaged_mp3(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    data = bytearray(mp3(tmp_path / "a.mp3").read_bytes())
    middle = len(data) // 2
    data[middle : middle + 3000] = b"\x55" * 3000
    (tmp_path / "bad.mp3").write_bytes(data)
    with pytest.raises(soundfile.LibsndfileError):
        soundfile.read(tmp_path / "bad.mp3")
    assert "resync" in capfd.readouterr().err  # without the mend it does print
    assert refused(tmp_path / "bad.mp3").rule == "truncated_audio"
    assert capfd.readouterr().err == ""


def test_what_others_print_meanwhile_is_passed_on(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = mp3(tmp_path / "a.mp3")
    with quiet(str(path)):
        other = threading.Thread(target=os.write, args=(2, b"a line of somebody else\nNote: Trying to resync...\n"))
        other.start()
        other.join()
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "a line of somebody else\nafter\n"


def test_standard_error_comes_back_while_threads_decode_without_a_pause(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Two threads that hand over to each other: there is never a moment without one of them."""
    path = mp3(tmp_path / "a.mp3")
    end = time.monotonic() + 1.0

    def decode() -> None:
        while time.monotonic() < end:
            with quiet(str(path)):
                time.sleep(0.02)

    threads = [threading.Thread(target=decode) for _ in range(2)]
    for thread in threads:
        thread.start()
    time.sleep(0.1)
    os.write(2, b"12 %\n")
    shown_after = None
    while shown_after is None and time.monotonic() < end:
        time.sleep(0.01)
        if "12 %" in capfd.readouterr().err:
            shown_after = end - time.monotonic()
    for thread in threads:
        thread.join()
    assert shown_after is not None
    assert shown_after > 0.2  # long before they end


def test_a_broken_standard_error_leaves_no_thread_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was held back cannot be passed on; the threads that wait for their turn must hear of it all the same."""
    path = mp3(tmp_path / "a.mp3")
    monkeypatch.setattr(mp3_module, "MOST_HELD_S", 0.0)
    monkeypatch.setattr(mp3_module, "_restore", lambda *_files: (_ for _ in ()).throw(OSError("broken pipe")))
    kept = os.dup(2)
    inside, done = threading.Event(), threading.Event()

    def second() -> None:
        inside.wait()
        with contextlib.suppress(OSError), quiet(str(path)):
            pass
        done.set()

    waiting = threading.Thread(target=second)
    waiting.start()

    def first() -> None:
        with quiet(str(path)):
            inside.set()
            time.sleep(0.1)

    with pytest.raises(OSError, match="broken pipe"):
        first()
    assert done.wait(5.0)
    waiting.join()
    os.dup2(kept, 2)
    os.close(kept)


def test_without_standard_error_an_mp3_is_read_all_the_same(tmp_path: Path) -> None:
    path = mp3(tmp_path / "a.mp3")
    code = "import sys; from workbench.audio.read import probe; print(probe(sys.argv[1]).frame_count)"
    command = ["sh", "-c", 'exec "$@" 2>&-', "sh", sys.executable, "-c", code, str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    assert done.stdout == "80000\n"


def test_four_threads_decode_at_once(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = mp3(tmp_path / "a.mp3")
    counts: list[int] = []

    def count() -> None:
        counts.append(sum(len(block) for block in blocks(path, block_frames=1000)))

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    os.write(2, b"still there\n")
    assert counts == [80_000] * 4
    assert capfd.readouterr().err == "still there\n"
