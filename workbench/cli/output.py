"""Printing: the report to stdout, progress to stderr, nothing from a transcript that moves the cursor."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import click

from workbench.decimals import decimals
from workbench.plural import plural as plural  # noqa: PLC0414 - commands find it here
from workbench.text.visible import marked

_NARROWEST = 6
_BROADEST = 60
"""A column of a table that a program reads is no broader; a longer text is whole, and its row goes out of line."""

_NEVER_CUT = re.compile(r"(?:.* |.*_)?ids?|assertion|call|contract|file|label|moment|recording|run", re.IGNORECASE)
"""Columns of what is typed or pasted again."""


def safe(value: Any) -> str:
    """Return a value as text whose control characters and hidden marks are written as code points."""
    return marked(str(value))


def one_line(value: Any) -> str:
    """Return a value as :func:`safe` does, on one line: a name with a line feed in it forges no line of a report."""
    return safe(value).replace("\n", "⏎")


def were(count: int) -> str:
    """Return "1 was", "2 were"."""
    return f"{count:,} {'was' if count == 1 else 'were'}"


def is_terminal() -> bool:
    """Tell whether a person reads stdout as it is printed."""
    return sys.stdout is not None and sys.stdout.isatty()


def data(text: str) -> None:
    """Print data: as it is for a program or a file, without what moves the cursor for a terminal."""
    click.echo(safe(text) if is_terminal() else text, nl=False, color=True)  # else click takes escapes out


def cell(value: Any) -> str:
    """Return a table cell: empty for None, plain decimals for floats, one line."""
    if value is None:
        return ""
    if isinstance(value, float):
        return decimals(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    return one_line(value).replace("\t", " ")


def table(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows as aligned columns, numbers to the right.

    On a terminal the widest texts are cut to fit, numbers and ids never; elsewhere nothing is.
    """
    head = [cell(name) for name in names]
    cells = [[cell(value) for value in row] for row in rows]
    numeric = [
        bool(rows) and all(isinstance(row[i], (int, float, Decimal)) or row[i] is None for row in rows)
        for i in range(len(names))
    ]
    inner = [max([0, *(breadth(row[i]) for row in cells)]) for i in range(len(names))]
    widths = [max(breadth(name), width) for name, width in zip(head, inner, strict=True)]
    terminal = is_terminal()
    if terminal:
        whole = [right or _NEVER_CUT.fullmatch(name) for name, right in zip(head, numeric, strict=True)]
        floors = [width if kept else _NARROWEST for width, kept in zip(inner, whole, strict=True)]
        widths = fitted(widths, floors, shutil.get_terminal_size().columns)
    else:
        widths = [width if right else min(width, _BROADEST) for width, right in zip(widths, numeric, strict=True)]

    def line(values: Sequence[str]) -> str:
        parts = []
        for value, width, right in zip(values, widths, numeric, strict=True):
            short = cut(value, width) if terminal else value
            space = " " * (width - breadth(short))
            parts.append(space + short if right else short + space)
        return "  ".join(parts).rstrip()

    click.echo(line(head))
    click.echo("  ".join("─" * width for width in widths))
    for row in cells:
        click.echo(line(row))


def fitted(widths: Sequence[int], floors: Sequence[int], room: int) -> list[int]:
    """Return widths of columns that fit into a line, two spaces between them; the widest give way first.

    Parameters
    ----------
    widths : sequence of int
        What the columns would like to have.
    floors : sequence of int
        What each keeps, however little room there is.
    room : int
        Width of the line.
    """
    cap = max([0, *widths])
    while cap > 0:
        fit = [min(width, max(floor, cap)) for width, floor in zip(widths, floors, strict=True)]
        if sum(fit) + 2 * (len(fit) - 1) <= room:
            return fit
        cap = min(cap, room + 1) - 1
    return [min(width, floor) for width, floor in zip(widths, floors, strict=True)]


def breadth(text: str) -> int:
    """Return how many places of a terminal a text takes: two for a wide character, none for a mark on one."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )


def cut(text: str, width: int) -> str:
    """Return a text no broader than `width`, with an ellipsis where something is missing."""
    if breadth(text) <= width:
        return text
    kept = text[: max(width - 1, 0)]
    while breadth(kept) > width - 1 and kept:
        kept = kept[:-1]
    return kept + "…"


def json_line(value: Any) -> None:
    """Print a value as JSON with sorted keys."""
    import msgspec

    data(msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=2).decode() + "\n")


@contextmanager
def progress(title: str, *, unit: str, quiet: bool = False) -> Iterator[Callable[[float, float], None]]:
    """Show a progress bar on stderr while the block runs; silent when stderr is no terminal.

    Yields
    ------
    callable
        Takes what is done and what there is in all.
    """
    if quiet or sys.stderr is None or not sys.stderr.isatty():
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
