"""`workbench scan`: the incidents of every recording of a folder, and the share of calls without a critical one."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import click

from workbench.cli import options, output
from workbench.errors import Exit, UsageError


@options.command("scan")
@click.argument("folder", type=click.Path())
@click.option(
    "--channels",
    metavar="ROLE,ROLE",
    help="Whose channel is which, where no sidecar says so, e.g. caller,agent; mono files aside.",
)
@click.option("--min-gap-s", type=float, help="Shortest wait for an answer that counts (2 s).")
@click.option(
    "-o", "--output", "target", metavar="FILE.html", type=click.Path(), help="Write a page to hear the worst."
)
@click.option("--store", metavar="DIR", type=click.Path(file_okay=False), help="Keep a summary; tell what comes back.")
@options.workers
@options.as_json
@options.quiet
def command(
    folder: str,
    *,
    channels: str | None,
    min_gap_s: float | None,
    target: str | None,
    store: str | None,
    workers: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Tell how many calls of a folder have no critical incident; no archive is needed.

    The share counts calls with two channels. Mono calls stand in a block of their own and never enter it: they are
    NOT SCORABLE for turn-taking, and only their silences can be told. A file that cannot be read is listed with the
    reason. Exit code 2, and nothing written, where no call has two channels.

    \b
    Examples:
      workbench scan recordings
      workbench scan recordings --channels agent,caller --store scans -o scan.html
    """
    from workbench.analysis.folder_health_run import scan_folder
    from workbench.analysis.incidents_channels import roles_asked
    from workbench.analysis.incidents_of_file import policy_hash
    from workbench.analysis.recurrence import recurrence
    from workbench.audio.config import MeasureConfig
    from workbench.ingest.audio_names import is_audio_name
    from workbench.report import scan_store
    from workbench.report.new_file import require_place, write_whole
    from workbench.report.scan import scan_summary
    from workbench.timing.score_config import ScoreConfig

    roles = roles_asked(channels)
    scanning = ScoreConfig() if min_gap_s is None else ScoreConfig(min_gap_s=min_gap_s)
    if target is not None:
        require_place(target, kind="html")
        if Path(target).exists() and is_audio_name(target):
            raise UsageError("the page would replace a recording", where=target, hint="name another file")
    earlier = scan_store.stored(store) if store else []
    with output.progress("scanning", unit="files", quiet=quiet or as_json) as show:
        scanned = scan_folder(folder, channels=roles, scanning=scanning, workers=workers, on_progress=show)
    summary = scan_summary(
        scanned,
        folder=Path(os.path.realpath(folder)).name,
        policy=policy_hash(scanning, MeasureConfig()),
        flags={"channels": channels, "min_gap_s": scanning.min_gap_s},
    )
    scored = summary["share"]["critical_free_call_rate"] is not None
    recorded_at = scan_store.keep(store, summary) if store and scored else None
    if recorded_at is not None:
        known = {scan["id"]: scan for scan in earlier}
        this = (recorded_at, summary["id"])
        earlier = [scan for scan in known.values() if (scan["recorded_at"], scan["id"]) < this]
    came_back = recurrence(summary, earlier)
    size = None
    if target is not None and scored:
        from workbench.report.scan import build

        text = build(summary, folder=folder, roles=roles, scanning=scanning, came_back=came_back, earlier=earlier)
        size = write_whole(target, text, kind="html")
    if as_json:
        output.json_line(summary | {"recorded_at": recorded_at, "recurrence": came_back})
    elif not quiet:
        _tell(summary)
        _tell_earlier(earlier, came_back)
        if size is not None:
            click.echo(f"{output.one_line(target)} ({size / 1e6:.1f} MB)")
    if not scored:
        if quiet or as_json:
            click.echo(f"workbench: no share: {summary['share']['reason']}", err=True)
        sys.exit(Exit.REFUSED)


