"""`workbench score`: labelled moments against the sound that was measured."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import options, output
from workbench.decimals import decimals
from workbench.errors import Exit, UsageError

if TYPE_CHECKING:
    from workbench.timing.same_moment import Shared


@options.command("score")
@options.archive
@click.option("--max-time-to-yield-s", type=float, help="Bound for labels that bring none.")
@click.option("--max-talk-over-s", type=float, help="Bound for labels that bring none.")
@click.option("--yield-hangover-s", type=float, help="Quiet this long is a yield (0.2 s).")
@click.option("--max-search-s", type=float, help="How long after the onset a yield is looked for (3 s).")
@click.option("--snr-gate-db", type=float, help="Less speech above the noise than this is not scorable (22 dB is apt).")
@click.option("--echo-gate", is_flag=True, help="A yield under suspicion of echo is not scorable.")
@click.option("--strict", is_flag=True, help="Exit 1 when a moment failed.")
@options.as_json
@options.quiet
def command(archive_path: str, *, echo_gate: bool, strict: bool, as_json: bool, quiet: bool, **given: Any) -> None:
    """Score every labelled moment: did the agent yield, how soon, how long did both speak.

    Fills `scored_events`. It reads the runs of speech that `workbench measure` found, so another bound or
    length costs no audio. A moment that cannot be scored keeps its row, with a status and a reason.
    Labels of one moment (0.25 s) are each scored, and told of; where they say yield and hold nothing is judged.
    """
    import msgspec

    from workbench.archive.archive import Archive
    from workbench.timing.same_moment import note, shared
    from workbench.timing.score_config import ScoreConfig

    config = ScoreConfig(echo_gate=echo_gate, **{name: value for name, value in given.items() if value is not None})
    with Archive(archive_path) as archive:
        scoring = archive.score(config=config)
        if scoring.run_id is None:
            raise UsageError(
                "no moment is labelled",
                where=archive_path,
                hint=archive.layout.command("workbench label CALL --at SECONDS --expect yield"),
            )
    several = shared(scoring.events)
    if as_json:
        told = {"run_id": scoring.run_id, "config_id": scoring.config_id, "events": scoring.events}
        output.json_line({**told, "shared_moments": [msgspec.to_builtins(one) for one in several]})
    elif not quiet:
        tell(scoring.events)
        counts = ", ".join(f"{count} {status}" for status, count in scoring.counts.items())
        click.echo(f"{output.plural(len(scoring.events), 'labelled moment')}: {counts} (config {scoring.config_id})")
        if (said := note(several)) is not None:
            click.echo(f"note: {said}")
            for one in several:
                click.echo(output.safe(f"  {one.call_id} at {one.onset_s:g} s: {_labels(one)}"))
    if strict and scoring.counts.get("FAIL"):
        sys.exit(Exit.GATE_FAILED)
    if scoring.counts.keys() <= {"NOT_SCORABLE", "INCONCLUSIVE"}:
        sys.exit(Exit.REFUSED)


def _labels(moment: Shared) -> str:
    both = zip(moment.label_ids, moment.expects, strict=True)
    return ", ".join(f"{label_id} ({expect or 'no expectation'})" for label_id, expect in both)


def tell(events: list[dict[str, Any]]) -> None:
    """Print events, a line each, those that failed first."""
    order = {"FAIL": 0, "NOT_SCORABLE": 1, "INCONCLUSIVE": 2, "PASS": 3}
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
        for event in sorted(events, key=lambda e: (order[e["status"]], e["call_id"], e["label_id"]))
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
