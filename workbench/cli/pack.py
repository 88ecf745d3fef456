"""`workbench pack`: a contract as one file."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import options, output


@options.command("pack")
@click.argument("contract", type=click.Path())
@click.option("-o", "target", type=click.Path(dir_okay=False), required=True, metavar="FILE")
@click.option("--sign-key-env", metavar="NAME", help="Environment variable that holds a key to sign with.")
@options.as_json
@options.quiet
def command(contract: str, *, target: str, sign_key_env: str | None, as_json: bool, quiet: bool) -> None:
    """Pack a contract's folder into one file FILE, the same bytes each time.

    A contract with a digest that does not fit is not packed. A signature that is there is kept, unless a key
    gives a new one.

    \b
    Example:
      workbench pack contracts/ct-0123456789ab.contract -o ct-0123456789ab.contract.zip
    """
    from workbench.report.new_file import require_place, whole
    from workbench.timing.contracts.members import SIGNATURE, UNSIGNED, key_from
    from workbench.timing.contracts.packing import packed, verified

    key = key_from(sign_key_env)
    require_place(target, kind="contract")
    files = verified(Path(contract), key=key)
    content = packed(files)
    with whole(target, kind="contract") as file:
        file.write(content)
    signed = SIGNATURE in files
    if as_json:
        output.json_line({"file": target, "byte_count": len(content), "members": sorted(files), "signed": signed})
    elif not quiet:
        click.echo(
            output.one_line(f"{target}: {output.plural(len(content), 'byte')}, {'signed' if signed else UNSIGNED}")
        )
