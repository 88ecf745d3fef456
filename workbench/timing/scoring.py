"""Scores labelled moments: did the agent yield, how soon, how long did both speak, how long was the wait.

The definitions are those of hotato's published method (its version 1.20), so that verdicts stay comparable.
Whether somebody was speaking is read from runs with their hangover; when somebody stopped, and how long both
spoke, from runs without it. Where a rule counts quiet frames the hangover is added to its length, since a
pause shorter than that is bridged.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from workbench.timing.runs import Runs, Speech, common, frames_before

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.timing.score_config import ScoreConfig

NONE = -1
"""Stands in frame numbers for: there is none."""


class Scored(msgspec.Struct, frozen=True, kw_only=True):
    """One value a moment. Frames count from the start of the recording; -1 where there is none.

    `onset` is the frame that was scored, `yielded_at` the first quiet one, `quiet_at` the same whether or not a
    caller is near, `search_end` the one after the last that was looked at, `turn_end` that after the caller's turn,
    `response` the first of the agent's next run, `resumed_at` that of the run after the yield, `longest_after` the
    longest run from there on. `caller_near`: the caller speaks from `caller_proximity_s` before the onset to the end
    of the search; `caller_quiet` frames before `quiet_at` the caller was last loud; `went_on`: the agent is loud again
    between `quiet_at` and the end of the search.
    """

    onset: NDArray[np.int64]
    agent_talking: NDArray[np.bool_]
    yielded_at: NDArray[np.int64]
    quiet_at: NDArray[np.int64]
    went_on: NDArray[np.bool_]
    caller_near: NDArray[np.bool_]
    caller_quiet: NDArray[np.int64]
    search_end: NDArray[np.int64]
    talk_over: NDArray[np.int64]
    turn_end: NDArray[np.int64]
    response: NDArray[np.int64]
    resumed_at: NDArray[np.int64]
    longest_after: NDArray[np.int64]
    recording_end: NDArray[np.int64]


def first_onset(speech: Speech, recording: NDArray[np.int64], config: ScoreConfig) -> NDArray[np.int64]:
    """Return the first frame of the caller's first run of at least `onset_min_run_s`, -1 where there is none.

    Parameters
    ----------
    speech : Speech
        Runs of all recordings.
    recording : numpy.ndarray of int64, shape (moments,)
        Which recording is asked about.
    config : ScoreConfig

    Returns
    -------
    numpy.ndarray of int64, shape (moments,)
        Frames from the start of each recording.
    """
    runs = sustained(speech.caller, speech, config)
    base, after = speech.first[recording], speech.after[recording]
    start = at(runs.start, np.searchsorted(runs.start, base))
    return np.where((start != NONE) & (start < after), start - base, NONE)


def sustained(runs: Runs, speech: Speech, config: ScoreConfig) -> Runs:
    """Return the runs that are long enough to be an onset.

    Parameters
    ----------
    runs : Runs
        Of one party of `speech`.
    speech : Speech
        Says which recording each belongs to.
    config : ScoreConfig
        Its `onset_min_run_s`.

    Returns
    -------
    Runs
    """
    shortest = np.maximum(1, _frames(config.onset_min_run_s, speech.hop_s))
    return runs.longer(shortest[np.searchsorted(speech.first, runs.start, side="right") - 1])


def score(speech: Speech, *, recording: NDArray[np.int64], onset: NDArray[np.int64], config: ScoreConfig) -> Scored:
    """Score moments of any number of recordings at once.

    Parameters
    ----------
    speech : Speech
        Runs of all recordings.
    recording : numpy.ndarray of int64, shape (moments,)
        The recording of each moment.
    onset : numpy.ndarray of int64, shape (moments,)
        When the caller begins, in frames from the start of the recording; cut to it.
    config : ScoreConfig
        Published method by default.

    Returns
    -------
    Scored
        Arrays of shape (moments,); empty for no moments.
    """
    base, after, hop = speech.first[recording], speech.after[recording], speech.hop_s[recording]
    onset = np.clip(base + onset, base, after - 1)
    lookback = np.maximum(1, _frames(config.agent_onset_lookback_s, hop))
    talking = speaks(speech.agent, np.maximum(base, onset - lookback), onset + 1)
    search_end = np.minimum(after, onset + _frames(config.max_search_s, hop))
    pad_s = speech.pad[recording] * hop
    yielded, quiet = stops(
        speech, onset, search_end=search_end, base=base, after=after, pad_s=pad_s, hop=hop, config=config
    )
    near = np.maximum(1, _frames(config.caller_proximity_s, hop))
    heard = speech.caller.voiced(quiet)
    caller_end = np.where(heard > 0, at(speech.caller.voiced_end, np.maximum(heard - 1, 0)), NONE)
    again = at(speech.agent.start, np.searchsorted(speech.agent.start, quiet))
    until = np.where(yielded == NONE, search_end, yielded)
    both = common(speech.caller, speech.agent)
    talk_over = frames_before(*both, until) - frames_before(*both, onset)
    silence = np.maximum(1, _frames(config.turn_end_silence_s + pad_s, hop))
    turn_end = _turn_end(speech.caller, onset, after=after, silence=silence)
    response = _within(at(speech.agent.start, speech.agent.after(onset)), after)
    resumed, longest = _resumes(speech, yielded, after=after, config=config)
    return Scored(
        onset=onset - base,
        agent_talking=talking,
        yielded_at=_from_start(yielded, base),
        quiet_at=_from_start(quiet, base),
        went_on=(quiet != NONE) & (again != NONE) & (again < search_end),
        caller_quiet=np.where((quiet != NONE) & (caller_end > base), quiet - caller_end, NONE),
        caller_near=speaks(speech.caller, np.maximum(base, onset - near), search_end),
        search_end=search_end - base,
        talk_over=talk_over,
        turn_end=_from_start(turn_end, base),
        response=_from_start(response, base),
        resumed_at=_from_start(resumed, base),
        longest_after=longest,
        recording_end=after - base,
    )


def _frames(seconds: float | NDArray[np.float64], hop: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(seconds / hop).astype(np.int64)


def at(values: NDArray[np.int64], ix: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the values at these positions.

    Parameters
    ----------
    values : numpy.ndarray of int64, shape (n,)
    ix : numpy.ndarray of int64, any shape
        Positions, none of them negative.

    Returns
    -------
    numpy.ndarray of int64
        Shape of `ix`; -1 for positions past the end.
    """
    return np.append(values, NONE)[np.minimum(ix, len(values))]


