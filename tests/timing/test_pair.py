"""Two mono files of a call are judged as the two channels of one file are: split files, and made ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import soundfile
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.timing.made_voices import AGENT, CALLER, RATE, delayed, voice, write
from tests.timing.two_sided import measured
from workbench.audio.config import MeasureConfig
from workbench.timing import pair
from workbench.timing.pair import Paired, measure_pair

CALLS = Path(__file__).parents[2] / "data/calls"
CLIPS = sorted([*CALLS.glob("vapi-defaults/audio/*.wav"), *CALLS.glob("ami-floor-exchange/audio/*.wav")])


def side(path: Path, role: str, **said: Any) -> Any:
    return measured(path, roles=(role,), recording_id=role, **said)


def paired(folder: Path, *, late: dict[str, float] | None = None, **said: Any) -> Paired:
    late = late or {}
    both = [side(folder / f"{role}.wav", role, offset_s=late.get(role, 0.0)) for role in ("caller", "agent")]
    return measure_pair(*both, config=MeasureConfig(), **said)


def split(path: Path, folder: Path, *, cut_s: dict[str, float] | None = None) -> None:
    """Write each channel as a file; of a party `cut_s` is left out at the start."""
    samples, rate = soundfile.read(path, dtype="int16")
    for ix, role in enumerate(("caller", "agent")):
        first = round((cut_s or {}).get(role, 0.0) * rate)
        soundfile.write(folder / f"{role}.wav", samples[first:, ix], rate, subtype="PCM_16")


def told(moments: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name != "recording_id"} for row in moments]


def health_of(found: Paired) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(found.health).items() if name != "next_step"}


@pytest.mark.parametrize("clip", CLIPS, ids=lambda path: path.stem)
def test_a_file_taken_apart_is_judged_as_the_file(tmp_path: Path, clip: Path) -> None:
    whole = measured(clip)
    split(clip, tmp_path)
    found = paired(tmp_path)
    assert health_of(found) == {name: whole.health[name] for name in health_of(found)}
    assert told(found.moments) == told(whole.moments)
    assert {row["recording_id"] for row in found.moments} <= {"caller"}


def test_a_file_that_begins_later_is_laid_where_its_offset_says(tmp_path: Path) -> None:
    write(tmp_path, CALLER, AGENT)
    at_once = paired(tmp_path)
    write(tmp_path, CALLER[round(1.3 * RATE) :], AGENT)
    later = paired(tmp_path, late={"caller": 1.3})
    shifted = paired(tmp_path, late={"caller": 6.3, "agent": 5.0})
    assert [row["kind"] for row in at_once.moments] == [row["kind"] for row in later.moments]
    assert [row["onset_s"] for row in later.moments] == [row["onset_s"] for row in at_once.moments]
    assert [round(row["onset_s"] - 5.0, 6) for row in shifted.moments] == [row["onset_s"] for row in later.moments]
    assert any(
        row["kind"] == "overlap_while_agent_talking" and abs(row["onset_s"] - 2.0) < 0.05 for row in later.moments
    )


@pytest.mark.parametrize("late_s", [0.0, 0.737])
@pytest.mark.parametrize("level_db", [-4.0, -20.0])
def test_one_partys_sound_in_the_others_file_is_leakage(tmp_path: Path, level_db: float, late_s: float) -> None:
    copy = 10 ** (level_db / 20) * delayed(CALLER, 0.12)
    write(tmp_path, CALLER, (AGENT + copy)[round(late_s * RATE) :])
    found = paired(tmp_path, late={"agent": late_s}).health
    assert (found.reason, found.verdict_eligible, found.leakage_direction) == ("leakage", False, "caller->agent")
    assert found.leakage_db == pytest.approx(level_db, abs=1.5)


def test_a_copy_is_found_between_files_of_different_rates(tmp_path: Path) -> None:
    """Half the rate by leaving out what lies above 4 kHz, with numpy's own transform."""
    copy = 10 ** (-4 / 20) * delayed(CALLER, 0.12)
    spectrum = np.fft.rfft(AGENT + copy)[: len(AGENT) // 4 + 1]
    write(tmp_path, CALLER, np.fft.irfft(spectrum, len(AGENT) // 2) / 2, rates=(RATE, RATE // 2))
    assert paired(tmp_path).health.reason == "leakage"
    write(tmp_path, CALLER, AGENT[::2], rates=(RATE, RATE // 2))
    assert paired(tmp_path).health.verdict_eligible


@pytest.mark.parametrize("late_s", [0.0, 1.9])
def test_the_same_samples_in_two_files_are_one_sound(tmp_path: Path, late_s: float) -> None:
    write(tmp_path, CALLER, CALLER)
    soundfile.write(tmp_path / "agent.flac", *soundfile.read(tmp_path / "agent.wav", dtype="int16"))
    both = [side(tmp_path / "caller.wav", "caller"), side(tmp_path / "agent.flac", "agent", offset_s=late_s)]
    found = measure_pair(*both, config=MeasureConfig()).health
    assert (found.reason, found.scorable) == ("identical_channels", False)
    assert found.next_step == pair.SAME_SOUND


@pytest.mark.parametrize("late_s", [12.0, 1e9])
def test_files_that_do_not_meet_are_no_copies_and_take_no_memory_for_what_lies_between(
    tmp_path: Path, late_s: float
) -> None:
    write(tmp_path, CALLER, 0.5 * CALLER)
    found = paired(tmp_path, late={"agent": late_s})
    assert (found.health.reason, found.health.verdict_eligible, found.health.leakage_db) == ("files_apart", False, None)
    assert paired(tmp_path).health.reason == "leakage"


@pytest.mark.parametrize("later", ["caller", "agent"])
@pytest.mark.parametrize(("late_s", "apart"), [(9.99, False), (10.0, True), (1900.0, True)])
def test_a_file_that_begins_after_the_other_has_ended_is_read_with_caution(
    tmp_path: Path, later: str, late_s: float, apart: bool
) -> None:
    """Both files last 10 s; offsets of 1.9 s that are written as 1,900 are the likeliest cause."""
    write(tmp_path, CALLER, AGENT)
    found = paired(tmp_path, late={later: late_s}).health
    assert ("files_apart" in found.warnings) == apart
    if apart:
        assert (found.reason, found.verdict_eligible, found.scorable) == ("files_apart", False, True)
        assert found.recommendation == "scan with caution"
        assert "(offset_s)" in str(found.next_step)
        assert "import them again with --replace" in str(found.next_step)


def test_no_map_pardons_files_that_never_meet(tmp_path: Path) -> None:
    write(tmp_path, voice([(0.5, 7.0)], length_s=12, seed=3), voice([(7.5, 9.0)], length_s=12, seed=4))
    found = paired(tmp_path, late={"agent": 1900.0}, channel_map_confirmed=True).health
    assert (found.possible_swap, found.reason, found.verdict_eligible) == (True, "files_apart", False)


def test_exchanged_files_are_suspected_until_somebody_vouches_for_them(tmp_path: Path) -> None:
    write(tmp_path, voice([(0.5, 7.0)], length_s=12, seed=3), voice([(7.5, 9.0)], length_s=12, seed=4))
    assert (paired(tmp_path).health.reason, paired(tmp_path).health.verdict_eligible) == ("possible_swap", False)
    assert "exchange their names" in str(paired(tmp_path).health.next_step)
    vouched = paired(tmp_path, channel_map_confirmed=True).health
    assert vouched.verdict_eligible
    assert "exchange their names, or correct the document" in str(vouched.next_step)


def test_a_silent_side_is_named_and_nothing_is_found(tmp_path: Path) -> None:
    write(tmp_path, CALLER, np.zeros(len(CALLER)))
    found = paired(tmp_path)
    assert (found.health.reason, found.health.scorable, found.moments) == ("silent_agent", False, [])


@settings(deadline=None, max_examples=200)
@given(
    own=st.lists(st.integers(1, 30), min_size=1, max_size=6),
    late=st.floats(0, 60),
    ratio=st.sampled_from([1.0, 0.5, 441 / 480, 480 / 441, 2.0]),
    count=st.integers(1, 120),
    piece=st.integers(1, 40),
)
def test_frames_are_laid_as_if_all_were_in_memory(
    own: list[int], late: float, ratio: float, count: int, piece: int
) -> None:
    """Counted by indexing the whole track, which the pieces never do."""
    ends = np.cumsum(own)
    track = np.arange(1.0, ends[-1] + 1)
    parts = np.split(track, ends[:-1])
    places = pair._Places(late_s=late * 0.01, hop_s=0.01, own_hop_s=0.01 / ratio, count=count)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pair, "PIECE_FRAMES", piece)
        found = np.concatenate(list(places.laid(parts)))
    shift = np.floor(late * 0.01 / 0.01 + 0.5)
    wanted = np.floor((np.arange(count) - shift) * (0.01 / (0.01 / ratio)) + 0.5).astype(int)
    expected = [track[ix] if 0 <= ix < len(track) else 0.0 for ix in wanted]
    assert found.tolist() == expected
