"""An agent that stops when no caller is near neither yields nor speaks on, and nothing says that it did either."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from two_sided import measured

from workbench.audio.config import MeasureConfig
from workbench.timing.contracts.judging import judge

RATE = 8000
CLIPS = sorted((Path(__file__).parents[2] / "data" / "calls" / "vapi-defaults" / "audio").glob("*.wav"))


def written(
    path: Path, *, agent: list[tuple[float, float]], caller: list[tuple[float, float]], length_s: float
) -> Path:
    """Noise bursts of both parties over a quiet line: when each begins and ends, in seconds."""
    rng = np.random.default_rng(1)
    samples = rng.normal(0, 4, (int(length_s * RATE), 2))
    for channel, bursts in ((0, caller), (1, agent)):
        for start, end in bursts:
            samples[int(start * RATE) : int(end * RATE), channel] += rng.normal(
                0, 2000, int(end * RATE) - int(start * RATE)
            )
    soundfile.write(path, samples.astype(np.int16), RATE, subtype="PCM_16")
    return path


def event(path: Path, at_s: float, expect: str, **bounds: Any) -> dict[str, Any]:
    return judge(path, expect=expect, onset_s=at_s, channel_map_confirmed=True, **bounds).event


@pytest.fixture
def short_word(tmp_path: Path) -> Path:
    """The agent speaks from 0.5 to 3.2 s, the caller says a word from 2.0 to 2.3 s, and nobody is heard after."""
    return written(tmp_path / "a.wav", agent=[(0.5, 3.2)], caller=[(2.0, 2.3), (7.0, 7.5)], length_s=9.0)


def test_the_time_of_an_agent_that_stopped_is_not_that_of_the_search(short_word: Path) -> None:
    found = event(short_word, 2.0, "yield")
    assert (found["status"], found["reason"]) == ("FAIL", "stopped_without_caller")
    assert (found["did_yield"], found["time_to_yield_s"], found["yield_censored"]) == (False, None, True)
    assert found["agent_quiet_s"] == pytest.approx(1.2, abs=0.03)  # 3.2 s less 2.0 s, and a window
    assert found["yield_observed_s"] == found["agent_quiet_s"]
    assert found["caller_quiet_s"] == pytest.approx(0.9, abs=0.03)


def test_the_moment_list_and_the_score_tell_of_one_stop(short_word: Path) -> None:
    (moment,) = [row for row in measured(short_word).moments if row["kind"] == "overlap_while_agent_talking"]
    found = event(short_word, moment["onset_s"], "yield")
    assert found["agent_quiet_s"] == moment["agent_quiet_s"] == pytest.approx(3.2 - moment["onset_s"], abs=0.03)


@pytest.mark.parametrize("clip", CLIPS, ids=lambda path: path.stem)
def test_real_clips_have_one_number_for_one_stop(clip: Path) -> None:
    overlaps = [row for row in measured(clip).moments if row["kind"] == "overlap_while_agent_talking"]
    for moment in overlaps:
        found = event(clip, moment["onset_s"], "yield")
        assert found["agent_quiet_s"] == moment["agent_quiet_s"]
        if moment["yield_after_s"] is not None:  # the peer's figure has the hangover of 0.15 s in it
            assert moment["yield_after_s"] == pytest.approx(moment["agent_quiet_s"] + 0.15, abs=0.151)


def test_an_agent_that_stopped_did_not_hold(short_word: Path) -> None:
    found = event(short_word, 2.0, "hold")
    assert (found["status"], found["reason"]) == ("INCONCLUSIVE", "did_not_go_on")


def test_an_agent_that_pauses_and_goes_on_held(tmp_path: Path) -> None:
    """A pause of a sentence, 0.8 s after the caller's word, is no end of the hold."""
    path = written(tmp_path / "a.wav", agent=[(0.5, 3.2), (3.8, 6.0)], caller=[(2.0, 2.3)], length_s=9.0)
    found = event(path, 2.0, "hold")
    assert (found["status"], found["reason"]) == ("PASS", None)
    assert found["agent_quiet_s"] == pytest.approx(1.2, abs=0.03)
    assert event(path, 2.0, "yield")["reason"] == "stopped_without_caller"


def test_an_agent_that_speaks_to_the_end_of_the_search_did_not_yield(tmp_path: Path) -> None:
    path = written(tmp_path / "a.wav", agent=[(0.5, 6.0)], caller=[(2.0, 2.3)], length_s=9.0)
    found = event(path, 2.0, "yield")
    assert (found["reason"], found["yield_observed_s"], found["agent_quiet_s"]) == ("did_not_yield", 3.0, None)
    assert event(path, 2.0, "hold")["status"] == "PASS"


@pytest.mark.parametrize("hop_ms", [10.0, 62.0, 400.0])
def test_a_search_is_heard_to_its_end_in_hops_of_any_length(tmp_path: Path, hop_ms: float) -> None:
    """3 s are 48 hops of 62 ms, 2.976 s: the recording goes on for 3 s more, and has not ended the search."""
    path = written(tmp_path / "a.wav", agent=[(0.5, 8.0)], caller=[(2.0, 4.0)], length_s=9.0)
    found = event(path, 2.0, "hold", measure=MeasureConfig(frame_ms=hop_ms, hop_ms=hop_ms))
    assert (found["status"], found["reason"]) == ("PASS", None)


@pytest.mark.parametrize("expect", ["yield", "hold"])
@pytest.mark.parametrize(
    ("agent", "at_s"),
    [
        ((0.5, 5.0), 1.0),  # the caller's only words come 6 s later
        ((0.5, 2.0), 2.03),  # both are silent from the onset on, the agent's hangover reaches it
    ],
)
def test_without_a_caller_there_is_nothing_to_yield(
    tmp_path: Path, expect: str, agent: tuple[float, float], at_s: float
) -> None:
    path = written(tmp_path / "a.wav", agent=[agent], caller=[(7.0, 7.5)], length_s=9.0)
    found = event(path, at_s, expect, max_talk_over_s=1.0)
    assert found["agent_talking"]
    assert (found["status"], found["reason"]) == ("NOT_SCORABLE", "no_caller_at_onset")
    names = ("yield_observed_s", "yield_censored", "decision_margin_s", "boundary_sensitive")
    assert [found[name] for name in names] == [None] * 4


def test_a_silent_agent_spoke_on_for_no_time(tmp_path: Path) -> None:
    path = written(tmp_path / "a.wav", agent=[(6.0, 8.0)], caller=[(1.0, 1.6)], length_s=9.0)
    found = event(path, 1.0, "yield", max_talk_over_s=1.0)
    assert found["reason"] == "agent_silent_at_onset"
    assert (found["yield_observed_s"], found["decision_margin_s"]) == (None, None)


@pytest.mark.parametrize(("bound_s", "status"), [(0.5, "FAIL"), (1.5, "INCONCLUSIVE")])
def test_a_recording_that_ends_in_the_pause_decides_by_what_was_heard(
    tmp_path: Path, bound_s: float, status: str
) -> None:
    """A caller who comes back after the end could still have made a yield of the pause, but none within 0.5 s."""
    path = written(tmp_path / "a.wav", agent=[(0.5, 3.2)], caller=[(2.0, 2.3)], length_s=4.5)
    assert event(path, 2.0, "yield", max_time_to_yield_s=bound_s)["status"] == status
