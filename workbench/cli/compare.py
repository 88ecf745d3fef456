"""`workbench compare`: a moment, or a battery of them, before and after a change."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
import msgspec

from workbench.cli import interruptible, options, output, times
from workbench.errors import Exit, UsageError

if TYPE_CHECKING:
    from workbench.timing.contracts.gate import Rule

_OF_FILES = ("onset", "before_onset", "after_onset", "expect", "max_time_to_yield_s", "max_talk_over_s", "channels")
_OF_GROUPS = ("config", "min_n", "policy")
_OF_AGENTS = (*_OF_GROUPS, "after_deploy", "strict")
"""What asks for a change of the agent: nothing that two rulers over the same calls could answer."""

_WITHHELD = "withheld{}: a gate says nothing here, {}"


def _print_schema(context: click.Context, _option: click.Parameter, wanted: bool) -> None:
    if wanted:
        from workbench.timing.contracts.gate_schema import json_schema

        output.json_line(json_schema())
        context.exit()


@options.command("compare")
@click.argument("before")
@click.argument("after")
@click.option("--onset", type=times.MOMENT, metavar="SECONDS", help="When the caller begins, in both files.")
@click.option("--before-onset", type=times.MOMENT, metavar="SECONDS", help="In the first file.")
@click.option("--after-onset", type=times.MOMENT, metavar="SECONDS", help="In the second file.")
@click.option("--expect", type=click.Choice(["yield", "hold"]), help="Of files: what the agent should have done.")
@click.option("--max-time-to-yield-s", type=times.BOUND, metavar="SECONDS", help="Bound.")
@click.option("--max-talk-over-s", type=times.BOUND, metavar="SECONDS", help="Bound.")
@click.option(
    "--channels", metavar="ROLE,ROLE", help="Whose channel is which, where no sidecar says so, e.g. caller,agent."
)
@click.option(
    "--by", metavar="COLUMN", help="Compare groups of an archive: agent_version, arm, caller_noisy, ..., config_id."
)
@options.archive
@click.option("--config", metavar="ID", help="With --by: the scoring config.")
@click.option("--min-n", type=click.IntRange(1), help="With --by: fewest failed moments for a claim.  [default: 3]")
@click.option(
    "--policy", type=click.Path(dir_okay=False), metavar="FILE", help="With --by: what must hold; else exit 1 or 2."
)
@click.option(
    "--policy-schema",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_schema,
    help="Print the JSON Schema of a policy FILE, and nothing else.",
)
@click.option("--after-deploy", is_flag=True, help="With --by: you state that AFTER was recorded after the release.")
@click.option("--strict", is_flag=True, help="Exit 1 when anything regressed, 2 when copies cannot show it.")
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

    Of files, --expect says what the agent should have done and --channels whose channel is which, where no sidecar
    does; neither is guessed. --onset says when the caller begins; without it the worst barge-in that autopsy lists is
    taken, or the caller's first speech where it lists none, and that is said. Groups are paired by scenario, and their
    labels say what was expected. A pair whose recordings are the same sound, also resampled, encoded anew or made
    quieter, is called same_recording, unknown_recording where too little is heard to tell, and shows no change:
    --policy and --strict then exit 2, as where a moment judged before has no partner after and nothing else is wrong.

    A policy FILE, JSON or YAML, says what must get better and what must not get worse for it, for instance {"target":
    {"improve": {"time_to_yield_s_p95": -0.5}}, "guardrails": {"max_new_false_yields": 0}}. docs/compare-policy.md has
    every metric with its unit.

    \b
    Examples:
      workbench compare before.wav after.wav --channels caller,agent --onset 2.0 --expect yield
      workbench compare 1.4 1.5 --by agent_version --policy change.yaml
      workbench compare false true --by caller_noisy
    """
    options_given = {name for name, value in given.items() if value is not None}
    options_given |= {name for name, on in (("after_deploy", after_deploy), ("strict", strict)) if on}
    _require_fitting(options_given, by)
    if by is None:
        code = _files(before, after, given, strict=strict, as_json=as_json)
    elif by == "config_id":
        code = _rulers((before, after), archive_path, as_json=as_json)
    else:
        asked = {name: given[name] for name in _OF_GROUPS}
        code = _groups(
            (before, after), by, archive_path, deployed=after_deploy, strict=strict, as_json=as_json, **asked
        )
    if code != Exit.OK:
        sys.exit(code)


def _require_fitting(names: set[str], by: str | None) -> None:
    what, alien = {
        None: ("two sound files", (*_OF_GROUPS, "after_deploy")),
        "config_id": ("two rulers over the same calls", (*_OF_FILES, *_OF_AGENTS)),
    }.get(by, ("groups of an archive", _OF_FILES))
    wrong = [name for name in alien if name in names]
    if wrong:
        named = ", ".join("--" + name.replace("_", "-") for name in wrong)
        hint = "--by COLUMN compares groups; --by config_id two scoring configs; without --by, files"
        raise UsageError(f"{named} says nothing about {what}", hint=hint)


