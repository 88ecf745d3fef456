"""Silences that only faint sound broke into shorter ones, so that the published scan lists none of their length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.timing.moments import GAP, STOP, moment
from workbench.timing.score_config import ScoreConfig

SAME_S = 0.05
"""A silence of the scan that begins within this time of another is the same."""


def hidden(
    moments: Sequence[Mapping[str, Any]],
    segments: Sequence[Mapping[str, Any]],
    *,
    duration_s: float,
    config: ScoreConfig,
) -> list[dict[str, Any]]:
    """Find silences that begin where speech ends and hold faint sound, and are no moment.

    Parameters
    ----------
    moments : sequence of mapping
        What the scan found: `kind`, `onset_s`, `faint`.
    segments : sequence of mapping
        Runs of speech of one recording: `role`, `start_s`, `end_s`, `faint`; roles other than caller and agent are
        passed over.
    duration_s : float
        Length of the recording in seconds.
    config : ScoreConfig
        From which length on they count.

    Returns
    -------
    list of dict
        As :func:`workbench.timing.moments.scan`, in order of time: after the caller or the agent a silence of
        `min_gap_s` or more, faint sound left out. `scanned_s` is None: the scan has none. Empty for no faint run.
    """
    runs = [row for row in segments if row["role"] in ("caller", "agent")]
    faint = [(row["start_s"], row["end_s"]) for row in runs if row["faint"]]
    if not faint:
        return []
    known = [one["onset_s"] for one in moments if one["kind"] in (GAP, STOP) and not one.get("faint")]
    firm = sorted((row["start_s"], row["end_s"], row["role"]) for row in runs if not row["faint"])
    found = []
    reach_s, last = 0.0, ""
    for ix, (_, end_s, role) in enumerate(firm):
        if not last or end_s > reach_s:
            reach_s, last = end_s, role
        until_s = firm[ix + 1][0] if ix + 1 < len(firm) else duration_s
        length_s = round(until_s - reach_s, 6)
        kind = GAP if last == "caller" else STOP
        if length_s < config.min_gap_s or any(abs(onset_s - reach_s) < SAME_S for onset_s in known):
            continue
        if any(start_s < until_s and stop_s > reach_s for start_s, stop_s in faint):
            told = moment(kind, recording=0, onset_s=reach_s, magnitude_s=length_s, config=config)
            found.append(told | {"scanned_s": None, "faint": False})
    return found


def severity_of(row: Mapping[str, Any], *, config: ScoreConfig) -> dict[str, str]:
    """Return what a silence is by its length with faint sound left out.

    Parameters
    ----------
    row : mapping
        `kind` (of a gap or a stop), `length_s`, `until_sound_s`, and the published `incident` and `severity`, which
        stay where no faint sound lies in it.
    config : ScoreConfig
        From which length on it is dead air.

    Returns
    -------
    dict of str to str
        `incident` and `severity`.
    """
    if row["length_s"] <= row["until_sound_s"] + 1e-6:
        return {"incident": row["incident"], "severity": row["severity"]}
    told = moment(row["kind"], recording=0, onset_s=0.0, magnitude_s=row["length_s"], config=config)
    return {"incident": told["incident"], "severity": told["severity"]}


def within_another(rows: Sequence[Mapping[str, Any]]) -> set[int]:
    """Tell which silences are the rest of one that began earlier, with only faint sound between.

    Parameters
    ----------
    rows : sequence of mapping
        `kind`, `onset_s`, `length_s`, `faint`.

    Returns
    -------
    set of int
        Their positions.
    """
    first: dict[float, float] = {}
    silent = [
        (ix, row["onset_s"], round(row["onset_s"] + row["length_s"], 3))
        for ix, row in enumerate(rows)
        if row["kind"] in (GAP, STOP) and not row.get("faint")
    ]
    for _, onset_s, end_s in silent:
        first[end_s] = min(onset_s, first.get(end_s, onset_s))
    return {ix for ix, onset_s, end_s in silent if onset_s > first[end_s] + SAME_S}
