"""The page of a folder of recordings: the share without a critical incident, and the worst calls to hear."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.analysis.folder_health import (
    aside,
    critical_free,
    formula,
    kinds,
    mono_block,
    not_seen,
    scan_id,
    without_caution,
    worst_calls,
)
from workbench.analysis.folder_health_run import DUPLICATE
from workbench.analysis.folder_words import one_sided, undrawn
from workbench.analysis.incidents_aside import aside_title, listed
from workbench.analysis.incidents_of_file import measured
from workbench.report.incident_drawing import Card, Drawing
from workbench.report.render import render
from workbench.report.sound import BUDGET_BYTES, Sounds

if TYPE_CHECKING:
    from workbench.analysis.folder_health_run import Scanned
    from workbench.timing.score_config import ScoreConfig

MOST_CARDS = 8


def scan_summary(scanned: Scanned, *, folder: str, policy: str, flags: dict[str, Any]) -> dict[str, Any]:
    """Return a scan as one record; the same files and flags give the same.

    Parameters
    ----------
    scanned : Scanned
        What the folder holds.
    folder : str
        Its name.
    policy : str
        Hash of what decides an incident.
    flags : dict
        What was asked for.

    Returns
    -------
    dict
        `share` with its counts, `mono` (a block of its own, or None), `kinds`, `aside` (incidents that stand apart and
        are counted nowhere else), `worst_calls`, `refused`, `duplicates` (files of a call that is counted already), and
        `calls`, each with the `kinds` that occur in it and its incidents by severity.
    """
    from workbench.analysis.incidents import counts

    calls = scanned.calls
    two = [call for call in calls if call["mode"] == "two_channel"]
    twins = [row for row in scanned.refused if row["reason"] == DUPLICATE]
    refused = [row for row in scanned.refused if row["reason"] != DUPLICATE]
    return {
        "kind": "scan",
        "id": scan_id(scanned.manifest, flags | {"policy": policy}),
        "folder": folder,
        "flags": flags,
        "policy_hash": policy,
        "counts": {
            "file_count": len(scanned.manifest),
            "two_channel_count": len(two),
            "mono_count": len(calls) - len(two),
            "refused_count": len(refused),
            "duplicate_count": len(twins),
            "assumed_count": sum(call["channel_map"] == "assumed" for call in two),
            "stated_otherwise_count": sum(
                call["channel_map"] == "sidecar" for call in two if flags.get("channels") is not None
            ),
            "incident_call_count": sum(bool(listed(call["incidents"])) for call in calls),
        },
        "share": critical_free(calls),
        "mono": mono_block(calls),
        "kinds": kinds(calls),
        "aside": aside(calls),
        "worst_calls": worst_calls(calls),
        "calls": [
            {
                "file": call["file"],
                "name": call["name"],
                "mode": call["mode"],
                "duration_s": call["duration_s"],
                "recommendation": call["recommendation"],
                "caution": call["caution"],
                "kinds": sorted({one["incident"] for one in listed(call["incidents"])}),
                **{f"{name}_count": count for name, count in counts(call["incidents"]).items()},
            }
            for call in calls
        ],
        "refused": refused,
        "duplicates": [{name: row[name] for name in ("file", "what")} for row in twins],
    }


def build(
    summary: dict[str, Any],
    *,
    folder: str | Path,
    roles: Sequence[str] | None,
    scanning: ScoreConfig,
    came_back: Sequence[dict[str, Any]],
    earlier: Sequence[dict[str, Any]],
) -> str:
    """Return the page of a scan.

    Parameters
    ----------
    summary : dict
        From :func:`scan_summary`.
    folder : path
        Where the recordings lie: the worst of them are measured again, to be drawn and heard.
    roles, scanning
        As they were scanned with.
    came_back : sequence of dict
        From :func:`workbench.analysis.recurrence.recurrence`.
    earlier : sequence of dict
        Stored scans, the oldest first.

    Returns
    -------
    str
        One HTML file that needs no network.
    """
    from workbench.archive.runs import workbench_version

    left, silent, changed = BUDGET_BYTES, 0, 0
    cards: list[tuple[Card, str, str | None]] = []
    for row in summary["worst_calls"]:
        if row["file_count"] > 1 or len(cards) == MOST_CARDS:
            continue
        path = Path(folder) / row["file"]
        found = measured(path, channels=roles, scanning=scanning, in_folder=True) if path.is_file() else None
        if found is None or found[0].name != row["name"]:
            changed += 1
            continue
        sounds = Sounds(path, left=left)
        cards.append(_titled(Drawing(*found).card(found[0].incidents[0], sounds), row))
        left, silent = sounds.left, silent + sounds.silent_count
    return render(
        "scan.html.j2",
        version=workbench_version(),
        summary=summary,
        formula=formula(summary["share"], summary["policy_hash"]),
        without_caution=without_caution(summary["share"]),
        not_seen=not_seen(summary["share"]),
        one_sided=None if summary["mono"] is None else one_sided(summary["mono"]),
        cards=cards,
        undrawn=undrawn(summary["worst_calls"], drawn=len(cards), changed=changed, most=MOST_CARDS),
        apart=[(aside_title(row["aside"], row["incident_count"]), row["call_count"]) for row in summary["aside"]],
        silent_count=silent,
        budget_mb=BUDGET_BYTES / 1e6,
        came_back=came_back,
        earlier=earlier,
    )


def _titled(card: Card, row: dict[str, Any]) -> tuple[Card, str, str | None]:
    return card, row["file"], row["caution"]
