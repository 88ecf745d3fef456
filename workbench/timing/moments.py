"""The scan: moments worth a person's ear, found without a label. They are timing facts and claim no intent.

Five kinds on two channels, after hotato's published method (its version 1.20), and one on a single mixed
channel, where only silence can be read. Each maps to an incident with a severity.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from workbench.timing.runs import Runs, Speech, common, frames_before
from workbench.timing.scoring import NONE, at, speaks, stops, sustained

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from workbench.timing.score_config import ScoreConfig

OVERLAP, START, GAP, STOP, ECHO, SILENCE = (
    "overlap_while_agent_talking",
    "agent_start_during_caller",
    "long_response_gap",
    "agent_stop_no_caller",
    "echo_correlated_activity",
    "silence",
)
CRITICAL, WARNING, CAVEAT = "critical", "warning", "caveat"


def scan(speech: Speech, config: ScoreConfig) -> list[dict[str, Any]]:
    """Find the moments that two channels' runs of speech hold; those of echo need the levels as well.

    Parameters
    ----------
    speech : Speech
        Runs of any number of recordings.
    config : ScoreConfig
        Published method by default.

    Returns
    -------
    list of dict
        `recording` (its position), `kind`, `onset_s` and `magnitude_s` (from the start of the recording),
        `yield_after_s`, `agent_quiet_s`, `salience`, `incident`, `severity`; in no order. Empty for no speech.
    """
    return [
        *_overlaps(speech, config),
        *_starts(speech, config),
        *_gaps(speech, config),
        *_stops(speech, config),
    ]


def moment(
    kind: str,
    *,
    recording: int,
    onset_s: float,
    magnitude_s: float,
    config: ScoreConfig,
    silent_s: float | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Return a candidate with the incident it maps to.

    Parameters
    ----------
    kind : str
        One of the kinds above.
    recording : int
        Position of the recording on the line.
    onset_s, magnitude_s : float
        From the start of the recording, and how long, in seconds.
    config : ScoreConfig
        From which length on an incident is critical.
    silent_s : float, optional
        How long neither party spoke, in seconds; `magnitude_s` by default. Dead air is judged by it: an agent
        that is silent while the caller speaks listens.
    **more
        `yield_after_s`, `agent_quiet_s`, `coherence`, `confidence`, `salience` where the kind has them.

    Returns
    -------
    dict
        A row of `moments` without its ids.
    """
    found = {
        "recording": recording,
        "kind": kind,
        "onset_s": round(onset_s, 6),
        "magnitude_s": round(magnitude_s, 6),
        "yield_after_s": None,
        "agent_quiet_s": None,
        "coherence": None,
        "confidence": None,
        "salience": round(magnitude_s, 6),
        **more,
    }
    return found | _incident(found, config, found["magnitude_s"] if silent_s is None else round(silent_s, 6))


def _incident(moment: dict[str, Any], config: ScoreConfig, silent_s: float) -> dict[str, str]:
    kind = moment["kind"]
    long_overlap = moment["magnitude_s"] > config.critical_overlap_s
    silent = silent_s >= config.dead_air_s
    if kind == OVERLAP:
        critical = long_overlap or moment["yield_after_s"] is None
        return {"incident": "barge_in", "severity": CRITICAL if critical else WARNING}
    if kind == START:
        return {"incident": "talk_over", "severity": CRITICAL if long_overlap else WARNING}
    if kind == ECHO:
        return {"incident": "echo_suspected", "severity": CAVEAT}
    if kind == STOP or silent:
        return {"incident": "dead_air", "severity": CRITICAL if silent else WARNING}
    went_on = silent_s < config.min_gap_s  # the caller had paused only, and nobody waited for an answer
    return {"incident": "latency_spike", "severity": CAVEAT if went_on else WARNING}


