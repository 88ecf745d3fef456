"""What is said of a measuring pass, wherever it was asked for: what it could not measure, and what it took away."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from workbench.cli import output
from workbench.errors import Exit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from workbench.archive.measuring import MeasureReport


def tell_lost(report: MeasureReport, backends: Iterable[str] = ()) -> None:
    """Print which backends are no longer heard in what was measured anew, and how many recordings are gone.

    Parameters
    ----------
    report : MeasureReport
        What the pass did.
    backends : iterable of str
        Those it was asked for.
    """
    for name, count in sorted(report.no_longer_heard.items()):
        every = " ".join(f"--backend {one}" for one in dict.fromkeys([*backends, *sorted(report.no_longer_heard)]))
        click.echo(
            f"{name} is no longer heard in {output.plural(count, 'recording')}: all rows of a recording come from one "
            f"pass; measure with {every} to have it too"
        )
    if report.gone:
        click.echo(f"{output.plural(report.gone, 'recording')} deleted meanwhile, and not measured")


def tell_problems(report: MeasureReport) -> None:
    """Print what could not be measured, each with the call it belongs to.

    Parameters
    ----------
    report : MeasureReport
        What the pass did.
    """
    for problem in report.problems:
        click.echo(output.safe(f"not measured: {problem}"), err=True)


def end(report: MeasureReport) -> None:
    """End the command with exit code 2 when nothing could be measured and nothing was current.

    Parameters
    ----------
    report : MeasureReport
        What the pass did.
    """
    if report.problems and not report.measured and not report.current:
        sys.exit(Exit.REFUSED)
