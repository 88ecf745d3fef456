"""Printing: the report to stdout, progress to stderr, nothing from a transcript that moves the cursor."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200e\u200f]")


def safe(value: Any) -> str:
    """Return a value as text without control characters and bidi marks."""
    return _CONTROL.sub("\ufffd", str(value))


def cell(value: Any) -> str:
    """Return a table cell: empty for None, short decimals for floats, one line."""
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.0f}"
    return safe(value).replace("\n", "⏎").replace("\t", " ")


def table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows as aligned columns; numbers to the right; wide text cut when stdout is a terminal."""
    cells = [[cell(value) for value in row] for row in rows]
    numeric = [
        bool(rows) and all(isinstance(row[i], (int, float)) or row[i] is None for row in rows)
        for i in range(len(names))
    ]
    limit = 60 if sys.stdout.isatty() else 10_000
    widths = [min(limit, max([len(name), *(len(row[i]) for row in cells)])) for i, name in enumerate(names)]

    def line(values: Sequence[str]) -> str:
        parts = []
        for value, width, right in zip(values, widths, numeric, strict=True):
            short = value if len(value) <= width else value[: width - 1] + "…"
            parts.append(short.rjust(width) if right else short.ljust(width))
        return "  ".join(parts).rstrip()

    click.echo(line(list(names)))
    click.echo("  ".join("─" * width for width in widths))
    for row in cells:
        click.echo(line(row))


def json_line(value: Any) -> None:
    """Print a value as JSON with sorted keys."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2).decode())


@contextmanager
def progress(title: str, *, unit: str, quiet: bool = False) -> Iterator[Callable[[float, float], None]]:
    """Show a progress bar on stderr while the block runs; silent when stderr is no terminal.

    Yields
    ------
    callable
        Takes what is done and what there is in all.
    """
    if quiet or not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(title), BarColumn(), TextColumn("{task.completed:.0f}/{task.total:.0f} " + unit))
    with Progress(*columns, TimeRemainingColumn(), console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=1.0)
        yield lambda done, total: bar.update(task, completed=done, total=max(total, 1e-9))


def program() -> str:
    """Return what to type for `workbench` here: the name, or the path where it is not on the PATH."""
    if shutil.which("workbench"):
        return "workbench"
    return os.path.relpath(sys.argv[0]) if Path(sys.argv[0]).name == "workbench" else "python -m workbench"


def plural(count: int, noun: str, *, many: str | None = None) -> str:
    """Return "1 call", "2 calls"."""
    return f"{count} {noun if count == 1 else many or noun + 's'}"
