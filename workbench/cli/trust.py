"""`workbench trust`: whether turn timing can be read from one sound file."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import options, output
from workbench.errors import Exit

if TYPE_CHECKING:
    from workbench.analysis.incidents_of_file import Examined

ONLY_SILENCES = "only silences can be told, and no verdict (yield or hold, passed or failed) can rest on it"
"""What NOT SCORABLE means of a file with one channel for both parties, in which somebody speaks."""


@options.command("trust")
@click.argument("file", type=click.Path())
@click.option(
    "--channels",
    metavar="ROLE,ROLE",
    help="Whose channel is which, where no sidecar says so, e.g. caller,agent; confirms the map.",
)
@options.as_json
@options.quiet
def command(file: str, *, channels: str | None, as_json: bool, quiet: bool) -> None:
    """Tell whether turn timing can be read from one sound file; no archive is needed.

    It looks at the recording and at nobody's behaviour: there is no yield, hold, pass or fail in it. Exit code 2
    where it is NOT SCORABLE: no turn-taking can be read, and no verdict can rest on it. One channel for both parties
    is such a file; its silences can be told all the same, and autopsy and scan tell them. Of a call in two mono files,
    call.caller.wav and call.agent.wav, either name is enough: the two are judged together.

    \b
    Examples:
      workbench trust call.wav
      workbench trust call.wav --channels agent,caller
    """
    from workbench.analysis.incidents_channels import roles_asked
    from workbench.analysis.incidents_health import trust_report
    from workbench.analysis.incidents_of_pair import examine_with_other

    examined = examine_with_other(file, channels=roles_asked(channels))
    report = trust_report(examined)
    if as_json:
        output.json_line(report)
    elif not quiet:
        _tell(examined, report)
    if not report["scorable"]:
        sys.exit(Exit.REFUSED)


def _tell(examined: Examined, report: dict[str, Any]) -> None:
    from workbench.analysis.incidents_health import plain_reason, plain_warning

    click.echo(f"{output.one_line(examined.file)}: {report['recommendation']}")
    if report["reason"]:
        click.echo(f"  reason     {plain_reason(report['reason'])} ({report['reason']})")
        click.echo(f"  next step  {report['next_step']}")
    if examined.mode == "mono":
        click.echo(f"  still      {ONLY_SILENCES}; workbench autopsy tells them")
    if report["scorable"]:
        click.echo(f"  verdicts   {_verdicts(report)}")
    for name in report["warnings"]:
        click.echo(f"  warning    {plain_warning(name)}")
    click.echo(f"  recording  {describe(examined)}")
    click.echo(f"  map        {channel_map(examined)}")
    click.echo(f"  silence    {_silence(report['recording'])}")
    if len(examined.roles) > 1:
        _tell_of_two(report)
    click.echo()
    names = (
        "channel",
        "role",
        "speech s",
        "first s",
        "faint s",
        "peak dBFS",
        "clipped %",
        "floor dBFS",
        "speech dBFS",
        "above dB",
    )
    who, speech = ("channel_ix", "role"), ("speech_s", "speech_from_s", "faint_s")
    columns = ("peak_dbfs", "clipped_fraction", "noise_floor_dbfs", "speech_dbfs", "separation_db")
    rows = [(*(row[name] for name in (*who, *speech)), *(row[name] for name in columns)) for row in report["channels"]]
    output.table(names, [[*row[:5], _one(row[5]), _share(row[6]), *map(_one, row[7:])] for row in rows])


def _silence(recording: dict[str, Any]) -> str:
    quiet_s, faint_s = recording["leading_silence_s"], recording["faint_from_s"]
    said = "nobody speaks" if quiet_s is None else f"{quiet_s:.2f} s before anybody speaks"
    if faint_s is None or (quiet_s is not None and faint_s >= quiet_s):
        return said
    return f"{said}; faint sound (breath, a click, bleed) from {faint_s:.2f} s"


def _tell_of_two(report: dict[str, Any]) -> None:
    from workbench.analysis.incidents_health import plain_reason

    found = report["crosstalk"]
    nothing = report["reason"] if report["reason"] in ("too_short", "both_silent") else None
    if found["coherence"] is None:
        alike = f"not measured: {plain_reason(nothing) or 'a channel has no energy'}"
    else:
        alike = f"{found['coherence']:.3f} at {found['coherence_lag_s']:+.2f} s (0.7 or more is suspicious)"
    click.echo(f"  coherence  {alike}")
    copy = f"not measured: {plain_reason(nothing)}" if nothing else "no steady copy found"
    if found["leakage_db"] is not None:
        copy = f"{found['leakage_db']:.1f} dB, {found['leakage_direction']} (-40 or more is loud)"
    click.echo(f"  leakage    {copy}")
    swap = {None: "not looked at: no caller and agent named", False: "no sign of it", True: report["swap_reason"]}
    looks = f"not measured: {plain_reason(nothing)}" if nothing else swap[report["possible_swap"]]
    click.echo(f"  swap       {looks}")


def _verdicts(report: dict[str, Any]) -> str:
    from workbench.analysis.incidents_health import plain_reason

    if report["verdict_eligible"]:
        return "may rest on it"
    if report["verdict_reason"] == report["reason"]:
        return "withheld for the same reason"
    return f"withheld, {plain_reason(report['verdict_reason'])}: {report['verdict_next_step']}"


def describe(examined: Examined) -> str:
    """Return what the file is, in one line."""
    channels = output.plural(len(examined.roles), "channel")
    if examined.channel_map == "name" and len(examined.roles) > 1:
        channels = "2 mono files"
    stored = dict.fromkeys((examined.container, examined.codec))  # one name where both are the same: flac, mp3
    return f"{examined.duration_s:.2f} s, {examined.sample_rate_hz} Hz, {channels}, {' '.join(stored)}"


def channel_map(examined: Examined) -> str:
    """Return which channel is whose, and who says so."""
    said = {
        "option": "as --channels says",
        "sidecar": "as its sidecar says",
        "name": "as its name says" if len(examined.roles) == 1 else "as their names say",
        "assumed": "assumed; --channels says which is whose",
        "format": "one channel for all",
    }
    roles = ", ".join(f"{ix} {role}" for ix, role in enumerate(examined.roles))
    return f"{roles} ({said[examined.channel_map]})"


def _one(value: float | None) -> float | None:
    return None if value is None else round(value, 1)


def _share(value: float | None) -> float | None:
    return None if value is None else round(100 * value, 3)
