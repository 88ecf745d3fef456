"""`workbench compare`: a moment, or a battery of them, before and after a change."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
import msgspec

from workbench.cli import interruptible, options, output
from workbench.errors import Exit, UsageError

if TYPE_CHECKING:
    from workbench.timing.contracts.battery import Axis, Battery, Spread
    from workbench.timing.contracts.comparing import Pair
    from workbench.timing.contracts.gate import Rule

_OF_FILES = ("onset", "before_onset", "after_onset", "expect", "max_time_to_yield_s", "max_talk_over_s", "channels")
_OF_GROUPS = ("config", "min_n", "policy")


@options.command("compare")
@click.argument("before")
@click.argument("after")
@click.option("--onset", type=float, metavar="SECONDS", help="When the caller begins, in both files.")
@click.option("--before-onset", type=float, metavar="SECONDS", help="In the first file.")
@click.option("--after-onset", type=float, metavar="SECONDS", help="In the second file.")
@click.option("--expect", type=click.Choice(["yield", "hold"]), help="What the agent should do.  [default: yield]")
@click.option("--max-time-to-yield-s", type=float, metavar="SECONDS", help="Bound.")
@click.option("--max-talk-over-s", type=float, metavar="SECONDS", help="Bound.")
@click.option("--channels", metavar="ROLE,ROLE", help="Whose channel is which.  [default: caller,agent]")
@click.option(
    "--by", metavar="COLUMN", help="Compare groups of an archive: agent_version, arm, caller_noisy, ..., config_id."
)
@options.archive
@click.option("--config", metavar="ID", help="With --by: the scoring config.")
@click.option("--min-n", type=click.IntRange(1), help="With --by: fewest failed moments for a claim.  [default: 3]")
@click.option(
    "--policy", type=click.Path(dir_okay=False), metavar="FILE", help="With --by: what must hold; else exit 1."
)
@click.option("--after-deploy", is_flag=True, help="You state that AFTER was recorded after the release.")
@click.option("--strict", is_flag=True, help="Exit 1 when anything regressed.")
@options.as_json
def command(
    before: str,
    after: str,
    archive_path: str,
    *,
    by: str | None,
    after_deploy: bool,
    strict: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Compare two sound files of one moment, or with --by two groups of an archive's scored moments.

    Of files, --onset says when the caller begins; without it the caller's first speech is taken, and that is said.
    Groups are paired by scenario. A pair whose recordings are the same sound, also resampled, encoded anew or made
    quieter, supports no claim of a change.

    \b
    Examples:
      workbench compare before.wav after.wav --onset 2.0 --max-talk-over-s 1
      workbench compare 1.4 1.5 --by agent_version --policy change.yaml
    """
    wrong = [name for name in (_OF_FILES if by else _OF_GROUPS) if given[name] is not None]
    if wrong:
        what = "groups of an archive" if by else "two sound files"
        named = ", ".join("--" + name.replace("_", "-") for name in wrong)
      workbench compare false true --by caller_noisy
        raise UsageError(f"{named} says nothing about {what}", hint="--by COLUMN compares groups; without it, files")
    if by is None:
        regressed = _files(before, after, given, deployed=after_deploy, as_json=as_json)
        held = True
    else:
        asked = {name: given[name] for name in _OF_GROUPS}
        regressed, held = _groups((before, after), by, archive_path, deployed=after_deploy, as_json=as_json, **asked)
    if not held or (strict and regressed):
        sys.exit(Exit.GATE_FAILED)


def _files(before: str, after: str, given: dict[str, Any], *, deployed: bool, as_json: bool) -> bool:
    from workbench.timing.contracts.comparing import REGRESSED, compare
    from workbench.timing.contracts.judging import judge
    from workbench.timing.contracts.levels import CLAIMS

    roles = tuple(part.strip() for part in (given["channels"] or "caller,agent").split(","))
    sides = []
    for path, onset in ((before, given["before_onset"]), (after, given["after_onset"])):
        onset_s = given["onset"] if onset is None else onset
        if onset_s is not None and not 0 <= onset_s < float("inf"):
            raise UsageError(f"the onset is {onset_s:g} s", where=path, hint="give seconds from the start of the file")
        sides.append(
            judge(
                path,
                expect=given["expect"] or "yield",
                onset_s=onset_s,
                max_time_to_yield_s=given["max_time_to_yield_s"],
                max_talk_over_s=given["max_talk_over_s"],
                roles=roles,
                channel_map_confirmed=given["channels"] is not None,
            )
        )
    pair = compare(*sides, where=f"{before}, {after}", deployed=deployed)
    claim = CLAIMS[pair.evidence_level].sentence
    if as_json:
        output.json_line({**msgspec.to_builtins(pair), "claim": claim})
    else:
        _tell_pair(pair, claim)
    return pair.result == REGRESSED


