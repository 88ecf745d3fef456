"""Rows of one recording, with boundaries counted by hand."""

from __future__ import annotations

import subprocess
import sys
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
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
    frames = Frames.frame(measured.frames.to_pylist())
    Frames.validate(frames)
    assert measured.frames.column_names == frames.columns
    assert frames.height == 600


def test_levels_are_hundredths_of_a_db(call: Path) -> None:
    """20 log10(3000 / 32768) = -20.766 dBFS."""
    frames = measure(call, "caller", "agent").frames
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
    assert first.frames.equals(second.frames)


def test_an_unknown_map_fills_the_mixed_columns(call: Path) -> None:
    measured = measure(call, "unknown", "unknown")
    known = measure(call, "caller", "agent").frames
    either = np.asarray(known["caller_active"]) | np.asarray(known["agent_active"])
    assert np.array_equal(np.asarray(measured.frames["mixed_active"]), either)
    assert measured.frames["caller_active"].null_count == 600
    assert [row["role"] for row in measured.segments] == ["unknown"] * 3


def test_two_channels_of_one_role_are_joined_frame_by_frame(tmp_path: Path) -> None:
    path = tmp_path / "conference.wav"
    parts = [square(4, (0.5, 1.0), level=1000), square(4, (2.0, 2.5), level=4000), square(4, (3.0, 3.5))]
    soundfile.write(path, np.stack(parts, axis=1), RATE, subtype="PCM_16")
    measured = measure(path, "caller", "caller", "agent")
    assert [row["channel_ix"] for row in measured.channels] == [0, 1, 2]
    assert [(row["channel_ix"], row["segment_ix"]) for row in measured.segments] == [(0, 0), (1, 0), (2, 0)]
    assert np.flatnonzero(np.diff(np.asarray(measured.frames["caller_active"]).astype(int))).tolist() == [
        48,
        114,
        198,
        264,
    ]
    assert measured.frames["caller_cdbfs"][225].as_py() == round(2000 * np.log10(4000 / 32768))
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
    assert measured.frames.num_rows == measured.frame_count == 1
    assert not measured.health["scorable"]
    assert measured.health["coherence"] is None


def test_a_hop_is_a_whole_number_of_samples(tmp_path: Path) -> None:
    """At 22,050 Hz a hop of 10 ms is 220.5 samples; 220 are taken, so 60 s have 6014 frames and not 6000."""
    soundfile.write(tmp_path / "odd.wav", np.zeros((22_050 * 60, 1), np.int16), 22_050, subtype="PCM_16")
    measured = measure(tmp_path / "odd.wav", "mixed")
    assert measured.hop_s == 220 / 22_050
    assert measured.frames.num_rows == 6014


@pytest.mark.parametrize("minutes", [10, 40])
def test_memory_grows_with_the_frames_and_not_with_the_samples(tmp_path: Path, minutes: int) -> None:
    """A frame holds two levels, linear and in dB, and flags; its samples would be 320 bytes."""
    path = tmp_path / "long.wav"
    rng = np.random.default_rng(3)
    minute = (rng.normal(0, 900, (RATE * 60, 2)) * (rng.random((RATE * 60, 1)) > 0.5)).astype(np.int16)
    with soundfile.SoundFile(path, "w", RATE, 2, subtype="PCM_16") as file:
        for _ in range(minutes):
            file.write(minute)
    tracemalloc.start()
    frames = measure(path, "caller", "agent").frames.num_rows
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert frames == minutes * 6000
    assert peak < 10_000_000 + 60 * frames


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
    with pytest.raises(ImportFailed, match="16000 of 16000") as caught:
        measure(tmp_path / "a.wav", "caller", "agent")
    assert caught.value.rule == "non_finite_samples"
