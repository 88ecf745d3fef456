"""`workbench unpack`: a packed contract from anybody, into a folder once every check holds."""

from __future__ import annotations

from pathlib import Path

import click

from workbench.cli import options, output


@options.command("unpack")
@click.argument("file", type=click.Path(dir_okay=False))
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False))
@click.option(
    "--max-bytes",
    type=click.IntRange(1, 1 << 40),
    default=512 << 20,
    show_default="512 MiB",
    help="Most bytes that may come out of it.",
)
@options.as_json
@options.quiet
def command(file: str, folder: str, *, max_bytes: int, as_json: bool, quiet: bool) -> None:
    """Unpack a contract into a new folder DIR/<id>.contract. A file that is not quite right leaves nothing behind.

    It must be byte for byte what `workbench pack` makes of its files: nothing before, between or after them. What
    `workbench prove` refuses to measure is not unpacked. Whether the moment passes only proving tells.

    \b
    Example:
      workbench unpack ct-0123456789ab.contract.zip contracts/
    """
    from workbench.timing.contracts.document import decode
    from workbench.timing.contracts.members import DOCUMENT, SUFFIX
    from workbench.timing.contracts.packing import unpacked
    from workbench.timing.contracts.placing import placed
    from workbench.timing.contracts.validity import require_valid

    files = unpacked(Path(file), max_bytes=max_bytes)
    contract = decode(files[DOCUMENT], where=file)
    require_valid(contract, files, where=file)
    target = Path(folder) / f"{contract.contract_id}{SUFFIX}"
    with placed(target, files):
        pass
    if as_json:
        output.json_line({"folder": str(target), "contract_id": contract.contract_id, "members": sorted(files)})
    elif not quiet:
        click.echo(output.one_line(target))
