"""Options that several commands share, declared once."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from workbench import commits
from workbench.archive.layout import DEFAULT
from workbench.errors import SnapshotGone

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

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
settings = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Any other parameter of the method (docs/timing.md names them); repeatable.",
)
workers = click.option(
    "--workers",
    type=click.IntRange(1, 1024),
    default=os.cpu_count() or 1,
    show_default="all cores",
    help="Threads that hash, decode and measure audio.",
)


_TRIES = 5


class _Again(click.Command):
    """A command that begins anew where another process deleted a call while it read.

    Not with --as-of, which asks for that snapshot, and not once it wrote to an archive. So a command reads before
    it prints.
    """

    def invoke(self, ctx: click.Context) -> Any:
        written = commits.count()
        for _ in range(_TRIES - 1):
            try:
                return super().invoke(ctx)
            except SnapshotGone:
                if ctx.params.get("as_of") is not None or commits.count() != written:
                    raise
        return super().invoke(ctx)


def once(name: str, read: Callable[[], T]) -> T:
    """Return what `read` gave this command the first time: stdin is there once, however often a command begins."""
    kept = click.get_current_context().meta
    if name not in kept:
        kept[name] = read()
    found: T = kept[name]
    return found


def command(name: str | None = None, **settings: Any) -> Callable[[F], click.Command]:
    """Make a click command whose help is the function's docstring; -h asks for it, wherever the command is run from."""
    return click.command(name, cls=_Again, context_settings={"help_option_names": ["-h", "--help"]}, **settings)
