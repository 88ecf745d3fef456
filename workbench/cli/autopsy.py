"""`workbench autopsy`: the incidents of one sound file, the most severe first."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.assets import folder
from workbench.cli import options, output
from workbench.cli.trust import ONLY_SILENCES, channel_map, describe
from workbench.errors import Exit, NotScorable, UsageError

if TYPE_CHECKING:
    from workbench.analysis.incident_pinnable import Pinnable
    from workbench.analysis.incidents_of_file import Examined
    from workbench.timing.measuring import Measured

EXAMPLE = "calls/vapi-defaults/audio/vapi-default-07-correction.example.wav"
"""A caller who corrects the agent, which talks on for a second."""

_MAP_FIRST = (
    "ROLE,ROLE: nobody has said which channel is whose. Listen, and run autopsy with --channels first: the other way "
    "round there are other incidents, with other numbers"
)


@options.command("autopsy")
@click.argument("file", type=click.Path(), required=False)
@click.option(
    "--channels", metavar="ROLE,ROLE", help="Whose channel is which, where no sidecar says so, e.g. caller,agent."
)
@click.option("--min-gap-s", type=float, help="Shortest wait for an answer that counts (2 s).")
@click.option("-o", "--output", "target", metavar="FILE.html", type=click.Path(), help="Write a page to hear it.")
@click.option("--cost-config", metavar="FILE", type=click.Path(), help="Your prices by incident; never stored.")
@click.option("--all", "every", is_flag=True, help="List what stands apart too, a line each.")
@options.as_json
@options.quiet
def command(
    file: str | None,
    *,
    channels: str | None,
    min_gap_s: float | None,
    target: str | None,
    cost_config: str | None,
    every: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Tell what went wrong in the timing of one sound file; no archive is needed. Without a file: of a bundled call.

    Two channels give barge-in, talk-over, dead air (nobody speaks for 5 s or more), latency spikes and suspected
    echo. One channel gives dead air and latency spikes, each with a measured confidence. Apart stand short stops of the
    agent, overlaps too short to tell from none, barge-ins of which the recording ends too early to show whether the
    agent stops, what rests on faint sound alone, and rests of silences: counted here, each of them with --all and in
    --json, and not priced. It is timing and not intent: who should have yielded is for a person to say.
    Of one channel only silences can be told and no verdict can rest on it, which is why `trust` says NOT SCORABLE of
    it. Exit code 2, and nothing written, where not even silences can be told.

    \b
    Examples:
      workbench autopsy call.wav
      workbench autopsy call.wav --channels agent,caller -o call.html
    """
    from workbench.analysis.incident_costs import costs, read_prices
    from workbench.analysis.incidents_channels import roles_asked
    from workbench.analysis.incidents_of_file import measured
    from workbench.report.new_file import require_place, write_whole
    from workbench.timing.score_config import ScoreConfig

    if file is None:
        file = str(folder("data") / EXAMPLE)
        if not (as_json or quiet):
            click.echo("no file named: this is a bundled call\n")
    scanning = ScoreConfig() if min_gap_s is None else ScoreConfig(min_gap_s=min_gap_s)
    prices = read_prices(cost_config) if cost_config else None
    if target is not None:
        require_place(target, kind="html")
        if Path(target).exists() and Path(file).exists() and Path(target).samefile(file):
            raise UsageError("the page would replace the recording", where=target, hint="name another file")
    examined, measurement = measured(file, channels=roles_asked(channels), scanning=scanning)
    report = autopsy_report(examined, policy=_policy(scanning))
    cost = None
    if prices and examined.mode:
        cost = costs(examined.incidents, prices, silence_only=examined.mode == "mono")
    if examined.mode is None:
        _refuse(examined, report, as_json=as_json)
    size = None
    if target is not None:
        from workbench.report.autopsy import build

        page = build(examined, measurement, policy=report["policy_hash"], costs=cost)
        size = write_whole(target, page, kind="html")
    if as_json:
        output.json_line(report | ({"costs": cost} if cost else {}))
    elif not quiet:
        _tell(examined, measurement, report, cost, numbered=min_gap_s is None, every=every)
        if size is not None:
            click.echo(f"{output.one_line(target)} ({size / 1e6:.1f} MB)")


def autopsy_report(examined: Examined, *, policy: str) -> dict[str, Any]:
    """Return the incidents of a file as one record, which the same bytes and settings give again."""
    from workbench.analysis.incidents import counts
    from workbench.analysis.incidents_aside import aside_counts
    from workbench.analysis.incidents_health import SCOPE

    eligible, reason, next_step = examined.verdict
    return {
        "kind": "autopsy",
        "id": examined.name,
        "file": examined.file,
        "sha256": examined.sha256,
        "mode": examined.mode,
        "scope": SCOPE.get(examined.mode or ""),
        "duration_s": examined.duration_s,
        "sample_rate_hz": examined.sample_rate_hz,
        "channel_map": {"roles": list(examined.roles), "source": examined.channel_map},
        "recommendation": examined.health["recommendation"],
        "warnings": examined.health["warnings"],
        "reason": examined.reason,
        "next_step": examined.next_step,
        "verdict_eligible": eligible,
        "verdict_reason": reason,
        "verdict_next_step": next_step,
        "policy_hash": policy,
        "incident_counts": counts(examined.incidents),
        "aside_counts": aside_counts(examined.incidents),
        "incidents": examined.incidents,
    }


def _policy(scanning: Any) -> str:
    from workbench.analysis.incidents_of_file import policy_hash
    from workbench.audio.config import MeasureConfig

    return policy_hash(scanning, MeasureConfig())


