"""Every error a user can meet: what happened, where, and what to do about it.

Exit codes: 0 ran or passed, 1 a gate or deterministic check failed, 2 refused, 70 a bug of ours.
"""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """Exit codes of the command line."""

    OK = 0
    GATE_FAILED = 1
    REFUSED = 2
    BUG = 70


class WorkbenchError(Exception):
    """Root of all errors raised on purpose.

    Parameters
    ----------
    what : str
        What happened, as one sentence with the value that was found.
    where : str, optional
        File and line, call id, column or option.
    hint : str, optional
        What to do about it.
    """

    exit_code: Exit = Exit.REFUSED

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        self.what = what
        self.where = where
        self.hint = hint
        super().__init__(str(self))

    def __str__(self) -> str:
        where = str(self.where).replace("\n", "⏎") if self.where else None  # the name of a file forges no line
        text = f"{where}: {self.what}" if where else self.what
        return f"{text}\nHint: {self.hint}" if self.hint else text


class UsageError(WorkbenchError):
    """The command or function was called with arguments that cannot mean anything."""


class ImportFailed(WorkbenchError):
    """An input file or row could not be accepted."""

    def __init__(
        self,
        what: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        rule: str = "unreadable",
    ) -> None:
        self.rule = rule
        super().__init__(what, where=where, hint=hint)


class SchemaFailed(WorkbenchError):
    """Rows do not satisfy the schema of their table."""


class ArchiveFailed(WorkbenchError):
    """The archive cannot be opened, written or trusted."""


class QueryRefused(WorkbenchError):
    """A query is not a single read-only SELECT, or reaches outside the archive."""


class SnapshotGone(QueryRefused, UsageError):
    """A snapshot is not there, or no longer: a deletion or a compaction took what it needs."""


class DataFileMissing(QueryRefused, ArchiveFailed):
    """A data file that the archive names is not there, or cannot be opened."""


class ExportFailed(WorkbenchError):
    """The files of an export cannot be written or read back."""


class NotScorable(WorkbenchError):
    """The input cannot carry the verdict that was asked for."""


class MissingExtra(WorkbenchError):
    """A feature needs an optional package that is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"this needs the package {package!r}, which is not installed",
            hint=f"pip install 'callbench[{extra}]', or make setup in a checkout",
        )


class GateFailed(WorkbenchError):
    """A gate or deterministic check did not hold."""

    exit_code = Exit.GATE_FAILED
