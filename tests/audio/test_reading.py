"""Every way a sound file can come: codecs, widths, headers that lie, files that are not sound."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import numpy as np
import pytest
import soundfile

from workbench.audio.read import blocks, excerpt, pcm_sha256, probe, to_int16
from workbench.audio.source import identify
from workbench.errors import ImportFailed, MissingExtra, UsageError

DATA = Path(__file__).parents[2] / "data" / "calls"


def voices(rate: int = 8000, seconds: float = 1.0, channels: int = 2) -> np.ndarray:
    t = np.arange(round(rate * seconds)) / rate
    tones = [9000 * np.sin(2 * np.pi * (300 + 170 * c) * t) * (t > 0.1 * c) for c in range(channels)]
    return np.stack(tones, axis=1).astype(np.int16)


def decoded(path: Path, **options: object) -> np.ndarray:
    return np.concatenate(list(blocks(path, **options)))  # type: ignore[arg-type]


def wav_bytes(
    samples: np.ndarray, *, data_size: int | None = None, tag: int = 1, bits: int = 16, rate: int = 8000
) -> bytes:
    body = samples.tobytes()
    channels = samples.shape[1]
    size = len(body) if data_size is None else data_size
    form = struct.pack("<HHIIHH", tag, channels, rate, rate * channels * bits // 8, channels * bits // 8, bits)
    riff = (36 + size) & 0xFFFFFFFF
    return (
        b"RIFF"
        + struct.pack("<I", riff)
        + b"WAVEfmt "
        + struct.pack("<I", 16)
        + form
        + b"data"
        + struct.pack("<I", size)
        + body
    )


@pytest.mark.parametrize(
    ("container", "subtype", "codec", "bits", "tolerance"),
    [
        ("WAV", "PCM_U8", "pcm_u8", 8, 256),
        ("WAV", "PCM_16", "pcm_s16le", 16, 0),
        ("WAV", "PCM_24", "pcm_s24le", 24, 0),
        ("WAV", "PCM_32", "pcm_s32le", 32, 0),
        ("WAV", "FLOAT", "pcm_f32le", 32, 0),
        ("WAV", "DOUBLE", "pcm_f64le", 64, 0),
        ("WAV", "ULAW", "ulaw", 8, 520),
        ("WAV", "ALAW", "alaw", 8, 520),
        ("WAVEX", "PCM_16", "pcm_s16le", 16, 0),
        ("WAVEX", "FLOAT", "pcm_f32le", 32, 0),
        ("RF64", "PCM_16", "pcm_s16", 16, 0),
        ("AIFF", "PCM_16", "pcm_s16", 16, 0),
        ("FLAC", "PCM_16", "flac", 16, 0),
        ("FLAC", "PCM_24", "flac", 24, 0),
    ],
)
def test_lossless_files_come_back_sample_for_sample(
    tmp_path: Path, container: str, subtype: str, codec: str, bits: int, tolerance: int
) -> None:
    path = tmp_path / "call.bin"
    samples = voices()
    written = samples / 32768 if subtype in {"FLOAT", "DOUBLE"} else samples
    soundfile.write(path, written, 8000, format=container, subtype=subtype)
    info = probe(path)
    assert (info.codec, info.sample_width_bits, info.sample_rate_hz) == (codec, bits, 8000)
    assert (info.channel_count, info.frame_count, info.duration_s) == (2, 8000, 1.0)
    got = decoded(path, block_frames=777)
    assert got.dtype == np.int16
    assert np.abs(got.astype(int) - samples).max() <= tolerance


@pytest.mark.parametrize(
    ("container", "subtype", "codec", "rate"),
    [
        ("OGG", "VORBIS", "vorbis", 16000),
        ("OGG", "OPUS", "opus", 48000),
        ("MP3", "MPEG_LAYER_III", "mp3", 8000),
    ],
)
def test_lossy_files_keep_channels_and_what_really_decodes_is_counted(
    tmp_path: Path, container: str, subtype: str, codec: str, rate: int
) -> None:
    import av

    path = tmp_path / "call"
    soundfile.write(path, voices(rate), rate, format=container, subtype=subtype)
    info, got = probe(path), decoded(path)
    assert (info.codec, info.sample_width_bits, info.channel_count) == (codec, None, 2)
    assert info.frame_count == len(got)
    assert abs(info.duration_s - 1.0) < 0.2
    with av.open(str(path)) as other:  # FFmpeg's decoder
        theirs = np.concatenate([frame.to_ndarray() for frame in other.decode(audio=0)], axis=1)
    common = theirs.shape[1]
    assert len(got) - 512 < common <= len(got)  # FFmpeg leaves out a last short Vorbis block
    assert np.abs(got[:common].T / 32768 - theirs).max() < 0.002


def test_float_samples_are_scaled_and_clipped_and_never_read_as_integers(tmp_path: Path) -> None:
    path = tmp_path / "float.wav"
    soundfile.write(
        path,
        np.array([[0.0], [0.5], [-1.0], [1.0], [1.7], [-3.0], [1e-9]], np.float32),
        8000,
        subtype="FLOAT",
    )
    assert decoded(path)[:, 0].tolist() == [0, 16384, -32768, 32767, 32767, -32768, 0]
    assert to_int16(np.array([np.nan, np.inf, -np.inf], np.float32)).tolist() == [0, 32767, -32768]


@pytest.mark.parametrize("rate", [8000, 11025, 16000, 22050, 44100, 48000])
def test_the_rate_of_the_file_is_kept(tmp_path: Path, rate: int) -> None:
    path = tmp_path / "call.wav"
    soundfile.write(path, voices(rate, 0.31), rate, subtype="PCM_16")
    assert probe(path).sample_rate_hz == rate
    assert probe(path).frame_count == round(rate * 0.31)


@pytest.mark.parametrize("channels", [1, 3, 4])
def test_any_number_of_channels(tmp_path: Path, channels: int) -> None:
    path, samples = tmp_path / "call.wav", voices(channels=channels)
    soundfile.write(path, samples, 8000, subtype="PCM_16")
    assert np.array_equal(decoded(path), samples)


def test_a_single_sample_is_a_recording(tmp_path: Path) -> None:
    path = tmp_path / "one.wav"
    path.write_bytes(wav_bytes(np.array([[7, -7]], np.int16)))
    assert probe(path).frame_count == 1
    assert decoded(path).tolist() == [[7, -7]]


@pytest.mark.parametrize("data_size", [0, 0xFFFFFFFF, 0x7FFFFFFF])
def test_a_size_left_open_by_a_streaming_recorder_is_read_as_far_as_it_goes(tmp_path: Path, data_size: int) -> None:
    path, samples = tmp_path / "open.wav", voices()
    path.write_bytes(wav_bytes(samples, data_size=data_size) + b"\x01")
    assert probe(path).frame_count == len(samples)
    assert np.array_equal(decoded(path), samples)


def test_a_mulaw_size_left_open_is_read_like_the_same_samples_without_a_header(tmp_path: Path) -> None:
    law = np.arange(256, dtype=np.uint8).reshape(-1, 1)
    (tmp_path / "open.wav").write_bytes(wav_bytes(law, data_size=0xFFFFFFFF, tag=7, bits=8))
    (tmp_path / "bare.ulaw").write_bytes(law.tobytes())
    bare = decoded(tmp_path / "bare.ulaw", encoding="ulaw", sample_rate_hz=8000)
    assert np.array_equal(decoded(tmp_path / "open.wav"), bare)


def test_headerless_mulaw_follows_the_table_of_g711(tmp_path: Path) -> None:
    """ITU-T G.711 table 2a, scaled from 14 to 16 bits: the largest code is 32124, the two zeros are 0."""
    (tmp_path / "bare.raw").write_bytes(bytes([0x00, 0x80, 0x7F, 0xFF, 0x8F]))
    got = decoded(tmp_path / "bare.raw", encoding="ulaw", sample_rate_hz=8000)
    assert got[:, 0].tolist() == [-32124, 32124, 0, 0, 16764]


def test_headerless_pcm(tmp_path: Path) -> None:
    (tmp_path / "bare.raw").write_bytes(np.array([1, -2, 300], "<i2").tobytes())
    info = probe(tmp_path / "bare.raw", encoding="pcm_s16le", sample_rate_hz=16000)
    assert (info.container, info.frame_count, info.sample_rate_hz) == ("raw", 3, 16000)
    assert decoded(tmp_path / "bare.raw", encoding="pcm_s16le", sample_rate_hz=16000)[:, 0].tolist() == [
        1,
        -2,
        300,
    ]


@pytest.mark.parametrize(("encoding", "rate"), [("gsm", 8000), ("ulaw", None), ("ulaw", 0)])
def test_a_headerless_file_needs_a_known_encoding_and_a_rate(tmp_path: Path, encoding: str, rate: int | None) -> None:
    (tmp_path / "bare.raw").write_bytes(b"\x00" * 80)
    with pytest.raises(UsageError):
        probe(tmp_path / "bare.raw", encoding=encoding, sample_rate_hz=rate)


GOOD = wav_bytes(voices())


@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (b"", "empty_file"),
        (b"RIFF", "truncated_audio"),
        (GOOD[:20], "truncated_audio"),
        (GOOD[:30], "truncated_audio"),
        (GOOD[:40], "truncated_audio"),
        (GOOD[: len(GOOD) // 2], "truncated_audio"),
        (GOOD[:-2], "truncated_audio"),
        (GOOD[:44], "truncated_audio"),
        (wav_bytes(np.zeros((0, 2), np.int16)), "no_samples"),
        (wav_bytes(np.zeros((0, 2), np.int16)) + b"LIST\x04\x00\x00\x00INFO", "no_samples"),
        (wav_bytes(np.zeros((0, 1), np.int16), data_size=0xFFFFFFFF), "no_samples"),
        (b"Dear Sir or Madam, this is no recording.\n" * 30, "not_audio"),
        (bytes(5000), "not_audio"),
        (b"fLaC" + bytes(10), "truncated_audio"),
        (wav_bytes(np.zeros((50, 1), np.int16), tag=0x2222), "unsupported_codec"),
        (b"\x00\x00\x00\x20ftypM4A " + bytes(60), "truncated_audio"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name_with_a_hint(tmp_path: Path, content: bytes, rule: str) -> None:
    path = tmp_path / "call.wav"
    path.write_bytes(content)
    for attempt in (probe, lambda p: list(blocks(p))):
        with pytest.raises(ImportFailed) as refused:
            attempt(path)
        assert refused.value.rule == rule
        assert refused.value.hint
        assert refused.value.where == str(path)


def test_the_error_says_how_much_of_a_truncated_file_is_there(tmp_path: Path) -> None:
    (tmp_path / "half.wav").write_bytes(GOOD[: 44 + 4 * 3000])
    with pytest.raises(ImportFailed, match="promises 8,000 samples per channel and the file has 3,000"):
        probe(tmp_path / "half.wav")


def test_a_flac_that_ends_early_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "call.flac"
    rng = np.random.default_rng(1)
    soundfile.write(path, rng.integers(-9000, 9000, (40_000, 2)).astype(np.int16), 8000)
    path.write_bytes(path.read_bytes()[:60_000])
    for attempt in (probe, lambda p: list(blocks(p))):
        with pytest.raises(ImportFailed) as refused:
            attempt(path)
        assert refused.value.rule == "truncated_audio"


def test_the_bundled_broken_file_is_refused() -> None:
    with pytest.raises(ImportFailed) as refused:
        probe(DATA / "broken-on-purpose" / "truncated-header.wav")
    assert refused.value.rule == "truncated_audio"


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match="cannot be read"):
        probe(tmp_path / "nowhere.wav")


def test_equal_samples_have_equal_hashes_whatever_the_container(tmp_path: Path) -> None:
    samples = voices()
    soundfile.write(tmp_path / "a.wav", samples, 8000, subtype="PCM_16")
    soundfile.write(tmp_path / "b.flac", samples, 8000, subtype="PCM_16")
    import hashlib

    assert pcm_sha256(tmp_path / "a.wav") == hashlib.sha256(samples.astype("<i2").tobytes()).hexdigest()
    assert pcm_sha256(tmp_path / "b.flac") == pcm_sha256(tmp_path / "a.wav")


@pytest.mark.parametrize("subtype", ["PCM_16", "PCM_24", "FLOAT", "ULAW"])
def test_an_excerpt_is_the_same_stretch_of_the_whole(tmp_path: Path, subtype: str) -> None:
    path = tmp_path / "call.wav"
    soundfile.write(path, voices(), 8000, subtype=subtype)
    whole, source = decoded(path), identify(path)
    assert np.array_equal(excerpt(source, 100, 250), whole[100:250])
    assert np.array_equal(excerpt(source, 7990, 9000), whole[7990:])
    assert excerpt(source, 9000, 9100).shape == (0, 2)
    assert excerpt(source, -50, 0).shape == (0, 2)


def test_an_excerpt_of_an_mp3_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "call.mp3"
    soundfile.write(path, voices(seconds=3), 8000, format="MP3")
    assert np.array_equal(excerpt(identify(path), 12_345, 13_000), decoded(path)[12_345:13_000])


def test_m4a_keeps_both_channels(tmp_path: Path) -> None:
    import av

    path, samples = tmp_path / "call.m4a", voices(16000)
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac", rate=16000)
        stream.layout = "stereo"
        frame = av.AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="stereo")
        frame.sample_rate = 16000
        for packet in [*stream.encode(frame), *stream.encode(None)]:
            container.mux(packet)
    info, got = probe(path), decoded(path)
    assert (info.container, info.codec, info.channel_count, info.frame_count) == ("mp4", "aac", 2, len(got))
    spectra = np.abs(np.fft.rfft(got[:16000].astype(float), axis=0))
    assert [round(float(hz)) for hz in spectra.argmax(axis=0)] == [300, 470]


def test_m4a_without_its_reader_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    (tmp_path / "call.m4a").write_bytes(b"\x00\x00\x00\x20ftypM4A " + bytes(60))
    with pytest.raises(MissingExtra, match=r"callbench\[m4a\]"):
        probe(tmp_path / "call.m4a")


def test_an_mp3_read_in_blocks_is_the_mp3_read_whole(capfd: pytest.CaptureFixture[str]) -> None:
    """A seek between blocks loses the decoder's bit reservoir: other samples, and complaints on stderr."""
    path = min((DATA / "vcon-synthetic").glob("*.mp3"))
    whole, _ = soundfile.read(path, dtype="float32", always_2d=True)
    found = np.concatenate(list(blocks(path, block_frames=10_000)))
    assert found.shape == whole.shape
    assert np.abs(found.astype(int) - to_int16(whole)).max() <= 1
    assert capfd.readouterr().err == ""
