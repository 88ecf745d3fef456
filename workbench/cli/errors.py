"""How a command ends: the words on stderr and the exit code."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import sys
from collections.abc import Sequence

import click

from workbench import current_folder
from workbench.cli import interruptible, output
from workbench.errors import Exit, UsageError, WorkbenchError
from workbench.links import REMEDY, leads_nowhere

STOPPED = 130
"""Exit code of a command that Ctrl-C ended: 128 and the number of the signal."""

_EXAMPLE = re.compile(r"^ *Examples?:\n+ *(workbench .*)$", re.MULTILINE)
_PERMISSION = "ask for permission to read it and to enter every folder above it, or name another"
_HINTS = {
    errno.EACCES: _PERMISSION,
    errno.EPERM: _PERMISSION,
    errno.EROFS: "name a place that may be written to",
    errno.ENAMETOOLONG: "name a shorter path",
    errno.ELOOP: "it is a link that leads to itself: mend the link, or name another",
}
"""What to do where the system refuses a path that somebody named, by error number."""


def tell(error: BaseException) -> int:
    """Print what an error means to a user; return the exit code.

    Parameters
    ----------
    error : BaseException
        Whatever a command raised. SystemExit keeps its code.
    """
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    if isinstance(error, click.exceptions.Abort) or interruptible.was_stopped(error):
        left = interruptible.left_behind(error)
        _say(f"workbench: stopped; {left}" if left else "workbench: stopped")
        return STOPPED
    if isinstance(error, click.ClickException):
        text = io.StringIO()
        error.show(file=text)
        _say("\n".join([text.getvalue().rstrip("\n"), *_what_was_meant(error)]))
        return Exit.REFUSED
    if isinstance(error, WorkbenchError):
        broken = leads_nowhere(error.where) if error.where else None
        _say(f"workbench: {UsageError(broken, where=error.where, hint=REMEDY) if broken else error}")
        return error.exit_code
    if (refusal := _of_a_path(error) or _of_no_folder(error)) is not None:
        _say(f"workbench: {refusal}")
        return refusal.exit_code
    import traceback

    _say("".join(traceback.format_exception(error)).rstrip("\n"))
    _say(f"workbench: this is a bug ({type(error).__name__}: {error})")
    return Exit.BUG


def _what_was_meant(error: click.ClickException) -> list[str]:
    """Say how an archive is named, to somebody who gave a word too many; else the first example of the help."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None or "Hint: " in error.format_message():
        return []
    named = any("--archive" in parameter.opts for parameter in context.command.params)
    if named and "unexpected extra argument" in error.message:
        return ["Hint: the archive is named with --archive DIR"]
    example = _EXAMPLE.search(context.command.help or "")
    return [f"Hint: for example {example[1]}"] if example else []


def _of_a_path(error: BaseException) -> UsageError | None:
    """Return what the system's refusal to look at a path means; None for any other error, which is a bug of ours."""
    if not isinstance(error, OSError) or not isinstance(error.filename, str | bytes):
        return None
    hint = _HINTS.get(error.errno or 0)
    return UsageError(str(error.strerror).lower(), where=os.fsdecode(error.filename), hint=hint) if hint else None


def _of_no_folder(error: BaseException) -> UsageError | None:
    """Return what it means that no path could be made absolute, or no folder found for temporary files."""
    if not isinstance(error, FileNotFoundError) or error.filename is not None:
        return None
    if (gone := current_folder.gone()) is not None:
        return gone
    if "temporary directory" not in str(error.strerror):  # the words of Python's tempfile
        return None
    hint = "free space there, or name another with the variable TMPDIR"
    return UsageError("no folder for temporary files can be written", where=os.environ.get("TMPDIR"), hint=hint)


def _say(text: str) -> None:
    with contextlib.suppress(OSError, WorkbenchError):  # nobody reads it; the exit code says it all the same
        click.echo(output.safe(text), err=True)


def require_text(args: Sequence[str]) -> None:
    """Refuse arguments and variables that are not text in the encoding of this terminal.

    Raises
    ------
    UsageError
        With the argument, its stray bytes marked.
    """
    named = {name: value for name, value in os.environ.items() if name.startswith("WORKBENCH_")}
    for value in [*args, *named.values()]:
        try:
            value.encode()
        except UnicodeEncodeError:
            encoding = sys.getfilesystemencoding()
            hint = "rename the file, or write the text as UTF-8"
            if encoding.lower().replace("-", "") != "utf8":
                hint = "set PYTHONUTF8=1, or a UTF-8 locale such as LC_ALL=C.UTF-8"
            raise UsageError(f"{value!r} is not text in {encoding.upper()}", where="arguments", hint=hint) from None