def _refuse(examined: Examined, report: dict[str, Any], *, as_json: bool) -> None:
    from workbench.analysis.incidents_health import plain_reason

    if as_json:
        output.json_line(report)
        sys.exit(Exit.REFUSED)
    what = f"NOT SCORABLE: {plain_reason(examined.reason)} ({examined.reason})"
    raise NotScorable(what, where=examined.path, hint=examined.next_step)


def _tell(
    examined: Examined,
    measurement: Measured,
    report: dict[str, Any],
    cost: dict[str, Any] | None,
    *,
    numbered: bool,
    every: bool,
) -> None:
    from workbench.analysis.incident_pinnable import pinnable
    from workbench.analysis.incidents import spoken
    from workbench.analysis.incidents_aside import listed
    from workbench.analysis.incidents_health import plain_warning

    click.echo(f"{output.one_line(examined.file)}  {examined.name}")
    click.echo(f"  {describe(examined)}; {channel_map(examined)}")
    if report["scope"]:
        click.echo(f"  {report['scope']}")
    only = f" for turn-taking: {ONLY_SILENCES}" if examined.mode == "mono" else ""
    click.echo(f"  input: {report['recommendation']}{only}")
    for name in report["warnings"]:
        click.echo(f"  warning: {plain_warning(name)}")
    told = listed(examined.incidents)
    tried = pinnable(examined, measurement)
    for one in told:
        click.echo()
        sure = "" if one["confidence"] is None else f"  confidence {one['confidence']:.2f}"
        click.echo(
            f"{'#' + str(one['number']):3} {one['severity'].upper():8}  {spoken(one['incident']):14}  "
            f"at {one['onset_s']:.2f} s  {one['magnitude_s']:.2f} s{sure}"
        )
        click.echo(f"    {one['sentence']}")
        if (pin := tried.get(one["number"])) is not None:
            click.echo(f"    {output.one_line(_pin(examined, one, pin, numbered=numbered))}")
    if examined.channel_map == "assumed" and any(pin.expects for pin in tried.values()):
        click.echo(f"\n{_MAP_FIRST}")
    _tell_aside(examined, every=every)
    click.echo()
    if examined.mode == "mono" and told:
        click.echo("confidence: how far the silence lies under the level of speech, 1.00 at 20 dB or more")
    found = ", ".join(severity(name, count) for name, count in report["incident_counts"].items() if count)
    aside = f", {len(examined.incidents) - len(told)} apart" if len(examined.incidents) > len(told) else ""
    click.echo(
        f"{output.plural(len(told), 'incident')}{': ' + found if found else ''}{aside} "
        f"(policy {report['policy_hash']}); timing, not intent"
    )
    if cost is not None:
        tell_costs(cost)


def _pin(examined: Examined, one: dict[str, Any], pin: Pinnable, *, numbered: bool) -> str:
    """The command that pins an incident, with the channels where a person has named them. Else why none does."""
    if not pin.expects:
        return f"cannot be pinned: {pin.why}"
    moment = shlex.quote(f"{examined.path}#{one['number']}")
    if not numbered:  # other incidents are listed there, so its number is another
        moment = f"{shlex.quote(examined.path)} --at {one['onset_s']:g}"
    named = {"option": examined.roles, "assumed": ["ROLE"] * len(examined.roles)}.get(examined.channel_map)
    said = f" --channels {','.join(named)}" if named else ""
    other = "  # or hold" if len(pin.expects) > 1 else ""
    return f"to pin it: workbench pin {moment}{said} --expect {pin.expects[0]}{other}"


def _tell_aside(examined: Examined, *, every: bool) -> None:
    """Print what stands apart: how many of each kind under the reason, or a line an incident."""
    from workbench.analysis.incidents_aside import ENDED, aside_counts, aside_name, aside_title

    counts = {name: count for name, count in aside_counts(examined.incidents).items() if count}
    for nth, (name, count) in enumerate(counts.items()):
        apart = [one for one in examined.incidents if one["aside"] == name]
        kinds = Counter(aside_name(one) for one in apart)
        of_one_kind = name in ("short_stop", ENDED)
        named = "" if of_one_kind else f": {', '.join(f'{n} {kind}' for kind, n in kinds.most_common())}"
        click.echo(f"{'' if nth and not every else chr(10)}apart: {aside_title(name, count)}{named}")
        for one in apart if every or name == ENDED else []:  # what was seen of it is in its sentence alone
            what = "" if of_one_kind else f"  {aside_name(one)}"
            click.echo(f"    #{one['number']:<3} at {one['onset_s']:.2f} s  {one['magnitude_s']:.2f} s{what}")
            if name == ENDED:
                click.echo(f"    {one['sentence']}")
    if counts.keys() - {ENDED} and not every:
        click.echo("    --all lists each of them")


def severity(name: str, count: int) -> str:
    """Return "2 critical", "2 warnings"."""
    return f"{count} critical" if name == "critical" else output.plural(count, name)


def tell_costs(cost: dict[str, Any]) -> None:
    """Print costs, a line a kind that has a price."""
    currency = output.safe(cost["currency"])
    for line in cost["lines"]:
        click.echo(
            f"cost of {line['kind']}: {line['count']} at {line['each']:.2f} = {line['total']:.2f} {currency} "
            "(your figure)"
        )
    without = f"; {output.plural(cost['unpriced_count'], 'incident')} without a price" if cost["unpriced_count"] else ""
    click.echo(f"cost in all: {cost['total']:.2f} {currency} (your figures, not stored{without})")