def _tell_pair(pair: Pair, claim: str) -> None:
    click.echo(f"{pair.result}: {pair.before['status']} -> {pair.after['status']}")
    rows: list[tuple[Any, ...]] = [
        (name, _shown(name, pair.before), _shown(name, pair.after), "" if change is None else f"{change:+g}")
        for name, change in pair.changes.items()
    ]
    rows = [
        ("did_yield", *("yes" if event["did_yield"] else "no" for event in (pair.before, pair.after)), ""),
        *rows,
        ("reason", pair.before["reason"], pair.after["reason"], ""),
    ]
    output.table(["", "before", "after", "change"], rows)
    found = [
        f"{event['onset_s']:g} s in the file {side}"
        for side, event in (("before", pair.before), ("after", pair.after))
        if event["onset_source"] == "detected"
    ]
    if found:
        click.echo(f"no --onset: the caller's first speech was taken for the moment, at {' and '.join(found)}")
    click.echo(_freshness(pair.freshness.state, pair.freshness.correlation))
    click.echo(claim)


def _shown(name: str, event: dict[str, Any]) -> str:
    if name == "time_to_yield_s" and event["yield_censored"]:
        return f"> {event['yield_observed_s']:g}"
    return "" if event[name] is None else f"{event[name]:g}"


def _freshness(state: str, correlation: float | None) -> str:
    words = {
        "same_pcm": "the two recordings hold the same samples",
        "same_envelope": "the two recordings are one, resampled, encoded anew or at another level",
        "different": "the two recordings are different sound",
        "unknown": "too little to tell whether the two recordings are different sound",
    }
    return words[state] + ("" if correlation is None else f" (correlation of their levels {correlation:.2f})")


def _groups(
    names: tuple[str, str],
    by: str,
    archive_path: str,
    *,
    config: str | None,
    min_n: int | None,
    policy: str | None,
    deployed: bool,
    as_json: bool,
) -> tuple[bool, bool]:
    from workbench.archive.archive import Archive
    from workbench.archive.comparing import compare_archive
    from workbench.timing.contracts.battery import MIN_FAILING
    from workbench.timing.contracts.gate import evaluate, policy_of
    from workbench.timing.contracts.levels import CLAIMS
    from workbench.timing.contracts.settings_file import settings

    rules = None if policy is None else policy_of(settings(policy), where=policy)
    with Archive(archive_path) as archive:
        found = interruptible.run(
            lambda: compare_archive(
                archive.reader, by, names=names, config_id=config, min_n=min_n or MIN_FAILING, deployed=deployed
            )
        )
    if not found.pairs:
        raise UsageError(
            "no moment is in both groups",
            where=f"--by {by}",
            hint="calls of one scenario_id are paired; import it with them",
        )
    judged = [] if rules is None else evaluate(rules, found.pairs)
    claim = CLAIMS[found.evidence_level].sentence
    if as_json:
        output.json_line({**msgspec.to_builtins(found), "policy": msgspec.to_builtins(judged), "evidence": claim})
    else:
        _tell_battery(found, judged)
        click.echo(claim)
    return bool(found.counts["regressed"]), all(rule.holds for rule in judged)


def _tell_battery(found: Battery, judged: list[Rule]) -> None:
    rows = [
        (
            pair.result,
            pair.key,
            f"{pair.before['status']} -> {pair.after['status']}",
            pair.changes["time_to_yield_s"],
            pair.changes["talk_over_s"],
            pair.freshness.state,
        )
        for pair in found.pairs
    ]
    output.table(["result", "moment", "verdict", "yield s, change", "talk-over s, change", "recordings"], rows)
    click.echo(", ".join(f"{count} {result}" for result, count in found.counts.items() if count) or "no pairs")
    click.echo(f"failed before, pass now: {_axis(found.regression_axis)}")
    click.echo(f"passed before, still pass: {_axis(found.hold_axis)}")
    for name, before in found.pooled_before.items():
        click.echo(f"{name}: {_spread(before)} -> {_spread(found.pooled_after[name])}")
    if found.p_exact is not None:
        click.echo(f"exact McNemar p {found.p_exact:.2g}")
    without = (found.unpaired_before, found.unpaired_after, found.ambiguous)
    click.echo("left out: {} before and {} after without a partner, {} named more than once".format(*without))
    for rule in judged:
        change = "" if rule.before is None else f"{rule.before:g} -> "
        seen = "not measured" if rule.after is None else f"{change}{rule.after:g}"
        click.echo(f"{'holds' if rule.holds else 'BROKEN'}: {rule.name} {rule.wanted} ({seen})")
    click.echo(found.claim or "no claim: " + "; ".join(found.withheld))


def _spread(spread: Spread) -> str:
    if spread.median is None:
        return "not measured"
    bound = f", {spread.censored} never stopped" if spread.censored else ""
    return f"median {spread.median:g}, p95 {spread.p95:g} ({output.plural(spread.events, 'moment')}{bound})"


def _axis(axis: Axis) -> str:
    if axis.interval is None:
        return "0 of 0"
    low, high = axis.interval
    return f"{axis.count} of {axis.of} ({100 * low:.0f} to {100 * high:.0f} %, Wilson 95 %)"
