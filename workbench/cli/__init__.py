"""The command line: one file a command, found by listing this folder.

A file `NAME.py` (or `NAME_.py` where NAME is a word of Python) holds one `command`.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from typing import Any

import click

from workbench.errors import Exit

_NOT_COMMANDS = {"compare_told", "errors", "interruptible", "measure_told", "options", "output", "streams", "times"}


def commands() -> dict[str, click.Command]:
    """Return every command by name, in the order of the names."""
    found = {}
    for module in pkgutil.iter_modules(__path__):
        if module.name not in _NOT_COMMANDS:
            found[module.name.rstrip("_").replace("_", "-")] = _load(module.name)
    return dict(sorted(found.items()))


def _load(module: str) -> click.Command:
    command: click.Command = importlib.import_module(f"{__name__}.{module}").command
    return command


class _Commands(click.Group):
    """Loads a command when it is asked for, so that starting stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        names = (module.name for module in pkgutil.iter_modules(__path__))
        return sorted(name.rstrip("_").replace("_", "-") for name in names if name not in _NOT_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        stem = cmd_name.replace("-", "_")
        for module in pkgutil.iter_modules(__path__):
            if module.name not in _NOT_COMMANDS and module.name.rstrip("_") == stem:
                return _load(module.name)
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if not name.startswith("-") and self.get_command(ctx, name) is None and not ctx.resilient_parsing:
            from difflib import get_close_matches

            near = get_close_matches(name, self.list_commands(ctx), n=1)
            ctx.fail(f"No such command {name!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)


def _version(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        from workbench.archive.runs import workbench_version

        click.echo(f"workbench {workbench_version()}")
        ctx.exit()


@click.group(
    cls=_Commands,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "auto_envvar_prefix": "WORKBENCH",
        "max_content_width": 110,
    },
    epilog="Exit codes: 0 ran or passed, 1 a check or gate failed, 2 refused, 70 a bug of ours.",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_version, help="Print the version."
)
def root() -> None:
    """A data-science workbench for voice-agent calls.

    Begin with `workbench demo`, or `workbench init`, `workbench import FOLDER`, `workbench measure`.
    """


def main(args: list[str] | None = None) -> None:
    """Run the command line and exit with its code.

    Parameters
    ----------
    args : list of str, optional
        Arguments; those of the process by default.
    """
    from workbench.audio import stopping
    from workbench.cli import errors, streams

    streams.install()
    try:
        with stopping.heard():
            errors.require_text(sys.argv[1:] if args is None else args)
            code: Any = root.main(args=args, prog_name="workbench", standalone_mode=False)
    except BaseException as error:  # noqa: BLE001 - whatever it is, the user reads what it means
        code = errors.tell(error)
    sys.exit(code if isinstance(code, int) else Exit.OK)
