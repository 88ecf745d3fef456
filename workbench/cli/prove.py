"""`workbench prove`: contracts measured again from their own sound."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from workbench.cli import options, output
from workbench.errors import Exit

if TYPE_CHECKING:
    from workbench.timing.contracts.proving import Proof


@options.command("prove")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=click.Path())
@click.option("--junit", type=click.Path(dir_okay=False), metavar="FILE", help="Write the results as JUnit XML too.")
@click.option("--sign-key-env", metavar="NAME", help="Environment variable that holds the key they were signed with.")
@click.option("--require-signature", is_flag=True, help="Refuse a contract that is not signed with that key.")
@options.as_json
@options.quiet
def command(
    paths: tuple[str, ...],
    *,
    junit: str | None,
    sign_key_env: str | None,
    require_signature: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure contracts again: folders, packed files, or folders of them.

    Each gives PASS, FAIL, TAMPERED (a digest does not fit, a file is not declared, or the stored frames are not those
    of the clip) or REFUSED (no verdict, or unreadable). Exit code of several, the first that holds: 1 where any is
    FAIL or TAMPERED, whatever the others are; 2 where any is REFUSED, or there is none; 0 where all are PASS. The
    counts, and --json, tell them apart.

    \b
    Examples:
      workbench prove contracts/
      workbench prove ct-0123456789ab.contract.zip --sign-key-env CONTRACT_KEY
    """
    from workbench.archive.runs import workbench_version
    from workbench.report.new_file import require_place, write_whole
    from workbench.timing.contracts.junit import xml
    from workbench.timing.contracts.members import key_from
    from workbench.timing.contracts.proving import STATUSES, claim_of, contracts_in, counted_once, prove

    key = key_from(sign_key_env)
    if junit is not None:
        require_place(junit, kind="xml")
    found = contracts_in([Path(path) for path in paths])
    proofs = prove(found, engine=workbench_version(), key=key, require_signature=require_signature)
    once = counted_once(proofs)
    counted = Counter(proof.status for proof in once)
    counts = {status: counted[status] for status in STATUSES}
    claim = claim_of(once)
    if junit is not None:
        write_whole(junit, xml(once, claim=claim), kind="xml")
    if as_json:
        output.json_line({"counts": counts, "claim": claim, "contracts": [msgspec.to_builtins(p) for p in proofs]})
    elif not quiet:
        _tell(once)
        for proof in proofs:
            if proof.same_contract_as is not None:
                click.echo(
                    output.one_line(f"{proof.path}: the same contract as {proof.same_contract_as}, counted once")
                )
        click.echo(", ".join(f"{count} {status}" for status, count in counts.items()))
        click.echo(claim)
    if counts["FAIL"] or counts["TAMPERED"]:
        sys.exit(Exit.GATE_FAILED)
    if counts["REFUSED"]:
        sys.exit(Exit.REFUSED)


def _tell(proofs: list[Proof]) -> None:
    names = ("status", "contract", "expect", "yield s", "talk-over s", "made with", "now", "authenticity", "reason")
    output.table(names, [_row(proof) for proof in proofs])
    for proof in proofs:
        for name, stored, now in proof.drift:
            click.echo(
                output.one_line(f"{proof.contract_id}: {name} was {stored} ({proof.engine_stored}) and is {now}")
            )
        if proof.frames_drift:
            click.echo(
                f"{proof.contract_id}: {output.plural(proof.frames_drift, 'frame')} measured otherwise than stored"
            )
        for other in proof.same_audio_as:
            click.echo(
                output.one_line(f"{proof.contract_id}: the same recording as {other}; both are one piece of evidence")
            )


def _row(proof: Proof) -> tuple[Any, ...]:
    now = proof.now or {}
    return (
        proof.status,
        proof.contract_id or proof.path,
        proof.expect,
        now.get("time_to_yield_s"),
        now.get("talk_over_s"),
        proof.engine_stored,
        proof.engine_now,
        proof.authenticity,
        proof.reason,
    )
