"""`workbench label`: what a person says the agent should have done."""

from __future__ import annotations

import getpass
from typing import Any

import click

from workbench.cli import options, output, times
from workbench.errors import UsageError

SWAPS = "select channel_roles, channel_map_source, verdict_eligible from suspected_swaps where call_id = $call"

_SAID_BY = {
    "option": "--channels at the import",
    "sidecar": "the sidecar of the sound",
    "format": "the format of the call",
    "declared": "the document of the call",
}
"""Who has said whose channel is which, where that settles a suspected swap."""


@options.command("label")
@click.argument("call_id", required=False)
@options.archive
@click.option("--at", "at_s", type=times.MOMENT, metavar="SECONDS", help="When the caller begins, on the call's clock.")
@click.option("--expect", type=click.Choice(["yield", "hold"]), help="Stop for the caller, or go on speaking.")
@click.option("--max-time-to-yield-s", type=times.BOUND, metavar="SECONDS", help="Bound of this moment.")
@click.option("--max-talk-over-s", type=times.BOUND, metavar="SECONDS", help="Bound of this moment.")
@click.option("--note", help="Anything worth keeping.")
@click.option("--channels", metavar="ROLE,ROLE", help="Confirm whose channel is which, e.g. caller,agent.")
@click.option("--undo", "label_id", metavar="LABEL", help="Take a label back.")
@click.option(
    "--file", "path", type=click.Path(dir_okay=False, allow_dash=True), help="A CSV file of labels; - is stdin."
)
@click.option("--author", envvar="WORKBENCH_AUTHOR", show_envvar=True, help="Who judges; your login by default.")
@options.as_json
@options.quiet
def command(
    call_id: str | None,
    archive_path: str,
    *,
    path: str | None,
    at_s: float | None,
    expect: str | None,
    max_time_to_yield_s: float | None,
    max_talk_over_s: float | None,
    note: str | None,
    channels: str | None,
    label_id: str | None,
    author: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Label a moment, confirm a channel map, or take a label back. Labels are added and never changed.

    A label is kept also where no verdict can rest on it: what is not judged is told with its status, its reason and
    the next step, and the exit code is 0, since a label was asked for. `workbench score` asks for verdicts: it exits
    with 2 where there is none.

    The columns of a FILE of labels are call_id, onset_s (seconds on the call's clock), expect, and perhaps
    max_time_to_yield_s, max_talk_over_s, note, author. All of its labels are added, or none where a line cannot be.

    \b
    Examples:
      workbench label CALL --at 3.0 --expect yield --max-talk-over-s 1
      workbench label CALL --channels caller,agent
      workbench label CALL --undo LABEL
      workbench label --file labels.csv
    """
    from workbench.archive import labelling
    from workbench.archive.archive import Archive
    from workbench.archive.health_steps import steps_of
    from workbench.cli.score import as_viewed, tell, tell_why, with_steps

    asked = [at_s is not None or expect is not None, channels is not None, label_id is not None, path is not None]
    more = any(value is not None for value in (max_time_to_yield_s, max_talk_over_s, note))
    if sum(asked) != 1 or (at_s is None) != (expect is None) or (call_id is None) != (path is not None):
        raise UsageError(
            "say one thing about a call, or name a file of labels",
            hint="CALL --at SECONDS with --expect yield or hold; CALL --channels caller,agent; CALL --undo LABEL; "
            "or --file FILE without a call",
        )
    if more and at_s is None:
        raise UsageError("a bound or a note belongs to a moment", hint="give --at SECONDS with it")
    who = author if author is not None else getpass.getuser()
    if call_id is None:
        _file(path or "", archive_path, author=who, as_json=as_json, quiet=quiet)
        return
    roles = tuple(part.strip().lower() for part in channels.split(",")) if channels is not None else ()
    swaps: list[dict[str, Any]] = []
    with Archive(archive_path) as archive:
        layout = archive.layout
        if roles:
            suspected = archive.sql(SWAPS, {"call": call_id}).to_dicts()
            swaps = [row for row in suspected if tuple(row["channel_roles"]) == roles]
        if label_id is not None:
            added = labelling.retract(layout, call_id, label_id, author=who)
        elif channels is not None:
            added = labelling.channel_map(layout, call_id, roles, author=who)
        else:
            added = labelling.expectation(
                layout,
                call_id,
                onset_s=at_s or 0.0,
                expect=expect or "",
                author=who,
                max_time_to_yield_s=max_time_to_yield_s,
                max_talk_over_s=max_talk_over_s,
                note=note,
            )
        scoring = archive.score_calls([call_id])
        events = as_viewed(scoring.events, scoring.labels)
        new = [event for event in events if event["label_id"] == added]
        steps = steps_of(archive.layout, events)
        near = [moment for moment in scoring.shared if added in moment.label_ids]
    if as_json:
        confirmed = {"channel_map": list(roles), "swaps_settled": len(_withheld(swaps))} if roles else {}
        output.json_line({"label_id": added, "author": who, **confirmed, "events": with_steps(events, steps)})
    elif not quiet:
        click.echo(output.safe(f"label {added} by {who}"))
        if roles:
            click.echo(_settled(roles, swaps))
        if events:
            tell(new or events)
            tell_why(new or events, steps)
        elif label_id is not None:
            click.echo("no labelled moment of this call is left")
        for moment in near:
            others = ", ".join(label_id for label_id in moment.label_ids if label_id != added)
            said = (
                "and says otherwise, so nothing is judged here"
                if moment.disagree
                else "and says the same; the moment is counted once"
            )
            click.echo(output.safe(f"note: label {others} stands at this moment too {said} (--undo takes one back)"))


def _withheld(swaps: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The recordings on which no verdict rested, since nobody had said whose channel is which."""
    return [row for row in swaps if not row["verdict_eligible"]]


def _settled(roles: tuple[str, ...], swaps: list[dict[str, Any]]) -> str:
    """What a confirmed channel map settles, as a sentence."""
    said = f"channel map {','.join(roles)} confirmed"
    if not swaps:
        return f"{said}; no suspected swap of this call was open"
    if settled := _withheld(swaps):
        of = output.plural(len(settled), "recording")
        return f"{said}; the suspected swap of {of} is settled: verdicts may rest on it"
    sources = " and ".join(sorted({_SAID_BY[row["channel_map_source"]] for row in swaps}))
    return f"{said}; {sources} had settled the suspected swap: verdicts rested on it before"


def _file(path: str, archive_path: str, *, author: str, as_json: bool, quiet: bool) -> None:
    """Add the labels of a file, score their calls, and say how many there are."""
    from workbench.archive.archive import Archive
    from workbench.archive.health_steps import steps_of
    from workbench.archive.label_files import read_labels
    from workbench.cli.score import not_judged, tell_why

    rows = read_labels(path)
    with Archive(archive_path) as archive:
        labelled = archive.label_many(rows, author=author)
        scoring = archive.score_calls({call_id for call_id, _ in labelled.labels})
        steps = steps_of(archive.layout, scoring.events)
        command = archive.layout.command("workbench score")
    if as_json:
        named = [{"call_id": call_id, "label_id": label_id} for call_id, label_id in labelled.labels]
        told = {"labels": named, "added_count": labelled.added_count, "author": author}
        output.json_line({**told, "moment_counts": scoring.counts, "not_judged": not_judged(scoring.moments, steps)})
    elif not quiet:
        stood = len(labelled.labels) - labelled.added_count
        click.echo(
            f"{output.plural(labelled.added_count, 'label')} added{f', {stood:,} stood already' if stood else ''}"
        )
        counts = ", ".join(f"{count:,} {status}" for status, count in scoring.counts.items())
        click.echo(f"moments of these calls: {counts}; {command} lists them")
        tell_why(scoring.moments, steps)
