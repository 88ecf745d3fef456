"""What happened at a moment of the review queue, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.analysis.incidents import sentence
from workbench.timing.score_config import ScoreConfig

if TYPE_CHECKING:
    from workbench.archive.archive import Archive

INCIDENT = "from incidents where call_id = $call and recording_id = $recording and moment_ix = $moment"
OTHER = "select other_recording_id from input_health where call_id = $call and recording_id = $recording"
END = "select max(offset_s + duration_s) from recordings where call_id = $call and recording_id in ($recording, $other)"


def sentence_of(archive: Archive, moment: Mapping[str, Any]) -> str:
    """Return what happened at a moment, as its incident says it; nothing in it says who was right.

    Parameters
    ----------
    archive : Archive
        The archive.
    moment : mapping
        A row of :func:`workbench.analysis.review.queue`.

    Returns
    -------
    str
        One sentence. Of a call whose incidents are told from another recording a silence is as long as the scan says.
    """
    recording = {"call": moment["call_id"], "recording": moment["recording_id"]}
    found = archive.sql(INCIDENT, recording | {"moment": moment["moment_ix"]})
    lasting = {"length_s": moment["magnitude_s"]}
    if not found.is_empty():
        told = found.row(0, named=True)
        lasting = {"length_s": told["magnitude_s"]}
        if told["until_sound_s"] is not None:
            lasting |= {name: told[name] for name in ("until_sound_s", "agent_after_s")}
    other = archive.sql(OTHER, recording).item()
    end_s = archive.sql(END, recording | {"other": other}).item()
    return sentence({**moment, **lasting}, duration_s=end_s, search_s=ScoreConfig().max_search_s)