def _within(frame: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(frame < after, frame, NONE)


def _from_start(frame: NDArray[np.int64], base: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.where(frame == NONE, NONE, frame - base)


def speaks(runs: Runs, first: NDArray[np.int64], after: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return whether anybody speaks in a stretch.

    Parameters
    ----------
    runs : Runs
        With their hangover.
    first, after : numpy.ndarray of int64, shape (stretches,)
        Frames; `after` is exclusive.

    Returns
    -------
    numpy.ndarray of bool, shape (stretches,)
    """
    start = at(runs.start, runs.reaching(first))
    there: NDArray[np.bool_] = (start != NONE) & (start < after)
    return there


def stops(
    speech: Speech,
    onset: NDArray[np.int64],
    *,
    search_end: NDArray[np.int64],
    base: NDArray[np.int64],
    after: NDArray[np.int64],
    pad_s: NDArray[np.float64],
    hop: NDArray[np.float64],
    config: ScoreConfig,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the first frame of each search in which the agent is quiet for long enough.

    Parameters
    ----------
    speech : Speech
        Runs of all recordings.
    onset, search_end : numpy.ndarray of int64, shape (moments,)
        Frames of the line; the end is exclusive.
    base, after : numpy.ndarray of int64, shape (moments,)
        First frame of the recording of each moment, and the one after its last.
    pad_s, hop : numpy.ndarray of float64, shape (moments,)
        Its hangover and its hop, in seconds.
    config : ScoreConfig
        How long is long enough, and how near is near.

    Returns
    -------
    tuple of numpy.ndarray of int64, shape (moments,)
        With a caller near, which is a yield; and whether or not one is near. -1 where there is none.
    """
    agent, caller = speech.agent, speech.caller
    needed = np.maximum(1, _frames(config.yield_hangover_s + pad_s, hop))
    near = np.maximum(1, _frames(config.caller_proximity_s, hop))
    # The pauses of the agent that reach into the search: before run `ix`, after the run before it.
    first_ix, last_ix = agent.voiced(onset), np.searchsorted(agent.start, search_end)
    first_ix = np.minimum(first_ix, last_ix)
    pauses = last_ix - first_ix + 1
    moment = np.repeat(np.arange(len(onset)), pauses)
    ix = np.repeat(first_ix - np.cumsum(pauses) + pauses, pauses) + np.arange(len(moment))
    low, high = base[moment], after[moment]
    quiet = np.maximum(np.where(ix > 0, at(agent.voiced_end, ix - 1), NONE), low)
    start = at(agent.start, ix)
    loud = np.where(start == NONE, high, np.minimum(start, high))
    place = np.maximum(quiet, onset[moment])
    # The caller speaks near a frame when a run reaches from `near` before it to less than `near` after it.
    there = caller.reaching(np.maximum(low, place - near[moment]))
    begins = at(caller.start, there)
    in_reach = np.maximum(place, begins - near[moment] + 1)
    long, until = loud - quiet >= needed[moment], np.minimum(loud, search_end[moment])
    heard = long & (begins != NONE) & (begins < high) & (in_reach < until)
    stopped = long & (place < until)
    yielded = _first(moment[heard], in_reach[heard], count=len(onset))
    return yielded, _first(moment[stopped], place[stopped], count=len(onset))


def _first(moment: NDArray[np.int64], frame: NDArray[np.int64], *, count: int) -> NDArray[np.int64]:
    found = np.full(count, np.iinfo(np.int64).max)
    np.minimum.at(found, moment, frame)
    return np.where(found == np.iinfo(np.int64).max, NONE, found)


def _turn_end(
    caller: Runs, onset: NDArray[np.int64], *, after: NDArray[np.int64], silence: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The end of the caller's speech from the onset on, pauses shorter than `silence` bridged."""
    found = np.full(len(onset), NONE)
    ix = caller.voiced(onset)
    open_ = _within(at(caller.start, ix), after) != NONE
    while open_.any():
        end = at(caller.voiced_end, ix)
        start = at(caller.start, ix + 1)
        next_start = np.where((start == NONE) | (start > after), after, start)
        ended = open_ & (next_start - end >= silence)
        found[ended] = end[ended]
        open_ &= ~ended & (next_start < after)
        ix = ix + 1
    return found


def _resumes(
    speech: Speech, yielded: NDArray[np.int64], *, after: NDArray[np.int64], config: ScoreConfig
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The agent's first run from the yield on, and the length of its longest one from there to the end."""
    agent = sustained(speech.agent, speech, config)
    ix, last = np.searchsorted(agent.start, yielded), np.searchsorted(agent.start, after)
    start = np.where(yielded == NONE, NONE, _within(at(agent.start, ix), after))
    longest = np.zeros(len(yielded), np.int64)
    there = start != NONE
    if there.any():
        lengths = np.append(agent.end - agent.start, 0)
        longest[there] = np.maximum.reduceat(lengths, np.column_stack([ix[there], last[there]]).ravel())[::2]
    return start, longest
