"""Robustness of the verdicts on an archive's labelled moments."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.analysis.robustness import Curve, robustness
from workbench.archive.deleted_meanwhile import require
from workbench.archive.measured_with import of_recordings
from workbench.decimals import decimals
from workbench.errors import ArchiveFailed, ImportFailed, NotScorable, SnapshotGone, UsageError

if TYPE_CHECKING:
    from workbench.archive.archive import Archive
    from workbench.timing.score_config import ScoreConfig

LABEL = "workbench label CALL --at SECONDS --expect yield"
TWO_FILES = "its two sides lie in two files, and one file with both is needed"
"""Why a call is left out that is judged all the same: its sound cannot be made worse as that of one recording."""
_ONE_FILE = "write them as the two channels of one file, and import and label that"
_APART = "select call_id, moment_s from label_moments where counted and disagree order by call_id, moment_s"
_MOMENTS = "semi join (from label_moments where counted and not disagree) using (call_id, label_id)"


def of_archive(
    archive: Archive,
    *,
    calls: Sequence[str] = (),
    only: Sequence[str] = (),
    seed: int = 1,
    scoring: ScoreConfig | None = None,
    on_call: Callable[[str], None] | None = None,
) -> tuple[list[Curve], list[dict[str, str | None]]]:
    """Make the labelled moments of an archive worse, each measured as it was in the archive.

    Parameters
    ----------
    archive : Archive
        Opened.
    calls : sequence of str, optional
        Only these.
    only, seed, scoring
        As for :func:`robustness`.
    on_call : callable, optional
        Told each call as it begins.

    Returns
    -------
    tuple of list of Curve and list of dict
        The second names the calls left out, with `reason` and `next_step`, and so each moment whose labels disagree of
        a call that is tried. A call whose audio file is gone, or is not the one that was imported, is left out, and so
        is one whose sides lie in two files (`TWO_FILES`).

    Raises
    ------
    UsageError
        When no moment is labelled, or every one of them both yield and hold.
    """
    labels = archive.sql(f"from standing_labels {_MOMENTS} order by call_id, label_id").to_dicts()
    there = {(row["call_id"], row["recording_id"]): row for row in archive.sql("from recordings").to_dicts()}
    inputs = {row["call_id"]: row for row in archive.sql("from timing_inputs").to_dicts()}
    curves: list[Curve] = []
    left_out = _without(archive, {row["call_id"] for row in labels}, calls=calls)
    if not labels or (calls and len(left_out) == len(set(calls))):
        told = "; ".join(f"{gone['call_id']}: {gone['reason']}" for gone in left_out[:3])
        hint = left_out[0]["next_step"] if left_out else archive.layout.command(LABEL)
        raise UsageError(f"no moment can be tried: {told}" if told else "no moment is labelled", hint=hint)
    left_out += _apart(archive, {row["call_id"] for row in labels if not calls or row["call_id"] in calls})
    measured = of_recordings(archive.reader)
    for call_id in dict.fromkeys(row["call_id"] for row in labels if not calls or row["call_id"] in calls):
        some = [
            {**row, "value": msgspec.json.decode(row["value"]) if isinstance(row["value"], str) else row["value"]}
            for row in labels
            if row["call_id"] == call_id
        ]
        facts = inputs.get(call_id)
        if facts is not None and _lies_in_two_files(facts):
            left_out.append({"call_id": call_id, "reason": TWO_FILES, "next_step": _ONE_FILE})
            continue
        if facts is None or facts["caller_recording_id"] != facts["agent_recording_id"]:
            reason = "no recording with both parties that was measured"
            step = "import one recording with a channel for each party, and measure it"
            left_out.append({"call_id": call_id, "reason": reason, "next_step": step})
            continue
        if not facts["verdict_eligible"]:
            left_out.append({"call_id": call_id, "reason": facts["reason"], "next_step": facts["next_step"]})
            continue
        if on_call:
            on_call(call_id)
        recording = there[call_id, facts["caller_recording_id"]]
        raw = recording["container"] == "raw"
        try:
            curves += robustness(
                require(archive.layout, recording),
                some,
                roles=tuple(recording["channel_roles"]),
                offset_s=recording["offset_s"],
                only=only,
                seed=seed,
                config=measured.get(recording["recording_id"]),
                scoring=scoring,
                encoding=recording["codec"] if raw else None,
                sample_rate_hz=recording["sample_rate_hz"] if raw else None,
            )
        except (ArchiveFailed, SnapshotGone, NotScorable, ImportFailed) as error:
            left_out.append({"call_id": call_id, "reason": error.what, "next_step": error.hint})
    return curves, left_out


def _lies_in_two_files(facts: Mapping[str, Any]) -> bool:
    """Return whether a row of `timing_inputs` reads caller and agent from a recording each."""
    caller, agent = facts["caller_recording_id"], facts["agent_recording_id"]
    return caller is not None and agent is not None and caller != agent


def _apart(archive: Archive, tried: set[str]) -> list[dict[str, str | None]]:
    """The moments of calls that are tried on which their labels disagree."""
    found: list[dict[str, str | None]] = []
    for row in archive.sql(_APART).to_dicts():
        if row["call_id"] in tried:
            at = "" if row["moment_s"] is None else f" at {decimals(row['moment_s'])} s"
            step = archive.layout.command(f"workbench label {shlex.quote(row['call_id'])} --undo LABEL")
            found.append({"call_id": row["call_id"], "reason": f"labels disagree{at}", "next_step": step})
    return found


def _without(archive: Archive, tried: set[str], *, calls: Sequence[str]) -> list[dict[str, str | None]]:
    """The calls that were asked for, by default all with labels, and have no moment on which the labels agree."""
    labelled = archive.sql("select distinct call_id from standing_labels where kind = 'expectation' order by call_id")
    known, there = set(labelled["call_id"]), set(archive.sql("select call_id from calls")["call_id"])
    found: list[dict[str, str | None]] = []
    for call_id in dict.fromkeys(calls or labelled["call_id"]):
        if call_id in known - tried:
            step = archive.layout.command(f"workbench label {shlex.quote(call_id)} --undo LABEL")
            found.append({"call_id": call_id, "reason": "its labels disagree", "next_step": step})
        elif call_id not in there:
            step = archive.layout.command('workbench sql "select call_id from calls"')
            found.append({"call_id": call_id, "reason": "there is no such call", "next_step": step})
        elif call_id not in tried:
            step = archive.layout.command(LABEL)
            found.append({"call_id": call_id, "reason": "no moment of it is labelled", "next_step": step})
    return found
