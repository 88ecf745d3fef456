"""`workbench diff`: two assertion runs over the calls they share."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from workbench.cli import options, output
from workbench.errors import Exit, UsageError

if TYPE_CHECKING:
    from workbench.archive.archive import Archive


@options.command("diff")
@click.argument("run_a")
@click.argument("run_b")
@options.archive
@click.option("--strict", is_flag=True, help="Exit 1 when anything broke.")
@options.as_json
def command(run_a: str, run_b: str, archive_path: str, *, strict: bool, as_json: bool) -> None:
    """Compare two assertion runs, named by run id or label, call by call.

    Calls that only one run has are listed apart and never counted as fixed or broken.

    \b
    Example:
      workbench diff before after --strict
    """
    import msgspec

    from workbench.archive.archive import Archive
    from workbench.assertions import compare_runs

    with Archive(archive_path) as archive:
        runs = [_run(archive, name) for name in (run_a, run_b)]
        frames = [
            archive.reader.frame("from assertion_results where run_id = $run", {"run": run}) for run in runs
        ]
    diff = compare_runs(frames[0], frames[1])
    if as_json:
        output.json_line({"before": runs[0], "after": runs[1]} | msgspec.to_builtins(diff))
    else:
        click.echo(output.safe(diff.text()))
    if strict and diff.verdict == "REGRESSION":
        sys.exit(Exit.GATE_FAILED)


def _run(archive: Archive, name: str) -> str:
    query = "select run_id from runs where kind = 'assert' and (run_id = $name or label = $name) order by started_at desc"
    rows = archive.reader.rows(query, {"name": name})[1]
    if not rows:
        raise UsageError(
            f"no assertion run {name!r}",
            where=str(archive.path),
            hint="workbench sql \"select run_id, label, started_at from runs where kind = 'assert'\"",
        )
    return str(rows[0][0])
