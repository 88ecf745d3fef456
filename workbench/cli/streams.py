"""Standard output and error whose reader may leave: what was to be found out is still found out.

`| head -1` closes the pipe early. Stopping there would lose the verdict of a gate, so the rest is written
to nowhere and the command ends with the exit code it would have had.
"""

from __future__ import annotations

import io
import os
import sys
from typing import Any, TextIO

from workbench import commits
from workbench.cli import output
from workbench.errors import ExportFailed


class _Pipe(io.FileIO):
    """A standard stream that becomes the null device once nobody reads it."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            self._discard()
            return len(memoryview(data).cast("B"))
        except OSError as error:
            number = self.fileno()
            self._discard()
            raise _refused(error, "standard error" if number == 2 else "standard output") from error

    def _discard(self) -> None:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, self.fileno())
        os.close(nowhere)


def _refused(error: OSError, where: str) -> ExportFailed:
    """Say what is lost: where something was done before it was told, the report alone, and not the work."""
    what, hint = f"it cannot be written ({error.strerror})", "free disk space, or send it elsewhere"
    if not (kept := commits.kept()):
        return ExportFailed(what, where=where, hint=hint)
    return ExportFailed(
        f"{what}; only the report is lost, what was done stays ({output.one_line(kept)})",
        where=where,
        hint=f"do not run the command again: look at what is there; before the next one {hint}",
    )


def install() -> None:
    """Put such streams in place of the process's own; streams that someone replaced stay."""
    out, err = sys.__stdout__, sys.__stderr__
    if out is not None and sys.stdout is out:
        sys.stdout = _stream(out)
    if err is not None and sys.stderr is err:
        sys.stderr = _stream(err)


def _stream(old: TextIO) -> TextIO:
    old.flush()
    encoding = "utf-8" if old.encoding.lower().replace("-", "") in ("ascii", "ansix3.41968") else old.encoding
    return io.TextIOWrapper(
        io.BufferedWriter(_Pipe(old.fileno(), "w", closefd=False)),
        encoding=encoding,
        errors="backslashreplace",
        line_buffering=True,
    )
