"""Options that several commands share, declared once."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from workbench.archive.layout import DEFAULT

F = TypeVar("F", bound=Callable[..., Any])

archive = click.option(
    "--archive",
    "archive_path",
    type=click.Path(file_okay=False),
    default=DEFAULT,
    envvar="WORKBENCH_ARCHIVE",
    show_default=True,
    show_envvar=True,
    help="Folder of the archive.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
quiet = click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
as_of = click.option("--as-of", type=click.IntRange(1), metavar="N", help="Read snapshot N instead of the newest.")
workers = click.option(
    "--workers",
    type=click.IntRange(1),
    default=os.cpu_count() or 1,
    show_default="all cores",
    help="Threads that hash, decode and measure audio.",
)


def command(name: str | None = None, **settings: Any) -> Callable[[F], click.Command]:
    """Make a click command whose help is the function's docstring."""
    return click.command(name, **settings)
