"""Time until a command answers, as a fresh process, against Python alone and an `import duckdb`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measured import WORKBENCH, interleaved, process
from benchmarks.tables import Table, seconds, timing

ROUNDS = {"tiny": 1, "quick": 7, "full": 21}
NOTHING = "python -c pass"
HELP = "workbench --help"
SQL = 'workbench sql "select 1"'
VIEW = 'workbench sql "from worst_calls limit 5"'


def run(size: str, scratch: Path) -> list[Table]:
    """Measure on the demo archive (tiny: on an empty one). Files lie in the page cache; processes are new."""
    if size == "tiny":
        process([*WORKBENCH, "init", "--archive", scratch / "demo" / "archive"])
    else:
        process([*WORKBENCH, "demo", scratch / "demo", "--quiet"])
    archive = ["--archive", scratch / "demo" / "archive"]
    commands: dict[str, Sequence[str | Path]] = {
        NOTHING: [sys.executable, "-c", "pass"],
        'python -c "import duckdb"': [sys.executable, "-c", "import duckdb"],
        HELP: [*WORKBENCH, "--help"],
        SQL: [*WORKBENCH, "sql", "select 1", *archive],
        VIEW: [*WORKBENCH, "sql", "from worst_calls limit 5", *archive],
    }
    found = interleaved(
        {name: (lambda words=words: process(words)) for name, words in commands.items()}, rounds=ROUNDS[size]
    )
    title = f"startup: fresh processes on the demo archive, {ROUNDS[size]} rounds"
    table = timing(title, found, peer=NOTHING, memory=True)
    for name, bound in ((HELP, 0.3), (SQL, 1.0)):
        took = found[name].median()
        by_cpu = f"{seconds(took)} by wall, {seconds(found[name].median('cpu_s'))} by CPU"
        table.target(f"{name} below {bound:g} s", found=by_cpu, reached=took < bound, size=size)
    return [table]
