"""`workbench history`: every snapshot of an archive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.cli import interruptible, options, output

Runs = Sequence[tuple[str, Mapping[str, Any]]]

_WITHOUT_A_RUN = {
    "schemas_created": ("init", "archive made; no tables to read yet"),
    "tables_created": ("init", "tables made"),
    "merge_adjacent": ("clean-up", "small files merged"),
    "rewrite_delete": ("clean-up", "files rewritten"),
}
_OF_CALLS = frozenset({"new", "replaced", "unchanged"})


@options.command("history")
@options.archive
@options.as_json
def command(archive_path: str, *, as_json: bool) -> None:
    """List the snapshots of an archive: number, time, what made it, what it counted.

    Read an older one with --as-of N, once its tables were made. --json gives them as DuckLake keeps them.
    """
    from workbench.archive.archive import Archive
    from workbench.archive.snapshot_runs import deletions, snapshot_runs

    with Archive(archive_path) as archive:
        rows = interruptible.run(archive.history)
        runs = {} if as_json else interruptible.run(lambda: snapshot_runs(archive.reader))
        cut = None if as_json else interruptible.run(lambda: deletions(archive.reader))
    if as_json:
        output.json_line(rows)
        return
    shown = [
        (row["snapshot_id"], f"{row['snapshot_time']:%Y-%m-%d %H:%M:%S}", *told(row, runs.get(row["snapshot_id"], [])))
        for row in rows
    ]
    if cut is not None and rows and rows[0]["snapshot_id"] > 0:
        count, gone, last = cut
        said = (
            f"{output.plural(count, 'deletion')}, {output.plural(gone, 'row')}; the snapshots until then ended with it"
        )
        last_ix = rows[0]["snapshot_id"] - 1
        shown.insert(0, (f"0 to {last_ix}", f"{last:%Y-%m-%d %H:%M:%S}", "delete", said))
    output.table(["snapshot", "when (UTC)", "what", "changed"], shown)


def told(row: Mapping[str, Any], runs: Runs) -> tuple[str, str]:
    """Return what made a snapshot and what changed with it.

    Parameters
    ----------
    row : mapping
        A row of :meth:`workbench.archive.archive.Archive.history`.
    runs : sequence of tuple
        Kind and counts of the runs that wrote it.

    Returns
    -------
    tuple of str
        Such as ("import", "52 calls new, 1 file refused").
    """
    if runs:
        said = "; ".join(_checked(counts) if kind == "assert" else counted(counts) for kind, counts in runs)
        _, _, named = (row["commit_message"] or "").partition(" ")
        return ", ".join(kind for kind, _ in runs), f"{said} ({named})" if named else said
    for change, words in _WITHOUT_A_RUN.items():
        if change in row["changes"]:
            return words
    return row["commit_message"] or "", ", ".join(name.replace("_", " ") for name in sorted(row["changes"]))


def counted(counts: Mapping[str, Any]) -> str:
    """Return the counts of a run in words; what is 0 is left out.

    Parameters
    ----------
    counts : mapping
        The column `counts` of the table `runs`.

    Returns
    -------
    str
        "nothing" where all is 0.
    """
    words = []
    for name, count in counts.items():
        if isinstance(count, Mapping):
            words += [_refused(part, number) for part, number in count.items() if number]
        elif isinstance(count, int) and count and name in _OF_CALLS:
            words.append(f"{output.plural(count, 'call')} {name}")
        elif isinstance(count, int) and count:
            words.append(output.plural(count, name.removesuffix("s")) if name.endswith("s") else f"{count:,} {name}")
    kept = [name for name, count in counts.items() if isinstance(count, list)]  # a baseline: sums and numbers
    return ", ".join(words + kept) or "nothing"


def _checked(counts: Mapping[str, Any]) -> str:
    """Verdicts and findings apart: a check that fails on a call may find several faults there."""
    verdicts = {name: count for name, count in counts.items() if name != "findings"}
    found = counted({"findings": counts["findings"]}) if counts.get("findings") else "no findings"
    return f"a verdict a check and call: {counted(verdicts)}; {found}" if "findings" in counts else counted(counts)


def _refused(scope: str, count: int) -> str:
    """Notes are kept with the refusals, and refuse nothing."""
    return output.plural(count, scope) + ("" if scope == "note" else " refused")
