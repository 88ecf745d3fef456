"""`workbench pin`: a labelled moment becomes a contract that measures itself again."""

from __future__ import annotations

import getpass
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from workbench.cli import options, output, times
from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.archive.archive import Archive
    from workbench.archive.pinning import Pinned
    from workbench.timing.contracts.document import Contract

HINT = "FILE#N or FILE, with --expect yield or hold, and perhaps --at SECONDS instead of #N"


@options.command("pin")
@click.argument("call_id", metavar="CALL|FILE[#N]")
@options.archive
@click.option("--label", "label_id", metavar="LABEL", help="A label that stands.")
@click.option("--at", "at_s", type=times.MOMENT, metavar="SECONDS", help="Label this moment now, on the call's clock.")
@click.option("--expect", type=click.Choice(["yield", "hold"]), help="Stop for the caller, or go on; not with --label.")
@click.option("--max-time-to-yield-s", type=times.BOUND, metavar="SECONDS", help="With --expect: bound of this moment.")
@click.option("--max-talk-over-s", type=times.BOUND, metavar="SECONDS", help="With --expect: bound of this moment.")
@click.option("--channels", metavar="ROLE,ROLE", help="Of a file: whose channel is which, where no sidecar says so.")
@click.option("--file", metavar="FILE", help="Of an address apx-...#N: the file, which must be the same.")
@click.option("--pre-s", type=float, default=2.0, show_default=True, help="Context before the moment.")
@click.option("--post-s", type=float, default=6.0, show_default=True, help="Context after it.")
@click.option("-o", "folder", type=click.Path(file_okay=False), default="contracts", show_default=True, metavar="DIR")
@click.option("--sign-key-env", metavar="NAME", help="Environment variable that holds a key to sign with.")
@click.option("--author", envvar="WORKBENCH_AUTHOR", show_envvar=True, help="Who judges; your login by default.")
@options.as_json
@options.quiet
def command(
    call_id: str,
    archive_path: str,
    *,
    label_id: str | None,
    at_s: float | None,
    expect: str | None,
    max_time_to_yield_s: float | None,
    max_talk_over_s: float | None,
    channels: str | None,
    file: str | None,
    pre_s: float,
    post_s: float,
    folder: str,
    sign_key_env: str | None,
    author: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Pin a labelled moment: clip, frames, policy, label and digests in a new folder DIR/<id>.contract.

    The clip is measured as a recording of its own; where its verdict is not that of the whole call nothing is
    written. It holds the voices of the call: handle it as a recording.

    --at adds a label to the archive, and says so; --label adds none. Both note the contract in the archive's
    `contracts`; with --label an archive that cannot be written will do, and then has no such row.

    Of a sound file no archive is needed: FILE#N is its incident N, as autopsy lists them (a barge-in or talk-over),
    FILE alone the first critical one, FILE with --at any moment. --expect is your judgement, and the only label.

    \b
    Examples:
      workbench pin CALL --label LABEL
      workbench pin CALL --at 3.0 --expect yield --max-talk-over-s 1 -o contracts
      workbench pin call.wav#1 --channels caller,agent --expect yield
    """
    from workbench.analysis.incident_pinned import target_of
    from workbench.archive import failures
    from workbench.archive.archive import Archive
    from workbench.archive.pinning import pin
    from workbench.timing.contracts.members import key_from

    bounds = (max_time_to_yield_s, max_talk_over_s)
    who = author if author is not None else getpass.getuser()
    target = None if label_id is not None else target_of(call_id, file=file)
    if target is not None:
        if expect is None or (at_s is not None and target.number is not None):
            raise UsageError("say what the agent should have done", where=call_id, hint=HINT)
        from workbench.analysis.incident_pinned import pin_incident
        from workbench.analysis.incidents_channels import roles_asked

        made = pin_incident(
            target,
            expect=expect,
            author=who,
            at_s=at_s,
            channels=roles_asked(channels),
            bounds={"max_time_to_yield_s": max_time_to_yield_s, "max_talk_over_s": max_talk_over_s},
            folder=folder,
            pre_s=pre_s,
            post_s=post_s,
            key=key_from(sign_key_env),
        )
        if as_json:
            contract = msgspec.to_builtins(made.contract)
            address = None if made.incident is None else made.incident["address"]
            output.json_line({"folder": str(made.folder), "incident": address, "contract": contract})
        elif not quiet:
            _tell(made.folder, made.contract, made.event, signed=sign_key_env is not None)
        return
    if channels is not None or file is not None:
        raise UsageError(
            "--channels and --file go with a sound file",
            where=call_id,
            hint="there is no such file; a call has its own",
        )
    mixed = label_id is not None and (expect is not None or any(bound is not None for bound in bounds))
    if (label_id is None) == (at_s is None) or (at_s is None) != (expect is None) or mixed:
        raise UsageError(
            "say which moment to pin",
            hint="--label LABEL; or --at SECONDS with --expect yield or hold, and its bounds; of a sound file FILE#N "
            "with --expect (there is no file of that name)",
        )
    key = key_from(sign_key_env)
    expectation = None
    if at_s is not None:
        given = {"max_time_to_yield_s": max_time_to_yield_s, "max_talk_over_s": max_talk_over_s}
        expectation = {"onset_s": at_s, "expect": expect or "", **given}
    with Archive(archive_path) as archive:
        pinned = pin(
            archive.layout,
            call_id,
            author=who,
            label_id=label_id,
            expectation=expectation,
            folder=folder,
            pre_s=pre_s,
            post_s=post_s,
            key=key,
        )
        if expectation is not None:
            again = archive.layout.command("workbench score")
            with failures.kept(archive.path, "the moment is labelled and pinned, and not scored", hint=again):
                archive.score()
        tighter = [] if expectation is None else _with_other_bounds(archive, pinned, call_id)
    if not quiet:
        _tell_of_archive(pinned, who, call_id=call_id, archive_path=archive_path)
        for other_id, status in tighter:
            click.echo(
                output.safe(_TIGHTER.format(label_id=other_id, status=status, call=shlex.quote(call_id))), err=True
            )
    if as_json:
        contract = msgspec.to_builtins(pinned.contract)
        told = {"folder": str(pinned.folder), "label_id": pinned.label_id, "contract": contract}
        output.json_line({**told, "label_added": pinned.label_added, "recorded": pinned.recorded})
    elif not quiet:
        _tell(pinned.folder, pinned.contract, pinned.event, signed=key is not None)


_TIGHTER = (
    "note: the label {label_id} of this moment brings bounds of its own, with which `workbench score` says {status}; "
    "to pin that: workbench pin {call} --label {label_id}"
)


def _with_other_bounds(archive: Archive, pinned: Pinned, call_id: str) -> list[tuple[str, str]]:
    """The label that `score` judges the moment by, and its verdict, where that is not the verdict of the contract."""
    import polars as pl

    from workbench.timing.same_moment import SAME_MOMENT_S

    said = archive.sql("from label_moments where call_id = $call and counted", {"call": call_id})
    events = "from scored_events where call_id = $call and config_id = $config"
    scored = archive.sql(events, {"call": call_id, "config": pinned.event["config_id"]}).select("label_id", "status")
    here = (pl.col("onset_s") - pinned.event["onset_s"]).abs() <= SAME_MOMENT_S + 1e-9
    near = said.filter(here, pl.col("label_id") != pinned.label_id).join(scored, on="label_id")
    rows: list[tuple[str, str]] = (
        near.filter(pl.col("status") != pinned.event["status"]).select("label_id", "status").rows()
    )
    return rows


def _tell_of_archive(pinned: Pinned, author: str, *, call_id: str, archive_path: str) -> None:
    """Say on stderr what the archive has got of it."""
    from workbench.archive.layout import Layout

    said = None
    if pinned.label_added:
        layout = Layout(Path(archive_path).absolute())
        back = layout.command(f"workbench label {shlex.quote(call_id)} --undo {pinned.label_id}")
        said = f"added the label {pinned.label_id} by {author} to the archive; {back} takes it back"
    elif not pinned.recorded:
        said = "the archive cannot be written: the contract is made, and the archive has no row of it"
    if said is not None:
        click.echo(output.safe(f"note: {said}"), err=True)


def _tell(folder: Path, contract: Contract, event: dict[str, Any], *, signed: bool) -> None:
    from workbench.timing.contracts.clipped import differences
    from workbench.timing.contracts.levels import CLAIMS
    from workbench.timing.contracts.members import UNSIGNED
    from workbench.timing.events import bound_decides

    found = contract.measurement
    click.echo(output.safe(f"{found['status']}: {contract.label.expect} at {contract.label.onset_s:g} s of the clip"))
    click.echo(output.one_line(f"{folder} ({'signed' if signed else UNSIGNED})"))
    if found["boundary_sensitive"] and bound_decides(event):
        click.echo(
            f"within one hop of its bound (margin {found['decision_margin_s']:+g} s): another take may fall either way"
        )
    for name, whole, clip in differences(event, found):
        click.echo(f"{name} is {_shown(clip)} in the clip and {_shown(whole)} in the whole call")
    click.echo(CLAIMS[contract.evidence_level].sentence)


def _shown(value: float | None) -> str:
    return "not measured" if value is None else f"{value:g}"
