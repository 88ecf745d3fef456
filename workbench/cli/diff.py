"""`workbench diff`: two assertion runs over the calls they share."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import interruptible, options, output
from workbench.decimals import points
from workbench.errors import Exit, UsageError

if TYPE_CHECKING:
    import polars as pl

    from workbench.archive.archive import Archive
    from workbench.assertions import Diff


@options.command("diff")
@click.argument("run_a")
@click.argument("run_b")
@options.archive
@click.option("--strict", is_flag=True, help="Exit 1 when anything broke.")
@options.as_json
@options.quiet
def command(run_a: str, run_b: str, archive_path: str, *, strict: bool, as_json: bool, quiet: bool) -> None:
    """Compare two assertion runs, named by run id or label, call by call.

    Calls that both runs judged are compared one by one. Calls that only the later run has are compared as a
    group with the calls of the earlier one, and never counted as fixed or broken.

    \b
    Example:
      workbench diff before after --strict
    """
    from workbench.archive.archive import Archive
    from workbench.assertions import compare_runs

    with Archive(archive_path) as archive:
        runs, cautions, frames = interruptible.run(lambda: _read(archive, [run_a, run_b]))
    diff = compare_runs(frames[0], frames[1])
    if as_json:
        output.json_line({"before": runs[0], "after": runs[1], "cautions": cautions} | _values(diff))
    elif not quiet:
        _tell(diff)
        for caution in cautions:
            click.echo(output.safe(f"caution: {caution}"))
    if strict and diff.verdict == "REGRESSION":
        sys.exit(Exit.GATE_FAILED)


def _read(archive: Archive, names: list[str]) -> tuple[list[str], list[str], list[pl.DataFrame]]:
    """Return the ids of the runs, what else changed between them, and their results."""
    found = [_run(archive, name) for name in names]
    runs = [run for run, _ in found]
    cautions = [
        f"{count} runs have the label {name!r}; the newest is taken, {run}"
        for name, (run, count) in zip(names, found, strict=True)
        if count > 1
    ]
    query = "from assertion_results where run_id = $run"
    return runs, cautions + _cautions(archive, runs), [archive.reader.frame(query, {"run": run}) for run in runs]


def _values(diff: Diff) -> dict[str, Any]:
    """Return a diff as JSON values."""
    frames = {name: getattr(diff, name).to_dicts() for name in ("by_assertion", "added_failures", "groups")}
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
            " -> ".join(_passed(row, side) for side in ("before", "after")),
            row["broke"],
            row["fixed"],
            row["became_inconclusive"],
            _difference(row),
        )
        for row in diff.by_assertion.to_dicts()
    ]
    rate = "pass rate, after - before (95 %, exact p)"
    head = ["assertion", "calls", "passed of judged", "broke", "fixed", "lost", rate]
    output.table(head, rows)
    for row in diff.changes.filter(diff.changes["change"] != "unchanged").to_dicts():
        if row["change"] != "still_failing":
            click.echo(
                output.safe(
                    f"{row['change']}: {row['assertion_id']} on {row['call_id']} ({row['before']} -> {row['after']})"
                )
            )
    if diff.groups.height:
        _tell_groups(diff)
    for name in ("removed_calls", "added_assertions", "removed_assertions"):
        if getattr(diff, name):
            words = name.replace("_", " ")
            click.echo(output.safe(f"{words}, not compared: {', '.join(getattr(diff, name)[:10])}"))


def _passed(row: dict[str, Any], side: str) -> str:
    """Return what passed of what was judged: a call that could not be judged neither passes nor fails."""
    passed = row[f"{side}_pass"]
    return f"{passed} of {passed + row[f'{side}_fail']}"


def _tell_groups(diff: Diff) -> None:
    """Print the added calls as a group against the calls of the earlier run."""
    level = 100 * diff.groups["confidence"][0]
    click.echo(
        f"\n{output.plural(len(diff.added_calls), 'call')} only in the later run, against the earlier run's calls:"
    )
    rows = [
        (
            row["assertion_id"],
            f"{row['before_pass']}/{row['before_trials']}",
            f"{row['added_pass']}/{row['added_trials']}",
            f"{points(row['difference'])} points ({points(row['low'])} to {points(row['high'])})",
        )
        for row in diff.groups.to_dicts()
    ]
    output.table(["assertion", "earlier calls", "added calls", f"pass rate, added - earlier ({level:.1f} %)"], rows)


def _difference(row: dict[str, Any]) -> str:
    """Return the paired difference of pass rates with its interval and its exact p."""
    if not row["pairs"]:
        return "no pairs"
    low, high = points(row["difference_low"]), points(row["difference_high"])
    return f"{points(row['difference'])} points ({low} to {high}, p {row['p_exact']:.2g})"


def _cautions(archive: Archive, runs: list[str]) -> list[str]:
    """Say what else changed between the runs, so that a difference is not laid to the agent."""
    read = "from runs select config where run_id = $run"
    before, after = (json.loads(archive.reader.rows(read, {"run": run})[1][0][0]) for run in runs)
    words = {"pack": "packs", "version": "versions of the pack", "measured_with": "measuring configs"}
    return [
        f"the runs rest on different {what} ({before.get(key)} and {after.get(key)}): a change may be the ruler's"
        for key, what in words.items()
        if before.get(key) != after.get(key)
    ]


def _run(archive: Archive, name: str) -> tuple[str, int]:
    """Return the newest run of that id or label, and how many there are."""
    order = "order by started_at desc"
    query = f"from runs select run_id where kind = 'assert' and (run_id = $name or label = $name) {order}"
    rows = archive.reader.rows(query, {"name": name})[1]
    if not rows:
        raise UsageError(
            f"no assertion run {name!r}",
            where=str(archive.path),
            hint=archive.layout.command(
                "workbench sql \"select run_id, label, started_at from runs where kind = 'assert'\""
            ),
        )
    return str(rows[0][0]), len(rows)