def _place(runs: Runs, speech: Speech) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The recording of each run, its first frame, and the one after its last."""
    which = np.searchsorted(speech.first, runs.start, side="right") - 1
    return which, speech.first[which], speech.after[which]


def _next_start(runs: Runs, frame: NDArray[np.int64], *, after: NDArray[np.int64]) -> NDArray[np.int64]:
    """The start of the first run at or after each frame, the end of the recording where there is none."""
    start = at(runs.start, np.searchsorted(runs.start, frame))
    return np.where((start == NONE) | (start > after), after, start)


def _frames(seconds: float, hop_s: NDArray[np.float64], *, least: int = 1) -> NDArray[np.int64]:
    return np.maximum(least, np.rint(seconds / hop_s)).astype(np.int64)


def _overlaps(speech: Speech, config: ScoreConfig) -> Iterable[dict[str, Any]]:
    """The caller begins while the agent speaks."""
    runs = sustained(speech.caller, speech, config)
    which, base, after = _place(runs, speech)
    hop = speech.hop_s[which]
    begin = runs.start
    talking = speaks(speech.agent, np.maximum(base, begin - _frames(config.agent_onset_lookback_s, hop)), begin + 1)
    search_end = np.minimum(after, begin + _frames(config.max_search_s, hop, least=0))
    quiet = _quiet_from(
        speech.agent, begin, search_end=search_end, after=after, needed=_frames(config.yield_hangover_s, hop)
    )
    pad_s = speech.pad[which] * hop
    stopped = stops(speech, begin, search_end=search_end, base=base, after=after, pad_s=pad_s, hop=hop, config=config)
    both = common(speech.caller, speech.agent)
    overlap = frames_before(*both, np.where(quiet == NONE, search_end, quiet)) - frames_before(*both, begin)
    for ix in np.flatnonzero(talking):
        yield moment(
            OVERLAP,
            recording=int(which[ix]),
            onset_s=float((begin[ix] - base[ix]) * hop[ix]),
            magnitude_s=float(overlap[ix] * hop[ix]),
            config=config,
            yield_after_s=_after(quiet[ix], begin[ix], hop[ix]),
            agent_quiet_s=_after(stopped[1][ix], begin[ix], hop[ix]),
        )


def _after(frame: np.int64, begin: np.int64, hop_s: np.float64) -> float | None:
    return None if frame == NONE else round(float((frame - begin) * hop_s), 6)


def _quiet_from(
    agent: Runs,
    begin: NDArray[np.int64],
    *,
    search_end: NDArray[np.int64],
    after: NDArray[np.int64],
    needed: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The first frame of the search from which the agent is quiet for long enough, with its hangover."""
    found = np.full(len(begin), NONE)
    here, ix = begin.copy(), agent.reaching(begin)
    open_ = here < search_end
    while open_.any():
        start = at(agent.start, ix)
        loud = np.where((start == NONE) | (start > after), after, start)
        good = open_ & (loud - here >= needed)
        found[good] = here[good]
        here = at(agent.end, ix)
        open_ &= ~good & (loud < after) & (here < search_end)
        ix = ix + 1
    return found


def _starts(speech: Speech, config: ScoreConfig) -> Iterable[dict[str, Any]]:
    """The agent begins while the caller speaks."""
    runs = sustained(speech.agent, speech, config)
    which, base, _ = _place(runs, speech)
    over = speech.caller.reaching(runs.start)
    caller_start, caller_voiced = at(speech.caller.start, over), at(speech.caller.voiced_end, over)
    found = (runs.start > base) & (caller_start != NONE) & (caller_start <= runs.start)
    both = np.maximum(0, np.minimum(runs.voiced_end, caller_voiced) - runs.start)
    for ix in np.flatnonzero(found):
        hop_s = speech.hop_s[which[ix]]
        yield moment(
            START,
            recording=int(which[ix]),
            onset_s=float((runs.start[ix] - base[ix]) * hop_s),
            magnitude_s=float(both[ix] * hop_s),
            config=config,
        )


def _gaps(speech: Speech, config: ScoreConfig) -> Iterable[dict[str, Any]]:
    """The caller has ended and the agent's answer is late, or never comes."""
    callers, agents = (sustained(runs, speech, config) for runs in (speech.caller, speech.agent))
    which, base, after = _place(callers, speech)
    hop = speech.hop_s[which]
    ended = callers.end < after
    paused = _next_start(callers, callers.end, after=after)
    last = paused == after
    ended &= last | (paused - callers.end >= _frames(config.turn_end_silence_s, hop))
    ended &= ~speaks(speech.agent, callers.end, callers.end + 1)
    answer = _next_start(agents, callers.end, after=after)
    gap, silent = (answer - callers.end) * hop, (np.minimum(answer, paused) - callers.end) * hop
    for ix in np.flatnonzero(ended & (gap >= config.min_gap_s)):
        yield moment(
            GAP,
            recording=int(which[ix]),
            onset_s=float((callers.end[ix] - base[ix]) * hop[ix]),
            magnitude_s=float(gap[ix]),
            config=config,
            silent_s=float(silent[ix]),
        )


def _stops(speech: Speech, config: ScoreConfig) -> Iterable[dict[str, Any]]:
    """The agent has stopped with no caller near who could explain it."""
    runs = sustained(speech.agent, speech, config)
    which, base, after = _place(runs, speech)
    hop = speech.hop_s[which]
    trailing = _next_start(runs, runs.end, after=after) - runs.end
    silent = np.minimum(trailing, _next_start(speech.caller, runs.end, after=after) - runs.end)
    stopped = (runs.end < after) & (trailing >= _frames(config.yield_hangover_s, hop))
    near = _frames(config.caller_proximity_s, hop)
    low, high = np.maximum(base, runs.end - near), np.minimum(after, runs.end + near)
    stopped &= ~speaks(speech.caller, low, high)
    for ix in np.flatnonzero(stopped):
        yield moment(
            STOP,
            recording=int(which[ix]),
            onset_s=float((runs.end[ix] - base[ix]) * hop[ix]),
            magnitude_s=float(trailing[ix] * hop[ix]),
            config=config,
            silent_s=float(silent[ix] * hop[ix]),
        )


def ranked(moments: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return moments with the most salient first and echo last: seconds and cosines are no common measure.

    Parameters
    ----------
    moments : iterable of dict
        Of one recording.

    Returns
    -------
    list of dict
        Equally salient ones by time and kind; empty for none.
    """
    return sorted(moments, key=lambda m: (m["kind"] == ECHO, -m["salience"], m["onset_s"], m["kind"]))
