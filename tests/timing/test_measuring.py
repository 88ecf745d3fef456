"""Rows of one recording, with boundaries counted by hand."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import soundfile

from workbench.audio.config import MeasureConfig
from workbench.errors import ImportFailed, UsageError
from workbench.schema.channels import Channels
from workbench.schema.frames import Frames
from workbench.schema.input_health import InputHealth
from workbench.schema.segments import Segments
from workbench.timing.measuring import Measured, measure_recording

RATE = 8000


def measure(path: Path, *roles: str, **more: Any) -> Measured:
    given = {"offset_s": 0.0, "config": MeasureConfig(), **more}
    return measure_recording(path, recording_id="rec", call_id="call", roles=roles, run_id="run", **given)


def table(measured: Measured) -> pa.Table:
    return pa.concat_tables(measured.frames)


def square(seconds: float, *parts: tuple[float, float], level: int = 3000) -> np.ndarray:
    """A square wave of known level from start to end of every part, silence elsewhere."""
    wave = np.zeros(round(seconds * RATE), np.int16)
    for start, end in parts:
        place = np.arange(round(start * RATE), round(end * RATE))
        wave[place] = np.where(place % 20 < 10, level, -level)
    return wave


@pytest.fixture
def call(tmp_path: Path) -> Path:
    """Six seconds: the agent speaks 0.5-2.0 and 3.5-5.5 s, the caller 2.4-3.2 s."""
    path = tmp_path / "call.wav"
    soundfile.write(
        path,
        np.stack([square(6, (2.4, 3.2)), square(6, (0.5, 2.0), (3.5, 5.5))], axis=1),
        RATE,
        subtype="PCM_16",
    )
    return path


def test_boundaries_are_those_counted_by_hand(call: Path) -> None:
    """A run starts with the window that first reaches the sound (one hop early) and ends a hangover late.

    The caller sounds from 2.40 to 3.20 s. Window 239 covers 2.39-2.41 s and is half full: 3 dB under the
    level, far above the threshold. The last window with sound is 319 (3.19-3.21 s); 15 frames of hangover end
    the run at 3.35 s.
    """
    rows = measure(call, "caller", "agent").segments
    assert [(row["role"], row["start_s"], row["end_s"], row["segment_ix"]) for row in rows] == [
        ("caller", 2.39, 3.35, 0),
        ("agent", 0.49, 2.15, 0),
        ("agent", 3.49, 5.65, 1),
    ]


def test_without_hangover_ends_are_those_of_the_sound(call: Path) -> None:
    rows = measure(call, "caller", "agent", config=MeasureConfig(hangover_s=0.0)).segments
    assert (rows[0]["start_s"], rows[0]["end_s"]) == (2.39, 3.2)


def test_times_are_on_the_clock_of_the_call(call: Path) -> None:
    late = measure(call, "caller", "agent", offset_s=2.0)
    assert late.segments[0]["start_s"] == 4.39
    assert late.channels[0]["first_speech_s"] == 4.39
    assert late.channels[0]["active_s"] == 0.96


def test_rows_satisfy_their_tables(call: Path) -> None:
    measured = measure(call, "caller", "agent")
    Channels.validate(Channels.frame(measured.channels))
    Segments.validate(Segments.frame(measured.segments))
    InputHealth.validate(InputHealth.frame([measured.health]))
    found = table(measured)
    frames = Frames.frame(found.to_pylist())
    Frames.validate(frames)
    assert found.column_names == frames.columns
    assert frames.height == 600


def test_levels_are_hundredths_of_a_db(call: Path) -> None:
    """20 log10(3000 / 32768) = -20.766 dBFS."""
    frames = table(measure(call, "caller", "agent"))
    assert frames["caller_cdbfs"][300].as_py() == -2077
    assert frames["caller_cdbfs"][0].as_py() == -12000
    assert frames["mixed_cdbfs"].null_count == 600
    assert frames["mixed_active"].null_count == 600


def test_channel_levels(call: Path) -> None:
    caller, agent = measure(call, "caller", "agent").channels
    assert caller["peak_dbfs"] == pytest.approx(-20.766, abs=0.001)
    assert caller["rms_dbfs"] == pytest.approx(-20.766 + 10 * np.log10(0.8 / 6), abs=0.001)
    assert agent["clipped_fraction"] == 0.0
    assert (caller["noise_floor_dbfs"], caller["threshold_dbfs"]) == (-120.0, -60.0)


def test_the_same_samples_give_the_same_rows_from_wav_and_flac(call: Path, tmp_path: Path) -> None:
    flac = tmp_path / "call.flac"
    soundfile.write(flac, soundfile.read(call, dtype="int16")[0], RATE, subtype="PCM_16")
    first, second = measure(call, "caller", "agent"), measure(flac, "caller", "agent")
    assert first.segments == second.segments
    assert first.channels == second.channels
    assert table(first).equals(table(second))


def test_an_unknown_map_fills_the_mixed_columns(call: Path) -> None:
    measured = measure(call, "unknown", "unknown")
    unknown, known = table(measured), table(measure(call, "caller", "agent"))
    either = np.asarray(known["caller_active"]) | np.asarray(known["agent_active"])
    assert np.array_equal(np.asarray(unknown["mixed_active"]), either)
    assert unknown["caller_active"].null_count == 600
    assert [row["role"] for row in measured.segments] == ["unknown"] * 3


def test_two_channels_of_one_role_are_joined_frame_by_frame(tmp_path: Path) -> None:
    path = tmp_path / "conference.wav"
    parts = [square(4, (0.5, 1.0), level=1000), square(4, (2.0, 2.5), level=4000), square(4, (3.0, 3.5))]
    soundfile.write(path, np.stack(parts, axis=1), RATE, subtype="PCM_16")
    measured = measure(path, "caller", "caller", "agent")
    assert [row["channel_ix"] for row in measured.channels] == [0, 1, 2]
    assert [(row["channel_ix"], row["segment_ix"]) for row in measured.segments] == [(0, 0), (1, 0), (2, 0)]
    frames = table(measured)
    assert np.flatnonzero(np.diff(np.asarray(frames["caller_active"]).astype(int))).tolist() == [48, 114, 198, 264]
    assert frames["caller_cdbfs"][225].as_py() == round(2000 * np.log10(4000 / 32768))
    assert measured.health["scorable"]


@pytest.mark.parametrize("roles", [(), ("caller",), ("caller", "agent", "mixed"), ("caller", "customer")])
def test_roles_that_do_not_fit_the_file_are_refused(call: Path, roles: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match="do not fit"):
        measure(call, *roles)


def test_a_truncated_file_is_refused(call: Path) -> None:
    call.write_bytes(call.read_bytes()[:20_000])
    with pytest.raises(ImportFailed):
        measure(call, "caller", "agent")


def test_one_sample_is_one_frame(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "one.wav", np.array([[9, 9]], np.int16), RATE, subtype="PCM_16")
    measured = measure(tmp_path / "one.wav", "caller", "agent")
    assert table(measured).num_rows == measured.frame_count == 1
    assert not measured.health["scorable"]
    assert measured.health["coherence"] is None


def test_a_hop_is_a_whole_number_of_samples(tmp_path: Path) -> None:
    """At 22,050 Hz a hop of 10 ms is 220.5 samples; 220 are taken, so 60 s have 6014 frames and not 6000."""
    soundfile.write(tmp_path / "odd.wav", np.zeros((22_050 * 60, 1), np.int16), 22_050, subtype="PCM_16")
    measured = measure(tmp_path / "odd.wav", "mixed")
    assert measured.hop_s == 220 / 22_050
    assert table(measured).num_rows == 6014


@pytest.fixture(scope="module")
def long_call(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty minutes at 4,000 Hz; a hop of 4 ms makes 300,000 frames of them: three pieces."""
    path = tmp_path_factory.mktemp("long") / "long.wav"
    rng = np.random.default_rng(3)
    with soundfile.SoundFile(path, "w", 4000, 2, subtype="PCM_16") as file:
        for _ in range(20):
            talking = np.repeat(rng.random((120, 2)) > 0.5, 2000, axis=0)
            sound = rng.normal(0, 900, (240_000, 2)) * talking + rng.normal(0, 3, (240_000, 2))
            sound[400:, 0] += sound[:-400, 1]  # the agent's sound in the caller's channel, 0.1 s later
            file.write(sound.astype(np.int16))
    return path