def _files(before: str, after: str, given: dict[str, Any], *, strict: bool, as_json: bool) -> Exit:
    from workbench.analysis.barge_in_onset import barge_in_onset
    from workbench.analysis.incidents_channels import CONFIRMED, roles_asked, roles_said
    from workbench.cli.compare_told import pair as told
    from workbench.timing.contracts.comparing import REGRESSED, SAME_RECORDING, UNKNOWN_RECORDING, compare
    from workbench.timing.contracts.judging import judge
    from workbench.timing.contracts.levels import CLAIMS

    if given["expect"] is None:
        raise UsageError(
            "say what the agent should have done",
            where=f"{before}, {after}",
            hint="--expect yield: it should have stopped for the caller; --expect hold: the caller only said mhm, and "
            "it should have gone on; groups of an archive, whose labels say it, are compared with --by COLUMN",
        )
    asked = roles_asked(given["channels"])
    sides = []
    for path, onset in ((before, given["before_onset"]), (after, given["after_onset"])):
        onset_s = given["onset"] if onset is None else onset
        roles, said_by = roles_said(path, channels=asked)
        seen = barge_in_onset(path, channels=roles) if onset_s is None and {"caller", "agent"} <= set(roles) else None
        side = judge(
            path,
            expect=given["expect"],
            onset_s=seen if onset_s is None else onset_s,
            max_time_to_yield_s=given["max_time_to_yield_s"],
            max_talk_over_s=given["max_talk_over_s"],
            roles=roles,
            channel_map_confirmed=said_by in CONFIRMED,
        )
        side.event["onset_source"] = "detected" if onset_s is None else side.event["onset_source"]
        sides.append(side)
    pair = compare(*sides, where=f"{before}, {after}")
    claim = CLAIMS[pair.evidence_level].sentence
    withheld = strict and pair.result in (SAME_RECORDING, UNKNOWN_RECORDING)
    if as_json:
        output.json_line({**msgspec.to_builtins(pair), "claim": claim})
    else:
        told(pair, claim)
        if withheld:
            click.echo(_WITHHELD.format(", exit 2", "the recordings are not known to be two takes"))
    if withheld:
        return Exit.REFUSED
    return Exit.GATE_FAILED if strict and pair.result == REGRESSED else Exit.OK


def _rulers(names: tuple[str, str], archive_path: str, *, as_json: bool) -> Exit:
    from workbench.archive.archive import Archive
    from workbench.archive.comparing import compare_configs
    from workbench.cli.compare_told import rulers as told
    from workbench.timing.contracts.rulers import SENTENCE

    with Archive(archive_path) as archive:
        found = interruptible.run(lambda: compare_configs(archive.reader, names=names))
    if not found.pairs:
        hint = "score the same labels twice: workbench score --max-search-s 2"
        raise UsageError("no moment is in both groups", where="--by config_id", hint=hint)
    if as_json:
        output.json_line({**msgspec.to_builtins(found), "evidence": SENTENCE})
    else:
        told(found, names)
        click.echo(SENTENCE)
    return Exit.OK


def _groups(
    names: tuple[str, str],
    by: str,
    archive_path: str,
    *,
    config: str | None,
    min_n: int | None,
    policy: str | None,
    deployed: bool,
    strict: bool,
    as_json: bool,
) -> Exit:
    from workbench.archive.archive import Archive
    from workbench.archive.comparing import compare_archive
    from workbench.archive.no_partner import no_partner
    from workbench.cli.compare_told import battery as told
    from workbench.timing.contracts.battery import MIN_FAILING
    from workbench.timing.contracts.gate import evaluate, policy_of, withheld
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
            raise no_partner(archive.reader, by, names=names, config_id=config)
    judged = [] if rules is None else evaluate(rules, found.pairs, missing=found.missing)
    why = withheld(found.pairs, missing=found.missing) if rules is not None or strict else None
    claim = CLAIMS[found.evidence_level].sentence
    regressed = found.counts["regressed"] if strict else 0
    code = _code(judged, regressed=regressed > 0, withheld=why is not None)
    if as_json:
        policy_told = {"policy": msgspec.to_builtins(judged), "gate_withheld": why}
        output.json_line({**msgspec.to_builtins(found), **policy_told, "evidence": claim})
    else:
        told(found, judged)
        if why is not None:
            click.echo(output.safe(_WITHHELD.format(", exit 2" if code == Exit.REFUSED else "", why)))
        if regressed:
            click.echo(f"exit 1: {output.plural(regressed, 'pair')} regressed")
        click.echo(claim)
    return code


def _code(judged: list[Rule], *, regressed: bool, withheld: bool) -> Exit:
    if regressed or any(rule.holds is False for rule in judged):
        return Exit.GATE_FAILED
    return Exit.REFUSED if withheld else Exit.OK