def _tell(summary: dict[str, Any]) -> None:
    from workbench.analysis.folder_health import formula, not_seen, without_caution
    from workbench.analysis.folder_words import one_sided
    from workbench.analysis.incidents_aside import aside_title

    share, mono = summary["share"], summary["mono"]
    counts = summary["counts"]
    click.echo(
        f"{output.one_line(summary['folder'])}  {summary['id']}: {output.plural(counts['two_channel_count'], 'call')} "
        f"with two channels, {counts['mono_count']} mono, {counts['refused_count']} refused"
        + (f", {output.plural(counts['duplicate_count'], 'duplicate')}" if counts["duplicate_count"] else "")
    )
    click.echo(formula(share, summary["policy_hash"]))
    if (rough := without_caution(share)) is not None:
        click.echo(f"  {rough}")
    if (unseen := not_seen(share)) is not None:
        click.echo(f"  {unseen}")
    if share["critical_free_with_faint_count"] != share["critical_free_count"]:
        every = share["critical_free_with_faint_count"]
        click.echo(f"  {every} of {share['call_count']} where critical incidents of faint sound alone count too")
    if counts["assumed_count"]:
        click.echo(
            f"  in {counts['assumed_count']} of these the first channel is assumed to be the caller's (--channels)"
        )
    if counts["stated_otherwise_count"]:
        click.echo(
            f"  in {counts['stated_otherwise_count']} of these the sidecar says otherwise than --channels, and counts"
        )
    _tell_kinds(summary, "two_channel")
    for row in summary["aside"]:
        told = aside_title(row["aside"], row["incident_count"])
        click.echo(f"  apart, in {output.plural(row['call_count'], 'call')}: {told}")
    if summary["worst_calls"]:
        shown, there = len(summary["worst_calls"]), counts["incident_call_count"]
        click.echo(f"\nworst calls, {shown} of {there} with an incident" if shown < there else "\nworst calls")
        names = ("#", "call", "lane", "critical", "warning", "worst", "at s", "s", "caution")
        rough_too = any(row["caution"] for row in summary["worst_calls"])
        columns = ("rank", "file", "mode", "critical_count", "warning_count")
        output.table(
            names if rough_too else names[:-1],
            [
                (
                    *(row[name] for name in columns),
                    row["worst_incident"].replace("_", "-"),
                    f"{row['worst_at_s']:.2f}",
                    f"{row['worst_magnitude_s']:.2f}",
                    *([(row["caution"] or "").replace("_", " ")] if rough_too else []),
                )
                for row in summary["worst_calls"]
            ],
        )
    if mono:
        click.echo(
            "\nmono, NOT SCORABLE for turn-taking: silence only and not in the share: "
            f"{mono['critical_free_count']} of {output.plural(mono['call_count'], 'call')} without a critical incident"
        )
        if (alone := one_sided(mono)) is not None:
            click.echo(output.one_line(f"  {alone}"))
        _tell_kinds(summary, "mono")
    if summary["refused"]:
        click.echo("\nrefused")
        for row in summary["refused"]:
            click.echo(output.one_line(f"  {row['file']}: {row['what']} ({row['reason']}); {row['next_step']}"))
    if summary["duplicates"]:
        click.echo("\nduplicates, of a call that is counted once")
        for row in summary["duplicates"]:
            click.echo(output.one_line(f"  {row['file']}: {row['what']}"))
    click.echo("\ntiming, not intent: an incident is a fact with a length, and no verdict")


def _tell_kinds(summary: dict[str, Any], lane: str) -> None:
    rows = [row for row in summary["kinds"] if row["lane"] == lane]
    if not rows:
        return
    click.echo()
    columns = ("incident_count", "critical_count", "call_count")
    output.table(
        ("incident", "incidents", "critical", "calls", "longest s", "in"),
        [
            (
                row["incident"].replace("_", "-"),
                *(row[name] for name in columns),
                f"{row['worst_magnitude_s']:.2f}",
                f"{row['worst_file']} #{row['worst_address'].partition('#')[2]}",
            )
            for row in rows
        ],
    )


def _tell_earlier(earlier: list[dict[str, Any]], came_back: list[dict[str, Any]]) -> None:
    if not earlier:
        return
    click.echo("\nearlier scans in the store")
    for scan in earlier:
        share = scan["share"]
        click.echo(
            f"  {scan['recorded_at'][:19]}  {scan['id']}: {share['critical_free_count']} of {share['call_count']} "
            f"without a critical incident (policy {scan['policy_hash']})"
        )
    for row in came_back:
        over = f", above that of {row['elevated_over'][:19]}" if row["elevated_over"] else ""
        click.echo(
            f"  {row['incident'].replace('_', '-')}: {row['state']}; {row['call_count']} of "
            f"{output.plural(row['analysed_count'], 'call')} of this scan, "
            f"{row['window_call_count']} with the stored ones ({', '.join(at[:10] for at in row['seen_at'])}){over}"
        )
