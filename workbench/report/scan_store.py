"""Stored scans: one JSON file each, written once, read again to see what comes back."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from workbench.errors import ArchiveFailed, ExportFailed, UsageError
from workbench.guarded import require_outside
from workbench.report.new_file import write_whole
from workbench.small_file import read_json

FORMAT = "workbench.scan/1"


def stored(folder: str | Path) -> list[dict[str, Any]]:
    """Return the scans of a store, the oldest first.

    Parameters
    ----------
    folder : path
        Where they lie; a folder that is not there yet holds none.

    Returns
    -------
    list of dict

    Raises
    ------
    ArchiveFailed
        When one of them cannot be read, or is no stored scan.
    ExportFailed
        When the folder lies in an archive or a contract, and so keeps no scan.
    """
    require_outside(Path(folder) / "scn.json")
    found = []
    for path in sorted(Path(folder).glob("scn-*.json")):
        try:
            scan = read_json(path, max_bytes=None)
        except UsageError as error:
            raise _damaged(path, error.what) from error
        if not isinstance(scan, dict) or scan.get("format") != FORMAT or scan.get("id") != path.stem:
            raise _damaged(path, f"it is no {FORMAT} of that name")
        if not isinstance(scan.get("recorded_at"), str) or not _has_calls(scan):
            raise _damaged(path, "it lacks what a later scan is compared with")
        found.append(scan)
    return sorted(found, key=lambda scan: (scan["recorded_at"], scan["id"]))


def keep(folder: str | Path, summary: dict[str, Any]) -> str:
    """Store a scan, unless it is there already; return when it was recorded.

    Parameters
    ----------
    folder : path
        Made where it is missing.
    summary : dict
        The scan, with `id`; without the time, which is taken now and written once.

    Returns
    -------
    str
        UTC, ISO 8601.

    Raises
    ------
    ExportFailed
        When the folder cannot be made or written.
    """
    known = {scan["id"]: scan["recorded_at"] for scan in stored(folder)}
    if summary["id"] in known:
        return str(known[summary["id"]])
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ExportFailed(
            f"the folder cannot be made ({error.strerror})", where=str(folder), hint="name a folder you may write to"
        ) from error
    recorded_at = datetime.now(UTC).isoformat()
    entry = {"format": FORMAT, "recorded_at": recorded_at, **summary}
    text = msgspec.json.format(msgspec.json.encode(entry, order="sorted"), indent=2).decode() + "\n"
    write_whole(Path(folder) / f"{summary['id']}.json", text, kind="json")
    return recorded_at


def _has_calls(scan: dict[str, Any]) -> bool:
    calls = scan.get("calls")
    return (
        isinstance(calls, list)
        and isinstance(scan.get("policy_hash"), str)
        and all(isinstance(call, dict) and {"name", "mode", "kinds"} <= call.keys() for call in calls)
    )


def _damaged(path: Path, why: str) -> ArchiveFailed:
    return ArchiveFailed(f"the stored scan cannot be read: {why}", where=str(path), hint="move it away and scan again")
