"""Dead air is silence of both: an agent that is quiet while the caller speaks listens."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.timing.moments import scan
from workbench.timing.runs import Runs, Speech
from workbench.timing.score_config import ScoreConfig


def runs(*parts: tuple[float, float]) -> Runs:
    """Runs from seconds; the hangover of 0.15 s is at their end."""
    start, end = (np.array([round(part[ix] * 100) for part in parts], np.int64) for ix in (0, 1))
    return Runs(start=start, end=end, voiced_end=end - 15)


def found(caller: Runs, agent: Runs, kind: str) -> list[dict[str, Any]]:
    speech = Speech(
        caller=caller,
        agent=agent,
        first=np.array([0]),
        after=np.array([3000]),
        hop_s=np.array([0.01]),
        pad=np.array([15]),
    )
    return sorted((m for m in scan(speech, ScoreConfig()) if m["kind"] == kind), key=lambda m: m["onset_s"])


def judged(moment: dict[str, Any]) -> tuple[float, float, str, str]:
    return moment["onset_s"], moment["magnitude_s"], moment["incident"], moment["severity"]


def test_an_agent_that_listens_is_no_critical_dead_air() -> None:
    """The agent stops at 5 and speaks again at 15; the caller speaks from 6 to 14. Nobody speaks for 1 s."""
    caller, agent = runs((6.0, 14.0)), runs((1.0, 5.0), (15.0, 29.9))
    assert judged(found(caller, agent, "agent_stop_no_caller")[0]) == (5.0, 10.0, "dead_air", "warning")


def test_an_agent_that_leaves_everybody_silent_is() -> None:
    caller, agent = runs((11.0, 14.0)), runs((1.0, 5.0), (15.0, 29.9))
    assert judged(found(caller, agent, "agent_stop_no_caller")[0]) == (5.0, 10.0, "dead_air", "critical")


def test_a_caller_who_only_paused_waits_for_no_answer() -> None:
    """The caller pauses from 4 to 4.5 and ends at 10; the answer at 13 is 9 s after the pause, 3 s after the end."""
    caller, agent = runs((1.0, 4.0), (4.5, 10.0)), runs((13.0, 29.9))
    paused, ended = found(caller, agent, "long_response_gap")
    assert judged(paused) == (4.0, 9.0, "latency_spike", "caveat")
    assert judged(ended) == (10.0, 3.0, "latency_spike", "warning")


def test_an_answer_that_is_long_in_coming_is_dead_air() -> None:
    caller, agent = runs((1.0, 4.0)), runs((9.0, 29.9))
    assert judged(found(caller, agent, "long_response_gap")[0]) == (4.0, 5.0, "dead_air", "critical")