FINE = MeasureConfig(frame_ms=8.0, hop_ms=4.0)


def test_a_recording_of_several_pieces_is_measured_as_in_one(
    long_call: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pieces = list((several := measure(long_call, "caller", "agent", config=FINE, scratch=tmp_path)).frames)
    monkeypatch.setattr("workbench.audio.frames.PIECE_FRAMES", 1 << 30)
    (one,) = (whole := measure(long_call, "caller", "agent", config=FINE)).frames
    assert [piece.num_rows for piece in pieces] == [122_880, 122_880, 54_240]
    assert pa.concat_tables(pieces).equals(one)
    assert several.segments == whole.segments
    assert several.health == whole.health
    assert several.moments == whole.moments
    for row, expected in zip(several.channels, whole.channels, strict=True):
        assert row == pytest.approx(expected, abs=1e-6)
    assert not list(tmp_path.iterdir())
    kinds = {row["kind"] for row in whole.moments}
    assert {"overlap_while_agent_talking", "echo_correlated_activity"} <= kinds
    assert max(row["onset_s"] for row in whole.moments) > 1000


def test_silences_of_a_mixed_channel_are_the_same_in_several_pieces(
    long_call: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mixed = tmp_path / "mixed.wav"
    samples, rate = soundfile.read(long_call, dtype="int16")
    samples[rate * 470 : rate * 500] //= 300  # half a minute of nothing, over the end of the first piece
    soundfile.write(mixed, samples[:, 0], rate, subtype="PCM_16")
    several = measure(mixed, "mixed", config=FINE)
    monkeypatch.setattr("workbench.audio.frames.PIECE_FRAMES", 1 << 30)
    assert several.moments == measure(mixed, "mixed", config=FINE).moments
    longest = several.moments[0]
    assert (longest["kind"], longest["severity"], longest["confidence"]) == ("silence", "critical", 1.0)
    assert longest["onset_s"] == pytest.approx(470, abs=1)
    assert longest["magnitude_s"] == pytest.approx(30, abs=1)


def test_of_a_long_recording_only_flags_stay_in_memory(tmp_path: Path) -> None:
    """Levels alone would be 16 bytes a frame, the samples 320."""
    path, peaks = tmp_path / "long.wav", {}
    rng = np.random.default_rng(3)
    minute = (rng.normal(0, 900, (RATE * 60, 2)) * (rng.random((RATE * 60, 1)) > 0.5)).astype(np.int16)
    for minutes in (45, 90):
        with soundfile.SoundFile(path, "w", RATE, 2, subtype="PCM_16") as file:
            for _ in range(minutes):
                file.write(minute)
        tracemalloc.start()
        frames = sum(piece.num_rows for piece in measure(path, "caller", "agent").frames)
        peaks[frames] = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    (fewer, low), (more, high) = sorted(peaks.items())
    assert (fewer, more) == (270_000, 540_000)
    assert high < 40_000_000
    assert high - low < 12 * (more - fewer)


def test_measuring_needs_no_heavy_library(call: Path) -> None:
    program = (
        "import sys\n"
        "from workbench.audio.config import MeasureConfig\n"
        "from workbench.timing.measuring import measure_recording\n"
        f"found = measure_recording({str(call)!r}, recording_id='r', call_id='c', roles=('caller', 'agent'), "
        "offset_s=0.0, config=MeasureConfig(), run_id='x')\n"
        "assert found.segments\n"
        "print(sorted({'polars', 'pandas', 'librosa', 'scipy', 'duckdb', 'av', 'numba'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(("count", "warned"), [(0, False), (1, True), (16, True)])
def test_samples_that_are_no_numbers_are_warned_of(tmp_path: Path, count: int, warned: bool) -> None:
    """Up to a thousandth of the 16,000 of both channels; a file with more is refused where it is read."""
    sides = np.stack([square(1.0, (0.0, 0.5)), square(1.0, (0.5, 1.0))], axis=1) / np.float32(32768)
    sides[100 : 100 + count, 0] = np.nan
    soundfile.write(tmp_path / "a.wav", sides, RATE, subtype="FLOAT")
    health = measure(tmp_path / "a.wav", "caller", "agent").health
    assert ("non_finite_samples" in health["warnings"]) is warned
    assert health["scorable"]


def test_a_file_with_many_samples_that_are_no_numbers_is_not_measured(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.full((RATE, 2), np.nan), RATE, subtype="FLOAT")
    with pytest.raises(ImportFailed, match="16,000 of 16,000") as caught:
        measure(tmp_path / "a.wav", "caller", "agent")
    assert caught.value.rule == "non_finite_samples"
