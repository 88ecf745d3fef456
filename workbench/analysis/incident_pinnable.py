"""Which incidents of one sound file can be pinned, and in a few words why the others cannot."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.analysis.incident_pinned import PINNED, clip_of, sides_of
from workbench.analysis.incidents_aside import listed
from workbench.analysis.incidents_of_file import TWO_CHANNELS, Examined
from workbench.analysis.no_verdict import no_verdict
from workbench.audio.config import MeasureConfig
from workbench.errors import NotScorable
from workbench.timing.contracts.clip import Side, cut
from workbench.timing.contracts.judging import event_of
from workbench.timing.score_config import ScoreConfig

if TYPE_CHECKING:
    from workbench.timing.measuring import Measured

BOUNDS = {"max_time_to_yield_s": None, "max_talk_over_s": None}
VERDICTS = ("PASS", "FAIL")


class Pinnable(msgspec.Struct, frozen=True, kw_only=True):
    """What an incident can be pinned with (`yield`, `hold`, both or none), and why with none."""

    expects: tuple[str, ...]
    why: str | None = None


def pinnable(examined: Examined, found: Measured, *, config: MeasureConfig | None = None) -> dict[int, Pinnable]:
    """Try each listed barge-in and talk-over of a file, as `pin` would without options; nothing is written.

    Parameters
    ----------
    examined : Examined
        The file.
    found : Measured
        Its measurement; the frames are not read.
    config : MeasureConfig, optional
        What it was measured with.

    Returns
    -------
    dict of int to Pinnable
        By the number of the incident; empty where no verdict can rest on the file.
    """
    measure, score = config or MeasureConfig(), ScoreConfig()
    tried = [one for one in listed(examined.incidents) if one["incident"] in PINNED]
    if not tried or examined.mode != TWO_CHANNELS or not examined.health["verdict_eligible"]:
        return {}
    if any(examined.roles.count(role) != 1 for role in ("caller", "agent")):
        return {}
    sides = sides_of(examined)
    with tempfile.TemporaryDirectory(prefix="workbench-") as folder:
        if len(tried) > 1:  # a lossy file is decoded from its start for each clip: once is enough
            sides = _decoded(sides, Path(folder) / "call.wav", duration_s=examined.duration_s, measure=measure)
        return {
            one["number"]: _tried(one, found, examined=examined, sides=sides, measure=measure, score=score)
            for one in tried
        }


def _decoded(sides: dict[str, Side], path: Path, *, duration_s: float, measure: MeasureConfig) -> dict[str, Side]:
    whole = cut(sides["caller"], sides["agent"], from_s=0.0, to_s=duration_s, measure=measure)
    path.write_bytes(whole.wav)
    return {role: Side(path=str(path), channel_ix=ix) for ix, role in enumerate(("caller", "agent"))}


def _tried(
    incident: dict[str, Any],
    found: Measured,
    *,
    examined: Examined,
    sides: dict[str, Side],
    measure: MeasureConfig,
    score: ScoreConfig,
) -> Pinnable:
    events = {
        expect: event_of(found, expect=expect, onset_s=incident["onset_s"], bounds=BOUNDS, measure=measure, score=score)
        for expect in ("yield", "hold")
    }
    able = [expect for expect, event in events.items() if event["status"] in VERDICTS]
    if not able:
        return Pinnable(expects=(), why=no_verdict(events["yield"]["reason"]))
    kept: list[str] = []
    for expect in able:
        try:
            clip_of(events[expect], sides, examined, author="-", measure=measure, score=score)
        except NotScorable:
            continue
        kept.append(expect)
    if kept:
        return Pinnable(expects=tuple(kept))
    return Pinnable(expects=(), why="a clip cut around it gives no verdict, or another one than the whole call")
