"""`workbench clocks`: the latency a framework reported beside the one that is heard."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from workbench.cli import options, output
from workbench.decimals import decimals
from workbench.errors import NotScorable, UsageError

if TYPE_CHECKING:
    from workbench.analysis.clocks import TwoClocks


@options.command("clocks")
@click.argument("call_id", metavar="CALL", required=False)
@click.option("--all", "every", is_flag=True, help="Every call that reports a response latency.")
@options.archive
@options.as_json
@options.quiet
def command(call_id: str | None, archive_path: str, *, every: bool, as_json: bool, quiet: bool) -> None:
    """Compare reported response latencies with what is heard: offset, drift, and reports that cannot be.

    A report is impossible when it is negative, over a minute, or fits the answer before or after its own much
    better. Clocks that cannot be related are refused with the reason and what to import, exit code 2; with --all
    where no call can be. The rows are those of the view `reported_latency`.

    \b
    Examples:
      workbench clocks CALL
      workbench clocks --all --json
    """
    import msgspec

    from workbench.analysis.clocks import every_call, two_clocks
    from workbench.analysis.clocks_there import against_all, heard_only
    from workbench.archive.archive import Archive

    if (call_id is None) != every:
        raise UsageError("say which call", hint="workbench clocks CALL, or workbench clocks --all")
    with Archive(archive_path) as archive:
        found = every_call(archive) if call_id is None else [two_clocks(archive, call_id)]
        lacking = heard_only(archive) if every else []
        scored = any(clocks.status == "SCORED" for clocks in found)
        what, hint = against_all(archive, found) if every else (found[0].reason or "", found[0].next_step or "")
    if as_json:
        output.json_line(msgspec.to_builtins(found + lacking))
    elif not quiet:
        _tell(found, turns=not every)
        if lacking:
            click.echo(f"{output.plural(len(lacking), 'more call')} timed by audio, without a reported latency")
    if not scored:
        raise NotScorable(what, where=call_id or archive_path, hint=hint or None)


def _tell(found: list[TwoClocks], *, turns: bool) -> None:
    """Print a line a call, then each report of a single call, or the impossible ones of all."""
    output.table(
        ["call", "status", "reports", "fitted", "offset ms", "drift ms/min", "95 % limits", "residual ms", "reason"],
        [
            (
                one.call_id,
                one.status,
                one.report_count,
                one.fitted_count,
                one.offset_ms,
                one.drift_ms_per_min,
                _limits(one),
                one.residual_mad_ms,
                one.reason,
            )
            for one in found
        ],
    )
    rows = [(one.call_id, turn) for one in found for turn in (one.turns if turns else one.faults)]
    if rows:
        click.echo()
        output.table(
            ["call", "turn", "measured at", "reported ms", "heard ms", "residual ms", "impossible, or not compared"],
            [
                (
                    name,
                    turn["turn_ix"],
                    turn["measured_at"],
                    turn["reported_ms"],
                    turn["gap_ms"],
                    turn["residual_ms"],
                    turn["fault"] or turn["reason"],
                )
                for name, turn in rows
            ],
        )
    reports = output.plural(sum(one.report_count for one in found), "report")
    faults = sum(len(one.faults) for one in found)
    click.echo(f"{reports} of {output.plural(len(found), 'call')}, {faults} impossible")


def _limits(one: TwoClocks) -> str | None:
    """The limits of the drift; a line through few turns has none."""
    if one.drift_low_ms_per_min is None or one.drift_high_ms_per_min is None:
        return None if one.drift_ms_per_min is None else "too few turns"
    return f"{decimals(one.drift_low_ms_per_min)} to {decimals(one.drift_high_ms_per_min)}"
