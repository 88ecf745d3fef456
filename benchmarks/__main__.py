"""Run the benchmarks: `python -m benchmarks [--quick] [--only NAME,...] [--json FILE]`."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks import machine

NAMES = (
    "folder",
    "growth",
    "long_calls",
    "frames",
    "frame_size",
    "startup",
    "queries",
    "many_frames",
    "turns",
    "verdicts",
    "timing_sweep",
    "timing_truth",
    "refined_tuning",
    "notebook",
    "jsonl",
)
SIZES = ("tiny", "quick", "full")


def main(arguments: list[str] | None = None) -> None:
    """Print the machine, then the tables of every benchmark as each ends."""
    asked = _asked(arguments)
    facts = machine.facts()
    print(f"## Benchmarks, size {asked.size}\n")
    for name, value in facts.items():
        print(f"- {name}: {value}")
    found: dict[str, Any] = {}
    for name in asked.only:
        with tempfile.TemporaryDirectory(prefix="workbench-bench-", dir=asked.scratch) as scratch:
            tables = import_module(f"benchmarks.{name}").run(asked.size, Path(scratch))
        found[name] = [table.data() for table in tables]
        for table in tables:
            print(f"\n{table.text()}", flush=True)
        if asked.json is not None:
            asked.json.write_text(
                json.dumps({"machine": facts, "size": asked.size, "benchmarks": found}, indent=1) + "\n",
                encoding="utf-8",
            )


def _asked(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="full", help="tiny only shows that everything runs")
    parser.add_argument(
        "--quick", dest="size", action="store_const", const="quick", help="smaller inputs, fewer rounds"
    )
    parser.add_argument("--only", metavar="NAME,...", type=_names, default=NAMES, help=", ".join(NAMES))
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the tables here as well")
    parser.add_argument("--scratch", metavar="DIR", type=Path, help="where inputs and archives are made; removed after")
    return parser.parse_args(arguments)


def _names(text: str) -> tuple[str, ...]:
    names = tuple(text.split(","))
    for name in names:
        if name not in NAMES:
            raise argparse.ArgumentTypeError(f"no benchmark {name!r}; there are {', '.join(NAMES)}")
    return names


if __name__ == "__main__":
    main(sys.argv[1:])
