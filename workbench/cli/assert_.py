"""`workbench assert`: a pack of checks over every call."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import interruptible, options, output
from workbench.decimals import percent
from workbench.errors import Exit, UsageError

if TYPE_CHECKING:
    from workbench.archive.archive import Archive

_COUNTS = "pass fail inconclusive not_scorable skipped error".split()


HIGH = "select count(*) from call_verdicts where run_id = $run and severity = 'high'"


@options.command("assert")
@click.argument("file", required=False, type=click.Path())
@options.archive
@click.option("--pack", "pack_name", help="A pack that comes with the workbench, for instance caller-experience.")
@click.option("--label", help="Name of the run, for `workbench diff`.")
@click.option("--strict", is_flag=True, help="Exit 1 when any call has a high finding.")
@options.as_json
@options.quiet
def command(
    file: str | None,
    archive_path: str,
    pack_name: str | None,
    label: str | None,
    *,
    strict: bool,
    as_json: bool,
    quiet: bool,
) -> None:
    """Check every call with a pack (a FILE, or --pack NAME) and keep the verdicts.

    \b
    Example:
      workbench assert --pack caller-experience --label before
    """
    from workbench.archive.archive import Archive
    from workbench.archive.asserting import assert_pack
    from workbench.assertions import load_pack

    if (file is None) == (pack_name is None):
        raise UsageError("give a FILE or --pack NAME", hint="workbench assert --pack caller-experience")
    pack = load_pack(Path(file) if file else pack_name or "")
    with Archive(archive_path) as archive:
        done = assert_pack(archive.layout, pack, label=label)
        names, rows = pass_rates(archive, done.run_id)
        failed = strict and high_calls(archive, done.run_id)
    found = [dict(zip(names, row, strict=True)) for row in rows]
    if as_json:
        output.json_line({"run_id": done.run_id, "assertions": found})
    elif not quiet:
        click.echo(f"run {done.run_id}")
        tell(found)
    if failed:
        sys.exit(Exit.GATE_FAILED)


def high_calls(archive: Archive, run_id: str) -> int:
    """Return how many verdicts of a run rest on a high finding, of a check that is high or of one that became it."""
    from workbench.archive.lake import read_once

    rows = interruptible.run(lambda: read_once(archive.layout, lambda reader: reader.rows(HIGH, {"run": run_id})))[1]
    return int(rows[0][0])


def pass_rates(archive: Archive, run_id: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the rows of `assertion_pass_rate` of a run, the worst first."""
    from workbench.archive.lake import read_once

    query = "from assertion_pass_rate where run_id = $run order by pass_rate nulls last, fail_count desc, assertion_id"
    return interruptible.run(lambda: read_once(archive.layout, lambda reader: reader.rows(query, {"run": run_id})))


def tell(found: list[dict[str, Any]]) -> None:
    """Print an assertion run: counts, rate and interval, and what could not be judged."""
    rows = [
        (
            row["assertion_id"],
            row["severity"],
            interval(
                row["pass_count"],
                row["trial_count"],
                row["pass_rate"],
                row["pass_rate_low"],
                row["pass_rate_high"],
            ),
            *(row[f"{name}_count"] for name in _COUNTS[1:]),
        )
        for row in found
    ]
    output.table(["assertion", "severity", "passed (rate, 95 %)", *_COUNTS[1:]], rows)


def interval(count: int, trials: int, rate: float | None, low: float | None, high: float | None) -> str:
    """Return counts, rate and interval, in that order: "4/5 (80 %, 38-96)"."""
    if rate is None or low is None or high is None:
        return f"{count}/{trials}"
    return f"{count}/{trials} ({percent(rate)} %, {percent(low)}-{percent(high)})"
