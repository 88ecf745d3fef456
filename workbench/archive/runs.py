"""The record of a thing that was run: its settings, its times, what it wrote."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from workbench.archive.rows import digest, json_text


def workbench_version() -> str:
    """Return the installed version of the distribution."""
    try:
        return version("callbench")
    except PackageNotFoundError:
        return "0+unknown"


def begin(kind: str, config: dict[str, Any], *, label: str | None = None) -> dict[str, Any]:
    """Return the row of a run that starts now.

    Parameters
    ----------
    kind : str
        import, measure, assert, delete.
    config : dict
        Settings; JSON values.
    label : str, optional
        A name the user gave the run.

    Returns
    -------
    dict
        A row of `runs` without end; `run_id` sorts by time.
    """
    now = datetime.now(UTC)
    return {
        "run_id": f"{kind}-{now:%Y%m%dT%H%M%S}{now.microsecond // 1000:03d}-{os.urandom(3).hex()}",
        "kind": kind,
        "label": label,
        "config": json_text(config),
        "config_sha256": digest(config, 64),
        "workbench_version": workbench_version(),
        "started_at": now,
    }


def end(run: dict[str, Any], counts: dict[str, Any]) -> dict[str, Any]:
    """Return the row of a run that completed now, with what it counted."""
    return run | {"ended_at": datetime.now(UTC), "status": "completed", "counts": json_text(counts)}
