"""`workbench robustness`: how much worse a recording may get before a verdict changes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import options, output, times
from workbench.decimals import percent
from workbench.errors import Exit, UsageError

if TYPE_CHECKING:
    import polars as pl

    from workbench.analysis.robustness import Curve, Step


@options.command("robustness")
@click.argument("file", required=False, type=click.Path())
@click.option("--onset", "onset_s", type=times.MOMENT, metavar="SECONDS", help="When the caller begins, in FILE.")
@click.option("--expect", type=click.Choice(["yield", "hold"]), help="What the agent should have done there.")
@click.option("--channels", metavar="ROLE,ROLE", help="Of FILE: whose channel is which, where no sidecar says so.")
@click.option("--max-time-to-yield-s", type=times.BOUND, metavar="SECONDS", help="Bound for moments that bring none.")
@click.option("--max-talk-over-s", type=times.BOUND, metavar="SECONDS", help="Bound for moments that bring none.")
@click.option("--snr-gate-db", type=float, help="Less speech above the noise than this is not scorable.")
@click.option("--echo-gate", is_flag=True, help="A yield under suspicion of echo is not scorable.")
@click.option("--only", multiple=True, metavar="NAME", help="noise, gain, leak_to_caller, ... (else: all); repeatable.")
@click.option("--call", "calls", multiple=True, metavar="CALL", help="Without FILE: only this call; repeatable.")
@click.option("--by", metavar="SLICE", help="Without FILE: count apart by caller_noisy, caller_narrow_band, ...")
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True, help="Of noise and lost packets.")
@options.archive
@options.as_json
def command(
    file: str | None,
    *,
    onset_s: float | None,
    expect: str | None,
    channels: str | None,
    max_time_to_yield_s: float | None,
    max_talk_over_s: float | None,
    snr_gate_db: float | None,
    echo_gate: bool,
    only: tuple[str, ...],
    calls: tuple[str, ...],
    by: str | None,
    seed: int,
    archive_path: str,
    as_json: bool,
) -> None:
    """Make a recording worse step by step and tell at which level the verdict changes.

    With FILE: of one moment of a sound file. Without: of the labelled moments of an archive, and over all of them
    how many verdicts hold, are withheld, or are another one at each level; with --by apart for how the calls sounded
    (`workbench acoustics`). Noise, gain, clipping, telephone lines, lost packets, and leakage between the channels,
    each way by itself; the sound made is not kept. Calls in two files are left out, and counted. Exit code 2: nothing
    could be tried.

    \b
    Examples:
      workbench robustness call.wav --channels caller,agent --onset 2.0 --expect yield
      workbench robustness --only noise --snr-gate-db 22
      workbench robustness --only noise --by caller_narrow_band
    """
    from workbench.analysis.incidents_channels import roles_asked, roles_said
    from workbench.analysis.robustness import robustness
    from workbench.analysis.robustness_archive import of_archive
    from workbench.analysis.robustness_shares import groups_of, shares
    from workbench.archive.archive import Archive
    from workbench.timing.score_config import ScoreConfig

    scoring = ScoreConfig(
        max_time_to_yield_s=max_time_to_yield_s,
        max_talk_over_s=max_talk_over_s,
        snr_gate_db=snr_gate_db,
        echo_gate=echo_gate,
    )
    left_out: list[dict[str, str | None]] = []
    groups: dict[str, str] | None = None
    if file is not None:
        if onset_s is None or expect is None:
            raise UsageError("a moment of a file needs --onset and --expect", hint="--onset 2.0 --expect yield")
        if by is not None:
            raise UsageError("one moment has nothing to count apart", where="--by", hint="leave FILE out")
        label = {"call_id": file, "label_id": "option", "onset_s": onset_s, "expect": expect, "value": None}
        roles, _ = roles_said(file, channels=roles_asked(channels))
        curves = robustness(file, [label], roles=roles, only=only, seed=seed, scoring=scoring)
    else:
        with Archive(archive_path) as archive:
            groups = None if by is None else groups_of(archive, by)
            curves, left_out = of_archive(archive, calls=calls, only=only, seed=seed, scoring=scoring)
    found = shares(curves, groups=groups)
    if as_json:
        output.json_line({"curves": curves, "shares": found.to_dicts(), "left_out": left_out})
    else:
        _tell_all(curves, found, left_out, of_archive=file is None)
    if not curves:
        sys.exit(Exit.REFUSED)


def _tell_all(
    curves: list[Curve], found: pl.DataFrame, left_out: list[dict[str, str | None]], *, of_archive: bool
) -> None:
    from workbench.analysis.robustness_archive import TWO_FILES

    if curves:
        tell(curves)
    if of_archive:
        rows = found.to_dicts()
        for group in dict.fromkeys(row.get("group") for row in rows):
            tell_shares([row for row in rows if row.get("group") == group], group=group)
    for gone in left_out:
        step = f": {gone['next_step']}" if gone["next_step"] else ""
        click.echo(output.safe(f"left out: {gone['call_id']}: {gone['reason']}{step}"), err=True)
    in_two = sum(gone["reason"] == TWO_FILES for gone in left_out)
    if in_two:
        click.echo(f"{output.plural(in_two, 'call')} in two files {'is' if in_two == 1 else 'are'} left out", err=True)


def tell(curves: list[Curve]) -> None:
    """Print a table a moment, a line a perturbation."""
    for call_id, label_id in dict.fromkeys((curve.call_id, curve.label_id) for curve in curves):
        some = [curve for curve in curves if (curve.call_id, curve.label_id) == (call_id, label_id)]
        first = some[0]
        click.echo(
            output.safe(
                f"{call_id} at {first.onset_s:g} s, expected to {first.expect}: {first.original.status} "
                f"({_heard(first.original)})"
            )
        )
        rows = [
            (
                curve.perturbation,
                curve.unit,
                _level(curve.withheld_at),
                _level(curve.wrong_at),
                _level(curve.yield_changes_at),
                f"{curve.steps[0].level:g} to {curve.hardest:g}",
                _first_change(curve),
            )
            for curve in some
        ]
        output.table(
            ("made worse by", "unit", "withheld", "other verdict", "other yield", "tried", "first change"), rows
        )
        click.echo(f"sound {first.parent_pcm_sha256[:12]}, seed {first.seed}\n")
    click.echo("-: does not change up to the last level tried; withheld: no verdict is given there any more")


def tell_shares(rows: list[dict[str, Any]], *, group: str | None = None) -> None:
    """Print what becomes of the verdicts of all moments, or of a group; levels with the same counts share a line."""
    if not rows:
        return
    counts = ("holds_count", "withheld_count", "other_count")
    lines: list[list[dict[str, Any]]] = []
    for row in rows:
        same = ("perturbation", *counts)
        if lines and all(lines[-1][0][name] == row[name] for name in same):
            lines[-1].append(row)
        else:
            lines.append([row])
    moments, calls = rows[0]["moment_count"], rows[0]["call_count"]
    click.echo(
        f"\n{'' if group is None else group + ': '}over {output.plural(moments, 'moment')} of "
        f"{output.plural(calls, 'call')} with a verdict as they are"
    )
    output.table(
        ("made worse by", "unit", "levels", "holds", "withheld", "other verdict", "holds, 95 %"),
        [
            (
                line[0]["perturbation"],
                line[0]["unit"],
                " to ".join(dict.fromkeys(_level(row["level"]) for row in (line[0], line[-1]))),
                *(line[0][name] for name in counts),
                _interval(line[0]),
            )
            for line in lines
        ],
    )
    click.echo(f"unit of the intervals: {'; '.join(dict.fromkeys(row['interval_unit'] for row in rows))}")


def _interval(row: dict[str, Any]) -> str:
    share = f"{percent(row['holds_share'])}%"
    if row["holds_low"] is None:
        return share
    return f"{share} ({percent(row['holds_low'])}% to {percent(row['holds_high'])}%)"


def _heard(step: Step) -> str:
    return f"yields after {step.time_to_yield_s:g} s" if step.did_yield else "does not yield"


def _level(level: float | None) -> str:
    return "-" if level is None else f"{level:g}"


def _first_change(curve: Curve) -> str:
    changed: Any = next((step for step in curve.steps if step.status != curve.original.status), None)
    if changed is None:
        return ""
    return changed.status if changed.reason is None else f"{changed.status}: {changed.reason}"
