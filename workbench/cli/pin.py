"""`workbench pin`: a labelled moment becomes a contract that measures itself again."""

from __future__ import annotations

import getpass
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from workbench.cli import options, output
from workbench.errors import UsageError

if TYPE_CHECKING:
    from workbench.archive.pinning import Pinned


@options.command("pin")
@click.argument("call_id")
@options.archive
@click.option("--label", "label_id", metavar="LABEL", help="A label that stands.")
@click.option("--at", "at_s", type=float, metavar="SECONDS", help="Label this moment now, on the call's clock.")
@click.option("--expect", type=click.Choice(["yield", "hold"]), help="With --at: stop for the caller, or go on.")
@click.option("--max-time-to-yield-s", type=float, metavar="SECONDS", help="With --at: bound of this moment.")
@click.option("--max-talk-over-s", type=float, metavar="SECONDS", help="With --at: bound of this moment.")
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
    pre_s: float,
    post_s: float,
    folder: str,
    sign_key_env: str | None,
    author: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Pin a labelled moment of a call: clip, frames, policy, label and digests in a new folder DIR/<id>.contract.

    The clip is measured as a recording of its own; where its verdict is not that of the whole call nothing is
    written. It holds the voices of the call: handle it as a recording.

    --at adds a label to the archive, and says so; --label adds none. Both note the contract in the archive's
    `contracts`; with --label an archive that cannot be written will do, and then has no such row.

    \b
    Examples:
      workbench pin CALL --label LABEL
      workbench pin CALL --at 3.0 --expect yield --max-talk-over-s 1 -o contracts
    """
    from workbench.archive.archive import Archive
    from workbench.archive.pinning import pin
    from workbench.timing.contracts.members import key_from

    bounds = (max_time_to_yield_s, max_talk_over_s)
    mixed = label_id is not None and (expect is not None or any(bound is not None for bound in bounds))
    if (label_id is None) == (at_s is None) or (at_s is None) != (expect is None) or mixed:
        raise UsageError(
            "say which moment to pin",
            hint="--label LABEL; or --at SECONDS with --expect yield or hold, and its bounds",
        )
    key = key_from(sign_key_env)
    expectation = None
    if at_s is not None:
        given = {"max_time_to_yield_s": max_time_to_yield_s, "max_talk_over_s": max_talk_over_s}
        expectation = {"onset_s": at_s, "expect": expect or "", **given}
    who = author if author is not None else getpass.getuser()
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
            archive.score()
    if not quiet:
        _tell_of_archive(pinned, who, call_id=call_id, archive_path=archive_path)
    if as_json:
        contract = msgspec.to_builtins(pinned.contract)
        told = {"folder": str(pinned.folder), "label_id": pinned.label_id, "contract": contract}
        output.json_line({**told, "label_added": pinned.label_added, "recorded": pinned.recorded})
    elif not quiet:
        _tell(pinned, signed=key is not None)


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


def _tell(pinned: Pinned, *, signed: bool) -> None:
    from workbench.timing.contracts.levels import CLAIMS
    from workbench.timing.contracts.members import UNSIGNED

    contract = pinned.contract
    found = contract.measurement
    click.echo(output.safe(f"{found['status']}: {contract.label.expect} at {contract.label.onset_s:g} s of the clip"))
    click.echo(output.safe(f"{pinned.folder} ({'signed' if signed else UNSIGNED})"))
    if found["boundary_sensitive"]:
        click.echo(
            f"within one hop of its bound (margin {found['decision_margin_s']:+g} s): another take may fall either way"
        )
    for name, whole, clip in pinned.differences:
        click.echo(f"{name} is {_shown(clip)} in the clip and {_shown(whole)} in the whole call")
    click.echo(CLAIMS[contract.evidence_level].sentence)


def _shown(value: float | None) -> str:
    return "not measured" if value is None else f"{value:g}"
