"""The report on timing: who yielded, how soon, how sure that is, and how the moments that failed sound."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.decimals import decimals
from workbench.errors import UsageError
from workbench.plural import plural
from workbench.report.moments import moments
from workbench.report.one_snapshot import of_one_snapshot
from workbench.report.render import render
from workbench.report.sound import BUDGET_BYTES, Sounds
from workbench.report.survival_figure import SurvivalFigure, survival_figure
from workbench.timing.next_steps import meaning
from workbench.timing.score_config import ScoreConfig

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from workbench.archive.archive import Archive

QUESTION = "Who yields to whom, how soon, and how sure is that?"
MOST_ROWS = 40
BY = "agent_version"
SQL = {
    "events": "from timing_events where config_id = $config order by call_id, label_id",
    "gaps": "from response_gap_by_agent where clock = 'audio' order by agent_id, agent_version",
    "agreement": "from label_agreement where trial_count > 0 order by trial_count desc, author, other_author",
    "run": "select config from runs where kind = 'score' order by started_at desc, run_id desc limit 1",
}
WORST = ("did_not_yield", "stopped_without_caller", "talked_over", "slow_to_yield", "false_yield")

Rows = list[dict[str, Any]]


def build(archive: Archive, *, worst: int) -> str:
    """Return the whole HTML file; `worst` moments that failed are shown with lanes and sound.

    Raises
    ------
    UsageError
        When no moment of the archive is labelled, or `worst` is below 0.
    """
    return of_one_snapshot(_build, archive, worst=worst)


def _build(archive: Archive, snapshot: int, *, worst: int) -> str:
    import polars as pl

    from workbench.analysis import timing_counts, timing_spread, timing_survival
    from workbench.analysis.label_sources import label_sources
    from workbench.analysis.timing_held import HeldMoments
    from workbench.archive.health_steps import health_steps
    from workbench.archive.runs import workbench_version
    from workbench.archive.views import query

    held = HeldMoments(archive)
    if not held.labels:
        raise UsageError(
            "no moment is labelled, so there is no verdict on timing to report",
            where=archive.path.name,
            hint="workbench label CALL --at SECONDS --expect yield --archive DIR",
        )
    score = _config(archive)
    events = held.events(score)
    judged = events.filter(pl.col("status").is_in(timing_counts.JUDGED))
    cells = timing_counts.four_cells(events).join(timing_counts.rates(events), on="expect", maintain_order="left")
    yields, answers = (_survival(kind, events) for kind in ("yield", "respond"))
    failed = _failed(judged)
    sounds = Sounds(archive.layout)
    shown = moments(archive, failed[:worst], findings=failed, sounds=sounds) if failed[:worst] else []
    shares = archive.reader.frame(query("talk_over_share")).filter(pl.col("clock") == "audio")
    gaps, agreement = (archive.reader.frame(SQL[name]) for name in ("gaps", "agreement"))
    near = judged.filter(pl.col("boundary_sensitive").fill_null(value=False)).sort("call_id", "label_id")
    rulers = held.rulers(events).to_dicts()
    tests = {
        kind: timing_survival.compared(timing_survival.times_to(kind, events, by=BY)) if len(rulers) < 2 else None
        for kind in ("yield", "respond")
    }
    return render(
        "timing.html.j2",
        question=QUESTION,
        name=archive.path.resolve().name,
        snapshot=snapshot,
        version=workbench_version(),
        config_id=score.config_id,
        sql={
            "events": SQL["events"].replace("$config", f"'{score.config_id}'"),
            "gaps": SQL["gaps"],
            "agreement": SQL["agreement"],
            "shares": query("talk_over_share"),
        },
        score=[(name, value) for name, value in msgspec.structs.asdict(score).items() if value is not None],
        numbers=_numbers(held, events, judged) | {"label_sources": label_sources(archive.reader)},
        agreement=agreement.head(MOST_ROWS).to_dicts(),
        more_agreement=max(0, agreement.height - MOST_ROWS),
        cells=cells.to_dicts(),
        unit=timing_counts.unit_said(cells.to_dicts()),
        yields=yields,
        answers=answers,
        tests=tests,
        rulers=rulers,
        by=BY,
        slices=_slices(events, tested=len(rulers) < 2),
        failed_count=len(failed),
        moments=shown,
        silent_count=sounds.silent_count,
        budget_mb=BUDGET_BYTES / 1e6,
        near=near.head(MOST_ROWS).to_dicts(),
        more_near=max(0, near.height - MOST_ROWS),
        unusable=_unusable(events, health_steps(archive.reader)),
        shares=timing_spread.talk_over_shares(shares, by="source_format").to_dicts(),
        gaps=gaps.head(MOST_ROWS).to_dicts(),
        more_gaps=max(0, gaps.height - MOST_ROWS),
    )


def _config(archive: Archive) -> ScoreConfig:
    """The config of the newest scoring run, else the published one."""
    _, rows = archive.reader.rows(SQL["run"])
    return msgspec.convert(json.loads(rows[0][0])["score"], ScoreConfig) if rows else ScoreConfig()


def _numbers(held: Any, events: pl.DataFrame, judged: pl.DataFrame) -> dict[str, Any]:
    several = events.filter(events["label_count"] > 1)
    return {
        "moments": events.height,
        "labels": held.label_count,
        "shared": several.height,
        "disagreed": int(several["disagree"].sum()),
        "calls": events["call_id"].n_unique(),
        "judged": judged.height,
        "passed": judged.filter(judged["status"] == "PASS").height,
        "failed": judged.filter(judged["status"] == "FAIL").height,
        "unusable": events.height - judged.height,
        "near": judged.filter(judged["boundary_sensitive"].fill_null(value=False)).height,
        "measured_with": held.measured_with.config_id,
        "windows": held.measured_with.windows,
        "hop_ms": decimals(held.measured_with.hop_ms),
    }


def _survival(kind: str, events: pl.DataFrame) -> dict[str, Any]:
    """Figure of all moments together, and summaries of all and of each version of the agent."""
    import polars as pl

    from workbench.analysis import timing_survival
    from workbench.analysis.timing_shown import ticks

    times = timing_survival.times_to(kind, events)
    summaries = timing_survival.summaries(times)
    parted = timing_survival.times_to(kind, events, by=BY)
    if parted["group"].n_unique() > 1:
        summaries = pl.concat([summaries, timing_survival.summaries(parted)])
    figure: SurvivalFigure | None = None
    if not times.is_empty():
        whole = summaries.row(0, named=True)
        middle = "not reached" if whole["median_s"] is None else f"{whole['median_s']:.2f} s"
        label = f"{plural(whole['moment_count'], 'moment')}, {whole['censored_count']} censored, median {middle}"
        figure = survival_figure(
            timing_survival.curves(times).to_dicts(),
            times.to_dicts(),
            at_risk=timing_survival.at_risk(times, ticks_s=ticks(times)).to_dicts(),
            label=label,
        )
    return {"figure": figure, "rows": summaries.to_dicts()}


def _slices(events: pl.DataFrame, *, tested: bool) -> list[tuple[str, Rows, Any]]:
    """Each slice of the sound that is described in a moment that awaits a yield: its times, and their test if asked."""
    from workbench.analysis import timing_survival
    from workbench.archive.call_slices import SLICES

    found = []
    for name in SLICES:
        times = timing_survival.times_to("yield", events, by=name)
        if not set(times["group"]) <= {"not described"}:
            rows = timing_survival.summaries(times).to_dicts()
            described = times.filter(times["group"] != "not described")
            found.append((name, rows, timing_survival.compared(described) if tested else None))
    return found


def _failed(judged: pl.DataFrame) -> Rows:
    """Moments that failed as findings to draw: those in which the agent spoke on first, the longest first."""
    found = []
    for row in judged.filter(judged["status"] == "FAIL").to_dicts():
        reasons = row["reason"].split(", ")
        lasted = max(row["yield_observed_s"] or 0.0, row["talk_over_s"] or 0.0)
        found.append(
            {
                "call_id": row["call_id"],
                "assertion_id": "timing",
                "result_ix": row["label_id"],
                "failure_code": " and ".join(reasons),
                "severity": "medium" if reasons == ["false_yield"] else "high",
                "message": _message(row),
                "turn_ix": None,
                "start_s": row["onset_s"],
                "end_s": row["onset_s"] + lasted,
                "order": (min(WORST.index(reason) for reason in reasons), -lasted, row["call_id"], row["label_id"]),
            }
        )
    found.sort(key=lambda row: row["order"])
    return [row | {"rank": ix + 1} for ix, row in enumerate(found)]


def _message(row: dict[str, Any]) -> str:
    if row["expect"] == "hold":
        return f"Labelled hold: the agent should have spoken on, and stopped after {row['yield_observed_s']:.2f} s."
    if not row["did_yield"]:
        seen = f"{row['yield_observed_s']:.2f} s"
        if row["agent_quiet_s"] is not None:
            quiet = row["caller_quiet_s"]
            then = "with no caller near" if quiet is None else f"when the caller had been quiet for {quiet:.2f} s"
            return f"Labelled yield: the agent stopped after {seen}, {then}; that is not counted as a yield."
        return f"Labelled yield: the agent was still speaking after {seen}; it is not known when it stopped."
    margin = (
        "" if row["decision_margin_s"] is None else f", {-row['decision_margin_s']:.2f} s beyond the tightest bound"
    )
    return (
        f"Labelled yield: the agent stopped after {row['yield_observed_s']:.2f} s, "
        f"{row['talk_over_s']:.2f} s of them talk-over{margin}."
    )


def _unusable(events: pl.DataFrame, steps: Mapping[tuple[str, str], str]) -> Rows:
    """Each reason for no verdict with what mends it, once for each way that the calls' input health names."""
    import polars as pl

    own = pl.DataFrame(
        [(*key, step) for key, step in steps.items()],
        schema={"call_id": pl.String, "reason": pl.String, "own": pl.String},
        orient="row",
    )
    rows = (
        events.filter(~pl.col("status").is_in(["PASS", "FAIL"]))
        .join(own, on=["call_id", "reason"], how="left")
        .group_by("status", "reason", "own")
        .agg(moment_count=pl.len(), calls=pl.col("call_id").unique().sort())
        .sort("status", "reason", "own")
    )
    return [
        row
        | {"calls": row["calls"][:5], "more": max(0, len(row["calls"]) - 5)}
        | {"meaning": meaning(row["reason"], row["own"])}
        for row in rows.to_dicts()
    ]
