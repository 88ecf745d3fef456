"""`workbench baseline`: pooled means of timing, kept and held against later calls."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import msgspec

from workbench.cli import options, output
from workbench.decimals import decimals
from workbench.errors import Exit, UsageError

if TYPE_CHECKING:
    from workbench.archive.baselines import Checked
    from workbench.timing.contracts.drift import Figure


EXAMPLE = '{"time_to_yield_s": "+10%", "talk_over_s": "+0.05"}'


@options.command("baseline")
@click.argument("action", type=click.Choice(["set", "check"]))
@click.argument("name")
@options.archive
@click.option(
    "--tolerances",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Required with check, and only there: JSON or YAML.",
)
@click.option("--agent-version", metavar="VERSION", help="Calls of this version only.")
@click.option("--config", metavar="ID", help="With set: the scoring config; a check is made with it too.")
@click.option("--replace", is_flag=True, help="With set: replace a baseline of that name.")
@options.as_json
@options.quiet
def command(
    action: str,
    name: str,
    archive_path: str,
    *,
    tolerances: str | None,
    agent_version: str | None,
    config: str | None,
    replace: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Keep the pooled means of the scored moments under NAME, or check later ones against them.

    Times to yield and response gaps keep the moments where nothing came (censored): means up to a time, which a check
    takes alike on both sides.

    Less is better: only a rise beyond its tolerance is drift, and exits 1. Copies of the baseline's recordings, also
    resampled, encoded anew or at another level, show no drift of an agent: withheld, exit 2, as where none of its
    recordings is left, or where they are measured again and some of its moments are gone or no longer judged. FILE
    holds tolerances by dimension: {"time_to_yield_s": "+10%", "talk_over_s": "+0.05"}; also response_gap_s and
    premature_start_s.

    \b
    Examples:
      workbench baseline set spring --agent-version 1.4
      workbench baseline check spring --tolerances drift.json --agent-version 1.5
    """
    from workbench.archive.archive import Archive
    from workbench.archive.baselines import as_values, check_baseline, set_baseline
    from workbench.timing.contracts.drift import tolerances_of
    from workbench.timing.contracts.settings_file import settings

    if action == "check" and tolerances is None:
        hint = f"workbench baseline check {name} --tolerances FILE, which holds {EXAMPLE}"
        raise UsageError("baseline check needs --tolerances: how much more is drift", where=name, hint=hint)
    if action == "check" and replace:
        raise UsageError("--replace goes with baseline set", where=name, hint="a check replaces nothing")
    if action == "set" and tolerances is not None:
        raise UsageError("--tolerances goes with baseline check", where=name, hint="a baseline is set without them")
    with Archive(archive_path) as archive:
        if tolerances is None:
            kept = set_baseline(archive.layout, name, config_id=config, agent_version=agent_version, replace=replace)
            if as_json:
                output.json_line({"baseline": name, "figures": as_values(kept)})
            elif not quiet:
                output.table(
                    ("dimension", "mean s", "up to s", "moments", "censored"), [_row(*item) for item in kept.items()]
                )
            return
        asked = tolerances_of(settings(tolerances), where=tolerances)
        found = check_baseline(archive.layout, name, tolerances=asked, config_id=config, agent_version=agent_version)
    withheld = found.withheld
    drifted = [] if withheld else [drift for drift in found.drifts if drift.drifted]
    if as_json:
        sides = {"baseline": as_values(found.baseline), "now": as_values(found.now)}
        told = [msgspec.to_builtins(drift) | ({"drifted": None} if withheld else {}) for drift in found.drifts]
        verdict = {"drifted": None if withheld else len(drifted), "withheld": withheld}
        from_ = {"set_from": found.set_from, "config_id": found.config_id, "evidence": found.claim}
        from_ |= {"measure_config_id": found.measure_config_id}
        recordings = {"recordings": len(found.states), "recordings_are": found.counts}
        recordings["baseline_recordings"] = {"kept": found.kept, "in_archive": found.left}
        recordings["baseline_moments"] = {
            "kept": found.kept_moments,
            "lost": found.lost.moments if found.again else None,
        }
        recordings["lost"] = list(found.lost.named) if found.again else None
        recordings["moments_without_verdict"] = found.unjudged
        output.json_line({"drifts": told, **verdict, **sides, **recordings, **from_})
    elif not quiet:
        _tell(found)
        click.echo(found.claim)
    if withheld:
        sys.exit(Exit.REFUSED)
    if drifted:
        sys.exit(Exit.GATE_FAILED)


def _row(dimension: str, figure: Figure) -> tuple[str, float | None, float | None, int, int]:
    return dimension, figure.value, figure.tau_s, figure.events, figure.censored


def _tell(found: Checked) -> None:
    rows = []
    for drift in found.drifts:
        before, after = found.baseline[drift.dimension], found.now[drift.dimension]
        rows.append(
            (
                "withheld" if found.withheld else "DRIFT" if drift.drifted else "within",
                drift.dimension,
                f"{decimals(drift.baseline)} ({before.events}, {before.censored} censored)",
                f"{decimals(drift.now)} ({after.events}, {after.censored} censored)",
                drift.tolerance,
                drift.allowed,
                drift.tau_s,
            )
        )
    heads = ("", "dimension", "baseline s (moments)", "now s (moments)", "tolerance", "at most", "up to s")
    output.table(heads, rows)
    counts = found.counts
    click.echo(
        f"{counts['same_pcm']} of {output.plural(len(found.states), 'recording')} are those of the baseline "
        f"({found.set_from}), {counts['same_envelope']} are copies of them, {counts['different']} are other sound, "
        f"{counts['unknown']} not known"
    )
    if found.left < found.kept:
        click.echo(f"{found.left:,} of the baseline's {output.plural(found.kept, 'recording')} in the archive yet")
    if found.unjudged:
        click.echo(f"{output.plural(found.unjudged, 'moment')} of now without a verdict, in no figure")
    if found.withheld:
        click.echo(output.safe(f"withheld, exit 2: {found.withheld}"))
