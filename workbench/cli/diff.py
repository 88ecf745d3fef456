"""`workbench diff`: two assertion runs over the calls they share."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import options, output
from workbench.errors import Exit, UsageError

if TYPE_CHECKING:
    from workbench.archive.archive import Archive
    from workbench.assertions import Diff


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
    from workbench.archive.archive import Archive
    from workbench.assertions import compare_runs

    with Archive(archive_path) as archive:
        runs = [_run(archive, name) for name in (run_a, run_b)]
        frames = [archive.reader.frame("from assertion_results where run_id = $run", {"run": run}) for run in runs]
    diff = compare_runs(frames[0], frames[1])
    if as_json:
        output.json_line({"before": runs[0], "after": runs[1]} | _values(diff))
    else:
        _tell(diff)
    if strict and diff.verdict == "REGRESSION":
        sys.exit(Exit.GATE_FAILED)


def _values(diff: Diff) -> dict[str, Any]:
    """Return a diff as JSON values."""
    frames = {name: getattr(diff, name).to_dicts() for name in ("by_assertion", "added_failures")}
    changed = diff.changes.filter(diff.changes["change"] != "unchanged").to_dicts()
    lists = "added_calls removed_calls added_assertions removed_assertions".split()
    return {"verdict": diff.verdict, "changes": changed} | frames | {name: getattr(diff, name) for name in lists}


def _tell(diff: Diff) -> None:
    """Print a diff: the verdict, each assertion with its interval, each call that changed."""
    click.echo(diff.verdict)
    rows = [
        (
            row["assertion_id"],
            row["calls_shared"],
            f"{row['before_pass']} -> {row['after_pass']}",
            row["broke"],
            row["fixed"],
            row["became_inconclusive"],
            _difference(row),
        )
        for row in diff.by_assertion.to_dicts()
    ]
    head = ["assertion", "calls", "passed", "broke", "fixed", "lost", "pass rate, after - before (95 %)"]
    output.table(head, rows)
    for row in diff.changes.filter(diff.changes["change"] != "unchanged").to_dicts():
        if row["change"] != "still_failing":
            click.echo(
                output.safe(
                    f"{row['change']}: {row['assertion_id']} on {row['call_id']} ({row['before']} -> {row['after']})"
                )
            )
    for name in ("added_calls", "removed_calls", "added_assertions", "removed_assertions"):
        if getattr(diff, name):
            words = name.replace("_", " ")
            click.echo(output.safe(f"{words}, not compared: {', '.join(getattr(diff, name)[:10])}"))
    if diff.added_failures.height:
        click.echo(f"failures on added calls or assertions, no regression: {diff.added_failures.height}")


def _difference(row: dict[str, Any]) -> str:
    """Return the paired difference of pass rates with its interval, discordant counts and exact p."""
    if not row["pairs"]:
        return "no pairs"
    low, high = 100 * row["difference_low"], 100 * row["difference_high"]
    discordant = f"b {row['b']}, c {row['c']}, p {row['p_exact']:.2g}"
    return f"{100 * row['difference']:+.0f} points ({low:+.0f} to {high:+.0f}); {discordant}"


def _run(archive: Archive, name: str) -> str:
    order = "order by started_at desc"
    query = f"from runs select run_id where kind = 'assert' and (run_id = $name or label = $name) {order}"
    rows = archive.reader.rows(query, {"name": name})[1]
    if not rows:
        raise UsageError(
            f"no assertion run {name!r}",
            where=str(archive.path),
            hint="workbench sql \"select run_id, label, started_at from runs where kind = 'assert'\"",
        )
    return str(rows[0][0])
