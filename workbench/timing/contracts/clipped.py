"""A contract of a moment of a longer recording: its clip is cut, and refused where it gives another verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.audio.config import MeasureConfig
from workbench.errors import NotScorable
from workbench.timing.contracts.clip import Side, cut
from workbench.timing.contracts.comparing import MEASURES
from workbench.timing.contracts.document import Label, policy
from workbench.timing.contracts.making import Made, make
from workbench.timing.score_config import ScoreConfig


def clipped(
    event: Mapping[str, Any],
    *,
    caller: Side,
    agent: Side,
    author: str | None,
    authority: str | None,
    source_sha256: Sequence[str],
    pre_s: float,
    post_s: float,
    score: ScoreConfig,
    measure: MeasureConfig,
    engine: str,
    where: str,
) -> Made:
    """Cut the clip of a scored moment and make a contract of it.

    Parameters
    ----------
    event : mapping
        A row of `scored_events` with a verdict, of a recording whose channels are known.
    caller, agent : Side
        Where they are heard.
    author, authority : str, optional
        Who said what the agent should have done, and as what.
    source_sha256 : sequence of str
        Digests of the recordings.
    pre_s, post_s : float
        Context before and after the moment, in seconds.
    score, measure : ScoreConfig, MeasureConfig
        What the event was scored and measured with.
    engine : str
        Version of the workbench.
    where : str
        The call or file, for errors.

    Returns
    -------
    Made

    Raises
    ------
    NotScorable
        When the clip gives no verdict, or another one than the whole recording.
    ImportFailed, MissingExtra
        As :func:`workbench.timing.contracts.clip.cut`.
    """
    onset_s = event["onset_s"]
    clip = cut(caller, agent, from_s=onset_s - pre_s, to_s=onset_s + post_s, measure=measure)
    made = make(
        clip.wav,
        Label(
            expect=event["expect"],
            onset_s=round(onset_s - clip.start_s, 6),
            author=author,
            authority=authority,
        ),
        policy=policy(
            score,
            measure,
            max_time_to_yield_s=event["max_time_to_yield_s"],
            max_talk_over_s=event["max_talk_over_s"],
            channel_map_confirmed=True,  # an event with a verdict comes from a recording without doubt of its map
        ),
        source_sha256=source_sha256,
        engine=engine,
        where=where,
    )
    found = made.contract.measurement
    if (found["status"], found["did_yield"]) != (event["status"], event["did_yield"]):
        raise NotScorable(
            f"the clip gives {_verdict(found)} and the whole call {_verdict(event)}: "
            "the noise floor of a short clip is another one",
            where=where,
            hint="give it more context with a longer --pre-s and --post-s",
        )
    return made


def differences(event: Mapping[str, Any], measurement: Mapping[str, Any]) -> list[tuple[str, Any, Any]]:
    """Return what a clip gives otherwise than the whole call.

    Parameters
    ----------
    event : mapping
        The scored moment of the whole call.
    measurement : mapping
        That of the clip.

    Returns
    -------
    list of tuple
        Name, call, clip; empty where both say the same.
    """
    both = [(name, event[name], measurement[name]) for name in MEASURES]
    return [(name, whole, clip) for name, whole, clip in both if whole != clip]


def _verdict(event: Mapping[str, Any]) -> str:
    return f"{event['status']} ({'yielded' if event['did_yield'] else 'did not yield'})"
