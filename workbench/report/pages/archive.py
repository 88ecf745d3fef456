"""The report on an archive: what is in it, what was found, how sure that is, how the worst moments sound."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any

from workbench.archive.measured_with import measured_with
from workbench.errors import UsageError
from workbench.report.figures import BINS, GapFigure, Stack, bin_width, gap_figure, stack
from workbench.report.moments import moments
from workbench.report.one_snapshot import of_one_snapshot
from workbench.report.paths import without_folders
from workbench.report.render import render
from workbench.report.sound import BUDGET_BYTES, Sounds
from workbench.report.worst_moments import choose

if TYPE_CHECKING:
    from workbench.archive.archive import Archive

QUESTION = "What is in the archive, what went wrong in it, and how sure is that?"
DIMENSIONS = ("outcome", "policy", "conversation", "speech", "reliability")
TIERS = {
    1: "1: two separate channels",
    2: "2: mono or text with attributed turns",
    3: "3: raw mono",
    4: "4: refused",
}
MOST_ROWS = 40
SQL = {
    "calls": "from call_overview order by call_id",
    "rates": "from assertion_pass_rate semi join latest_runs using (run_id) order by dimension, assertion_id",
    "worst": "from worst_calls order by rank limit 25",
    "audible": "from worst_calls semi join recordings using (call_id) order by rank limit 25",
    "findings": "from findings where list_contains($ids, call_id) order by call_id, assertion_id, result_ix",
    "gaps": "from response_gap_by_agent order by agent_id, agent_version, clock",
    "denominators": "from denominators order by metric",
    "refusals": f"from refusals order by run_id, refusal_ix limit {MOST_ROWS}",
    "refused": "select scope, count(*) as refusal_count from refusals group by scope",
    "verdicts": "select call_id, assertion_id, status from call_verdicts semi join latest_runs using (run_id)",
    "checks": "from assertions semi join latest_runs using (run_id)",
    "run": "from runs semi join (from latest_runs where kind = 'assert') using (run_id)",
    "imported": "select call_id from calls join runs using (run_id) where runs.ended_at > $at",
    "recordings": "select recording_id, duration_s from recordings order by recording_id",
}

Rows = list[dict[str, Any]]


def build(archive: Archive, *, worst: int) -> str:
    """Return the whole HTML file; see :func:`workbench.report.html.archive_report`."""
    return of_one_snapshot(_build, archive, worst=worst)


def _build(archive: Archive, snapshot: int, *, worst: int) -> str:
    from workbench.archive.runs import workbench_version

    calls = _rows(archive, SQL["calls"])
    if not calls:
        raise UsageError(
            "the archive holds no calls, so there is nothing to report",
            where=archive.path.name,
            hint="workbench import FOLDER --measure --archive DIR",
        )
    worst_calls = _rows(archive, SQL["worst"])
    audible = {row["call_id"]: row for row in _rows(archive, SQL["audible"])}
    looked_at = audible | {row["call_id"]: row for row in worst_calls}
    findings = _rows(archive, SQL["findings"], ids=list(looked_at))
    chosen = choose(list(looked_at.values()), findings, most=worst, heard=audible.keys())
    sounds = Sounds(archive.layout)
    shown = moments(archive, chosen, findings=findings, sounds=sounds) if chosen else []
    gaps = _rows(archive, SQL["gaps"])
    refused = {row["scope"]: row["refusal_count"] for row in _rows(archive, SQL["refused"])}
    refusals = _rows(archive, SQL["refusals"])
    rates = _rows(archive, SQL["rates"])
    return render(
        "archive.html.j2",
        question=QUESTION,
        name=archive.path.resolve().name,
        snapshot=snapshot,
        version=workbench_version(),
        sql=_shown_sql(),
        numbers=_numbers(archive, calls, gaps=gaps, refused=refused),
        stacks=_stacks(calls),
        sources=_sources(calls),
        run=_run(archive),
        windows=measured_with(archive.reader).windows,
        rates=[(dimension, _of(rates, dimension)) for dimension in DIMENSIONS if _of(rates, dimension)],
        worst_calls=worst_calls,
        call_count=len(calls),
        moments=shown,
        heard_count=sum(each.sound is not None and each.sound.address is not None for each in shown),
        silent_count=sounds.silent_count,
        budget_mb=BUDGET_BYTES / 1e6,
        gap_figure=_gap_figure(archive, gaps),
        gaps=gaps[:MOST_ROWS],
        more_gaps=max(0, len(gaps) - MOST_ROWS),
        denominators=_rows(archive, SQL["denominators"]),
        refusals=[_refusal(row) for row in refusals],
        more_refusals=sum(refused.values()) - len(refusals),
    )


def _rows(archive: Archive, query: str, **params: Any) -> Rows:
    names, rows = archive.reader.rows(query, params)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _of(rates: Rows, dimension: str) -> Rows:
    """Return the checks of a dimension, those that a model judged after the others."""
    found = [row for row in rates if row["dimension"] == dimension]
    return sorted(found, key=lambda row: not row["deterministic"])


def _numbers(archive: Archive, calls: Rows, *, gaps: Rows, refused: dict[str, int]) -> dict[str, Any]:
    sound = {row["recording_id"]: row["duration_s"] for row in _rows(archive, SQL["recordings"])}
    timed = [row["duration_s"] for row in calls if row["duration_s"] is not None]
    turns = [row["turn_count"] for row in calls if row["turn_count"] is not None]
    checked = [row for row in calls if row["high_finding_count"] is not None]
    verdicts = [row for row in _rows(archive, SQL["verdicts"]) if row["status"] in ("PASS", "FAIL")]
    with_verdict = {row["call_id"] for row in verdicts}
    judged = [row for row in checked if row["call_id"] in with_verdict]
    gives = {
        row["assertion_id"]: {
            row["severity"],
            *(step["severity"] for step in json.loads(row["parameters"]).get("escalations", ())),
        }
        for row in _rows(archive, SQL["checks"])
    }
    able = {
        name: len({row["call_id"] for row in verdicts if name in gives[row["assertion_id"]]})
        for name in ("high", "medium")
    }
    return {
        "calls": len(calls),
        "timed_calls": len(timed),
        "minutes": sum(timed) / 60,
        "recordings": len(sound),
        "sound_minutes": sum(sound.values()) / 60,
        "turns": sum(turns) if turns else None,
        "answers": sum(row["response_count"] for row in gaps),
        "answering_calls": sum(row["call_count"] for row in gaps),
        "checked": len(checked),
        "judged": len(judged),
        "high_judged": able["high"],
        "medium_judged": able["medium"],
        "high": sum(row["high_finding_count"] for row in judged),
        "high_calls": sum(row["high_finding_count"] > 0 for row in judged),
        "medium": sum(row["medium_finding_count"] for row in judged),
        "medium_calls": sum(row["medium_finding_count"] > 0 for row in judged),
        "refused": sum(count for scope, count in refused.items() if scope != "note"),
        "notes": refused.get("note", 0),
    }


def _health(row: dict[str, Any]) -> str:
    return (row["health"] or "not measured") if row["has_audio"] else "no audio"


def _stacks(calls: Rows) -> list[Stack]:
    tiers = Counter(row["evidence_tier"] for row in calls)
    health = Counter(_health(row) for row in calls)
    clocks = Counter(row["clock"] or "no clock" for row in calls)
    states = ("eligible for scan", "scan with caution", "NOT SCORABLE", "not measured", "no audio")
    kinds = ("audio", "transcript", "ticks", "quantised", "no clock")
    return [
        stack("Evidence tier", [(TIERS[tier], tiers[tier]) for tier in sorted(tiers)]),
        stack("Health of the audio", [(name, health[name]) for name in states]),
        stack("Clock of turn-taking", [(name, clocks[name]) for name in kinds]),
    ]


def _sources(calls: Rows) -> Rows:
    groups: dict[tuple[Any, ...], Rows] = {}
    for row in calls:
        groups.setdefault((row["source_format"], row["origin"], row["evidence_tier"]), []).append(row)
    return [
        {
            "source": key[0],
            "origin": key[1],
            "tier": key[2],
            "calls": len(rows),
            "with_audio": sum(bool(row["has_audio"]) for row in rows),
            "eligible": sum(_health(row) == "eligible for scan" for row in rows),
            "with_clock": sum(row["clock"] is not None for row in rows),
            "minutes": sum(row["duration_s"] for row in rows if row["duration_s"] is not None) / 60
            if any(row["duration_s"] is not None for row in rows)
            else None,
        }
        for key, rows in sorted(groups.items())
    ]


def _run(archive: Archive) -> dict[str, Any] | None:
    rows = _rows(archive, SQL["run"])
    if not rows:
        return None
    config = json.loads(rows[0]["config"] or "{}")
    judged = {row["call_id"] for row in _rows(archive, SQL["verdicts"])}
    imported = {row["call_id"] for row in _rows(archive, SQL["imported"], at=rows[0]["started_at"])}
    told = {"label": rows[0]["label"], "pack": config.get("pack"), "version": config.get("version")}
    return told | {"older": len(judged & imported)}


def _gap_figure(archive: Archive, gaps: Rows) -> GapFigure | None:
    from workbench.archive.views import query

    if not gaps:
        return None
    width = bin_width(max(row["gap_p95_lin_s"] for row in gaps))
    bins = _rows(archive, query("gap_histogram"), bin_s=width, most_bins=BINS)
    return gap_figure(gaps, bins, bin_s=width)


def _refusal(row: dict[str, Any]) -> dict[str, Any]:
    name = PureWindowsPath(PurePosixPath(row["source_uri"]).name).name
    texts = {key: without_folders(row[key]) for key in ("message", "hint", "location")}
    return {"file": name, "rule": row["rule"], "scope": row["scope"]} | texts


def _shown_sql() -> dict[str, str]:
    from workbench.archive.views import query

    return {
        "sources": query("calls_by_source"),
        "rates": SQL["rates"],
        "worst": SQL["worst"],
        "gaps": SQL["gaps"],
        "denominators": SQL["denominators"],
        "refusals": SQL["refusals"],
    }
