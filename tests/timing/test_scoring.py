"""Every rule of scoring, walked frame by frame as its text says, against the searches over runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.errors import UsageError
from workbench.timing.runs import Runs, Speech, common, frames_before, joined
from workbench.timing.score_config import ScoreConfig
from workbench.timing.scoring import NONE, first_onset, score

HOP, PAD = 0.01, 15
CONFIG = ScoreConfig()


def runs_of(loud: np.ndarray) -> Runs:
    """Runs of flags, each going on for the hangover after its last loud frame."""
    active = np.zeros(len(loud), bool)
    for ix in np.flatnonzero(loud):
        active[ix : ix + PAD + 1] = True
    edges = np.flatnonzero(np.diff(np.concatenate([[0], active.astype(int), [0]])))
    start, end = edges[::2], edges[1::2]
    voiced = [int(np.flatnonzero(loud[a:b])[-1]) + a + 1 for a, b in zip(start, end, strict=True)]
    return Runs(start=start, end=end, voiced_end=np.array(voiced, np.int64))


def laid(calls: list[tuple[np.ndarray, np.ndarray]]) -> Speech:
    """Calls one after the other on one line."""
    first = np.cumsum([0, *(len(caller) for caller, _ in calls)])
    parties = []
    for which in (0, 1):
        parts = [runs_of(call[which]) for call in calls]
        parties.append(
            Runs(
                start=np.concatenate([p.start + b for p, b in zip(parts, first, strict=False)]),
                end=np.concatenate([p.end + b for p, b in zip(parts, first, strict=False)]),
                voiced_end=np.concatenate([p.voiced_end + b for p, b in zip(parts, first, strict=False)]),
            )
        )
    count = len(calls)
    return Speech(
        caller=parties[0],
        agent=parties[1],
        first=first[:-1],
        after=first[1:],
        hop_s=np.full(count, HOP),
        pad=np.full(count, PAD),
    )


def flags(runs: Runs, count: int, *, voiced: bool) -> np.ndarray:
    found = np.zeros(count, bool)
    for start, end in zip(runs.start, runs.voiced_end if voiced else runs.end, strict=True):
        found[start:end] = True
    return found


def walked(caller: np.ndarray, agent: np.ndarray, onset: int) -> dict[str, int | bool]:
    """The rules, frame by frame, in the words of the published method."""
    n = len(caller)
    callers, agents = runs_of(caller), runs_of(agent)
    c, a = flags(callers, n, voiced=False), flags(agents, n, voiced=False)
    ct, at = flags(callers, n, voiced=True), flags(agents, n, voiced=True)
    onset = min(max(onset, 0), n - 1)
    search_end = min(n, onset + 300)
    found: dict[str, int | bool] = {"agent_talking": bool(a[max(0, onset - 10) : onset + 1].any())}
    yielded = quiet = NONE
    for i in range(onset, search_end):
        first, last = i, i
        while first > 0 and not at[first - 1] and not at[i]:
            first -= 1
        while last < n and not at[last]:
            last += 1
        if at[i] or last - first < 20 + PAD:
            continue
        quiet = i if quiet == NONE else quiet
        if c[max(0, i - 50) : i + 50].any():
            yielded = i
            break
    found["yielded_at"], found["quiet_at"] = yielded, quiet
    ended = [i for i in range(1, n) if ct[i - 1] and not ct[i] and i <= quiet]  # runs that are over by then
    found["caller_quiet"] = quiet - ended[-1] if ended else NONE
    found["went_on"] = quiet != NONE and bool(at[quiet:search_end].any())
    found["caller_near"] = bool(c[max(0, onset - 50) : search_end].any())
    until = search_end if yielded == NONE else yielded
    found["talk_over"] = int((ct & at)[onset:until].sum())
    i = onset
    while i < n and not ct[i]:
        i += 1
    turn_end = NONE
    while i < n and turn_end == NONE:
        if not ct[i]:
            last = i
            while last < n and not ct[last]:
                last += 1
            if last - i >= 20 + PAD:
                turn_end = i
            i = last
        else:
            i += 1
    found["turn_end"] = turn_end
    i = onset
    while i < n and a[i]:
        i += 1
    while i < n and not a[i]:
        i += 1
    found["response"] = i if i < n else NONE
    starts = [int(s) for s, e in zip(agents.start, agents.end, strict=True) if e - s >= 5 and s >= yielded]
    found["resumed_at"] = starts[0] if yielded != NONE and starts else NONE
    return found


@st.composite
def speaking(draw: st.DrawFn, count: int) -> np.ndarray:
    """Bursts and pauses of lengths around those that the rules count."""
    loud = np.zeros(count, bool)
    at = draw(st.integers(0, 60))
    while at < count:
        length = draw(st.sampled_from([1, 3, 20, 60, 150, 400]))
        loud[at : at + length] = True
        at += length + draw(st.sampled_from([1, 14, 15, 16, 17, 20, 34, 35, 36, 50, 51, 120, 300]))
    return loud


@st.composite
def conversation(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int]:
    count = draw(st.sampled_from([1, 30, 200, 600, 1000]))
    return draw(speaking(count)), draw(speaking(count)), draw(st.integers(0, count + 5))


@settings(max_examples=300, deadline=None)
@given(st.lists(conversation(), min_size=1, max_size=4))
def test_searches_find_what_a_walk_over_the_frames_finds(calls: list[tuple[np.ndarray, np.ndarray, int]]) -> None:
    speech = laid([(caller, agent) for caller, agent, _ in calls])
    onset = np.array([onset for *_, onset in calls])
    found = score(speech, recording=np.arange(len(calls)), onset=onset, config=CONFIG)
    for ix, (caller, agent, at) in enumerate(calls):
        expected = walked(caller, agent, at)
        assert {name: getattr(found, name)[ix] for name in expected} == expected


def test_no_moments_and_no_speech() -> None:
    silence = np.zeros(100, bool)
    speech = laid([(silence, silence)])
    none = np.zeros(0, np.int64)
    assert len(score(speech, recording=none, onset=none, config=CONFIG).onset) == 0
    found = score(speech, recording=np.array([0]), onset=np.array([7]), config=CONFIG)
    assert (found.agent_talking[0], found.turn_end[0], found.response[0], found.talk_over[0]) == (False, NONE, NONE, 0)
    assert first_onset(speech, np.array([0]), CONFIG).tolist() == [NONE]


def test_the_first_sustained_run_is_the_onset() -> None:
    """A run cut by the end of the recording can be shorter than 0.05 s; all others last for the hangover."""
    late, early = np.zeros(400, bool), np.zeros(400, bool)
    late[397:] = True
    early[120:130] = True
    speech = laid([(late, late), (early, late)])
    assert first_onset(speech, np.array([0, 1]), CONFIG).tolist() == [NONE, 120]


def test_runs_of_two_channels_of_one_party_are_joined() -> None:
    found = joined(np.array([50, 10, 30, 70]), np.array([60, 30, 45, 90]), np.array([55, 20, 44, 80]))
    assert found.start.tolist() == [10, 50, 70]
    assert found.end.tolist() == [45, 60, 90]
    assert found.voiced_end.tolist() == [44, 55, 80]
    assert len(joined(*[np.zeros(0, np.int64)] * 3).start) == 0


def test_frames_in_common_are_counted() -> None:
    one = Runs(start=np.array([0, 20]), end=np.array([10, 40]), voiced_end=np.array([10, 40]))
    two = Runs(start=np.array([5, 38]), end=np.array([25, 50]), voiced_end=np.array([25, 50]))
    starts, ends = common(one, two)
    assert list(zip(starts.tolist(), ends.tolist(), strict=True)) == [(5, 10), (20, 25), (38, 40)]
    assert frames_before(starts, ends, np.array([0, 5, 7, 10, 15, 24, 25, 39, 100])).tolist() == [
        0,
        0,
        2,
        5,
        5,
        9,
        10,
        11,
        12,
    ]
    none = np.zeros(0, np.int64)
    assert frames_before(none, none, np.array([3])).tolist() == [0]


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_search_s": -1.0},
        {"max_search_s": 1e-300},
        {"max_search_s": 0.0},
        {"max_search_s": 1e17},
        {"max_talk_over_s": float("inf")},
        {"snr_gate_db": 1000.0},
        {"echo_coherence": 1.5},
        {"yield_hangover_s": float("nan")},
    ],
)
def test_numbers_that_cannot_be_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        ScoreConfig(**wrong)


def test_a_config_has_one_name() -> None:
    assert ScoreConfig().config_id == ScoreConfig(max_search_s=3).config_id
    assert ScoreConfig().config_id != ScoreConfig(snr_gate_db=22).config_id
