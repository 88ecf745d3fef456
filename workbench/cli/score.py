"""`workbench score`: labelled moments against the sound that was measured."""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import options, output, times
from workbench.decimals import decimals
from workbench.errors import Exit, UsageError

if TYPE_CHECKING:
    from workbench.archive.health_steps import Steps
    from workbench.archive.layout import Layout
    from workbench.archive.scoring import Scoring
    from workbench.timing.same_moment import Shared
    from workbench.timing.score_config import ScoreConfig

MOST_ROWS = 40
UNJUDGED = {"NOT_SCORABLE", "INCONCLUSIVE"}
ORDER = {"FAIL": 0, "NOT_SCORABLE": 1, "INCONCLUSIVE": 2, "PASS": 3}


@options.command("score")
@options.archive
@click.option("--max-time-to-yield-s", type=times.BOUND, help="Bound for labels that bring none.")
@click.option("--max-talk-over-s", type=times.BOUND, help="Bound for labels that bring none.")
@click.option("--yield-hangover-s", type=float, help="Quiet this long is a yield (0.2 s).")
@click.option("--max-search-s", type=float, help="How long after the onset a yield is looked for (3 s).")
@click.option("--snr-gate-db", type=float, help="Less speech above the noise than this is not scorable (22 dB is apt).")
@click.option("--echo-gate", is_flag=True, help="A yield under suspicion of echo is not scorable.")
@options.settings
@click.option("--strict", is_flag=True, help="Exit 1 when a moment failed.")
@options.as_json
@options.quiet
def command(
    archive_path: str,
    *,
    echo_gate: bool,
    settings: tuple[str, ...],
    strict: bool,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Score every labelled moment: did the agent yield, how soon, how long did both speak.

    Fills `scored_events`. It reads the runs of speech that `workbench measure` found, so another bound or
    length costs no audio. A moment that cannot be scored keeps its row, with a status and a reason.
    --set reaches every number: turn_end_silence_s, premature_tolerance_s, caller_proximity_s, ...
    Labels of one moment (0.25 s) count once; where some say yield and some hold nothing is judged there.

    Prints counts, then at most forty moments: those that failed first, then those next to a bound. The view
    `timing_events` has a row for each, as --json has for each label.
    """
    import msgspec

    from workbench.analysis.timing_settings import with_settings
    from workbench.archive.archive import Archive
    from workbench.archive.health_steps import steps_of
    from workbench.timing.score_config import ScoreConfig

    config = with_settings(ScoreConfig(), settings, given=given | {"echo_gate": echo_gate or None})
    with Archive(archive_path) as archive:
        scoring = archive.score(config=config)
        if scoring.run_id is None:
            raise UsageError(
                "no moment is labelled",
                where=archive_path,
                hint=archive.layout.command("workbench label CALL --at SECONDS --expect yield"),
            )
        steps = steps_of(archive.layout, scoring.events)
    if as_json:
        events = with_steps(as_viewed(scoring.events, scoring.labels), steps)
        output.json_line(
            {
                "run_id": scoring.run_id,
                "config_id": scoring.config_id,
                "config": msgspec.structs.asdict(config),
                "measured_with": {name: msgspec.structs.asdict(one) for name, one in scoring.measured_with.items()},
                "events": events,
                "moment_counts": scoring.counts,
                "shared_moments": [msgspec.to_builtins(one) for one in scoring.shared],
            }
        )
    elif not quiet:
        _tell_all(scoring, archive.layout, config=config, steps=steps)
    if strict and scoring.counts.get("FAIL"):
        sys.exit(Exit.GATE_FAILED)
    if scoring.counts.keys() <= UNJUDGED:
        sys.exit(Exit.REFUSED)


def _tell_all(scoring: Scoring, layout: Layout, *, config: ScoreConfig, steps: Steps) -> None:
    """Print counts, the moments that are most worth a look, and what several labels speak of."""
    from workbench.analysis.timing_settings import changed
    from workbench.timing.same_moment import note

    moments, several = as_viewed(scoring.moments, scoring.labels), scoring.shared
    labels = f" with {output.plural(len(scoring.events), 'label')}" if len(scoring.events) > len(moments) else ""
    counts = ", ".join(f"{count:,} {status}" for status, count in scoring.counts.items())
    near = sum(bool(event["boundary_sensitive"]) for event in moments)
    beside = f"; {near:,} next to a bound" if near else ""
    said = f"{output.plural(len(moments), 'labelled moment')}{labels}: {counts}{beside}"
    rulers = (f"{name}: {changed(ruler)}" for name, ruler in scoring.measured_with.items())
    click.echo(f"{said} (config {scoring.config_id}: {changed(config)}; measured with config {', '.join(rulers)})")
    tell(sorted(moments, key=_urgency)[:MOST_ROWS])
    if len(moments) > MOST_ROWS:
        query = f"from timing_events where config_id = '{scoring.config_id}'"
        click.echo(f"{len(moments) - MOST_ROWS:,} more: " + layout.command(f'workbench sql "{query}"'))
    tell_why(moments, steps)
    if several:
        click.echo(f"note: {note(several)}")
    for one in several[:MOST_ROWS]:
        at = "without a time" if one.onset_s is None else f"at {decimals(one.onset_s)} s"
        click.echo(output.safe(f"  {one.call_id} {at}: {_labels(one)}"))
    if len(several) > MOST_ROWS:
        query = "from label_moments where label_count > 1"
        click.echo(f"  {len(several) - MOST_ROWS:,} more: " + layout.command(f'workbench sql "{query}"'))


def as_viewed(events: list[dict[str, Any]], labels: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return events as the view `timing_events` has them.

    One without a measured onset has the time that its label names, and a verdict that no bound decides no margin.
    """
    from workbench.timing.events import bound_decides

    named = {(label["call_id"], label["label_id"]): label["onset_s"] for label in labels}
    found = []
    for event in events:
        onset_s = event["onset_s"]
        onset_s = named.get((event["call_id"], event["label_id"])) if onset_s is None else onset_s
        without = {} if bound_decides(event) else {"decision_margin_s": None, "boundary_sensitive": None}
        found.append(event | {"onset_s": onset_s} | without)
    return found


def with_steps(events: list[dict[str, Any]], steps: Steps) -> list[dict[str, Any]]:
    """Return events, each with what would mend it as `next_step`; None where nothing is to be mended."""
    from workbench.timing.next_steps import next_step

    return [event | {"next_step": next_step(event["reason"], _own(event, steps))} for event in events]


def not_judged(moments: list[dict[str, Any]], steps: Steps) -> list[dict[str, Any]]:
    """Return each reason for no verdict, the most frequent first: of how many moments, what it means, what mends it.

    One that is mended in several ways, as in two files and in one, is told once for each.
    """
    from workbench.timing.next_steps import meaning, next_step

    reasons = Counter(
        (event["status"], event["reason"], _own(event, steps) or "") for event in moments if event["status"] in UNJUDGED
    )
    return [
        {
            "status": status,
            "reason": reason,
            "moment_count": count,
            "meaning": meaning(reason, own),
            "next_step": next_step(reason, own),
        }
        for (status, reason, own), count in sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    ]


def _own(event: dict[str, Any], steps: Steps) -> str | None:
    """What the input health of an event's call says would mend its reason."""
    return steps.get((event["call_id"], event["reason"]))


def tell_why(moments: list[dict[str, Any]], steps: Steps) -> None:
    """Print what each reason for no verdict means and what mends it, a line each, the most frequent first."""
    for one in not_judged(moments, steps):
        click.echo(f"not judged, {one['reason']} ({one['moment_count']:,}): {one['meaning']}")


def _urgency(event: dict[str, Any]) -> tuple[object, ...]:
    """Those that failed first, then those next to a bound."""
    return ORDER[event["status"]] > 0, not event["boundary_sensitive"], event["call_id"], event["label_id"]


def _labels(moment: Shared) -> str:
    both = zip(moment.label_ids, moment.expects, strict=True)
    return ", ".join(f"{label_id} ({expect or 'no expectation'})" for label_id, expect in both)


def tell(events: list[dict[str, Any]]) -> None:
    """Print events, a line each, those that failed first."""
    names = ("status", "call", "at s", "expect", "yield s", "talk-over s", "gap s", "margin s", "reason")
    rows = [
        (
            event["status"],
            event["call_id"],
            event["onset_s"],
            event["expect"],
            until_yield(event),
            event["talk_over_s"],
            event["response_gap_s"],
            event["decision_margin_s"],
            event["reason"],
        )
        for event in sorted(events, key=lambda e: (ORDER[e["status"]], e["call_id"], e["label_id"]))
    ]
    output.table(names, rows)


def until_yield(event: dict[str, Any]) -> str | None:
    """Time to yield; without one the time for which there was none, to where the agent stopped or was last heard."""
    if event["yield_observed_s"] is None:
        return None
    if event["did_yield"]:
        return decimals(event["time_to_yield_s"])
    spoke_on = event["agent_quiet_s"] is None
    return f"{'>' if spoke_on else 'stopped'} {decimals(event['yield_observed_s'])}"
