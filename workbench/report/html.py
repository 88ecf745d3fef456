"""Reports as one HTML file each, found by listing the folder `pages/`."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Protocol

from workbench.errors import UsageError
from workbench.report import pages

if TYPE_CHECKING:
    from workbench.archive.archive import Archive


class Page(Protocol):
    """A module of `pages/`: what the report answers, and how it is built."""

    QUESTION: str

    def build(self, archive: Archive, *, worst: int) -> str:
        """Return the whole HTML file."""


def reports() -> list[str]:
    """Return the names of all reports, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(pages.__path__))


def report(name: str) -> Page:
    """Return a report by its name.

    Raises
    ------
    UsageError
        When there is no such report.
    """
    if name not in reports():
        raise UsageError(f"there is no report {name!r}", hint=f"one of: {', '.join(reports())}")
    page: Page = importlib.import_module(f"{pages.__name__}.{name}")
    return page


def archive_report(archive: Archive, *, worst: int = 8) -> str:
    """Return the report on an archive: contents, verdicts, response gaps, the worst calls with their sound.

    Parameters
    ----------
    archive : Archive
        The archive. It is read at one snapshot, whatever is written to it meanwhile.
    worst : int
        Moments shown with lanes and sound, at least 0.

    Returns
    -------
    str
        One HTML file that needs nothing else. The same archive at the same snapshot gives the same text.

    Raises
    ------
    UsageError
        When the archive holds no calls, or `worst` is below 0.
    """
    return report("archive").build(archive, worst=worst)
