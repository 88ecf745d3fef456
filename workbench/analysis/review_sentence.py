"""What happened at a moment of the review queue, in one sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from workbench.analysis.incidents import sentence
from workbench.timing.score_config import ScoreConfig

if TYPE_CHECKING:
    from workbench.archive.archive import Archive

LENGTH = "select magnitude_s from incidents where call_id = $call and recording_id = $recording and moment_ix = $moment"
END = "select offset_s + duration_s as end_s from recordings where call_id = $call and recording_id = $recording"


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
    length = archive.sql(LENGTH, recording | {"moment": moment["moment_ix"]})
    length_s = moment["magnitude_s"] if length.is_empty() else length["magnitude_s"].item()
    end_s = archive.sql(END, recording)["end_s"].item()
    return sentence({**moment, "length_s": length_s}, duration_s=end_s, search_s=ScoreConfig().max_search_s)
