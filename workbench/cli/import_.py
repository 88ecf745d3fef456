"""`workbench import`: files and folders into an archive."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from workbench.cli import measure_told, options, output
from workbench.errors import ArchiveFailed, Exit
from workbench.schema.call import ChannelRole, Origin, Refusal

if TYPE_CHECKING:
    from workbench.archive.archive import Archive
    from workbench.archive.import_commit import ImportReport
    from workbench.archive.layout import Layout
    from workbench.archive.measuring import MeasureReport
    from workbench.ingest.intake.reading import Reading


NAMED = 4
"""Names of files passed over that are shown."""


@options.command("import")
@click.argument("paths", nargs=-1, required=True, type=click.Path())
@options.archive
@click.option("--format", "format_name", default="auto", show_default=True, help="Importer; see docs/formats.md.")
@click.option("--strict", is_flag=True, help="Stop at the first refusal and write nothing.")
@click.option(
    "--media",
    type=click.Choice(["copy", "reference"]),
    default="copy",
    show_default=True,
    help="Copy audio into the archive, or refer to where it lies.",
)
@click.option(
    "--channels",
    metavar="ROLE,ROLE",
    help="Who is on which channel, where no file, sidecar or document says it: caller,agent.",
)
@click.option(
    "--time-unit",
    type=click.Choice(["s", "ms", "us", "ns"]),
    help="Unit of every time, where the format is wrong.",
)
@click.option("--origin", type=click.Choice(get_args(Origin)), help="How the calls came about.")
@click.option("--outcome", help="Outcome of the call, stated beside a transcript.")
@click.option("--expected-outcome", help="Outcome that was wanted.")
@click.option("--language", help="Language of the calls, for instance en or da.")
@click.option("--agent-id", help="Agent that answered.")
@click.option("--agent-version", help="Version of the agent.")
@click.option("--id-prefix", default="", help="Put before every call id.")
@click.option(
    "--replace",
    is_flag=True,
    help="Take in anew what is there already, for instance with --channels or a corrected sidecar.",
)
@click.option("--measure", "also_measure", is_flag=True, help="Measure the audio right after the import.")
@options.workers
@options.as_json
@options.quiet
def command(
    paths: tuple[str, ...],
    archive_path: str,
    format_name: str,
    media: Any,
    channels: str | None,
    workers: int,
    *,
    strict: bool,
    replace: bool,
    also_measure: bool,
    as_json: bool,
    quiet: bool,
    **said: Any,
) -> None:
    """Import calls from files and folders; makes the archive when there is none.

    Good calls go in; every file or row that is refused is listed with its rule and kept in the table
    `refusals`. Exit code 2 when nothing was accepted, or with --measure nothing could be measured.

    \b
    Examples:
      workbench import recordings/ --channels caller,agent
      workbench import export.jsonl --format voice-evals --strict
    """
    from workbench.archive.import_commit import ImportReport
    from workbench.archive.layout import Layout
    from workbench.ingest import read
    from workbench.ingest.protocol import Options

    stated = Options(channels=_roles(channels), strict=strict, **said)
    config = {"format": format_name, "media": media, "options": stated, "replace": replace}
    layout, report, measured = Layout(Path(archive_path).absolute()), ImportReport(), None
    archive: Archive | None = None
    with ExitStack() as stack:
        with output.progress("importing", unit="MB", quiet=quiet or as_json) as show:
            reading = read(
                [Path(path) for path in paths],
                stated,
                format=format_name,
                on_progress=lambda done, total, _path: show(done / 1e6, total / 1e6),
                workers=workers,
            )
            calls = stack.enter_context(closing(reading))  # it hashes ahead while the archive is made
            first = list(islice(calls, 1))
            if first:  # what brings nothing makes no archive
                archive = stack.enter_context(_opened(layout))
                how = {"storage": media, "strict": strict, "config": config, "replace": replace}
                report = archive.add(chain(first, calls), workers=workers, distinct=True, **how)
        if archive is not None and also_measure and report.accepted:
            with output.progress("measuring", unit="s of audio", quiet=quiet or as_json) as show:
                measured = _measured(archive, report, workers=workers, show=show)
    if as_json:
        output.json_line(summary(report) | (_measured_summary(measured) if measured else {}))
    elif not quiet or not report.accepted:
        tell(report, layout)
        _tell_more(calls, report)
        if measured:
            seconds = f"{measured.duration_s:.0f} s of audio"
            click.echo(f"measured {output.plural(measured.measured, 'recording')} ({seconds})")
            measure_told.tell_lost(measured)
    if measured and not as_json:
        measure_told.tell_problems(measured)
    if not report.accepted:
        hint = "name files or folders that hold calls; docs/formats.md lists the formats"
        click.echo(f"workbench: nothing was accepted\nHint: {hint}", err=True)
        sys.exit(Exit.REFUSED)
    if measured:
        measure_told.end(measured)


def _measured_summary(measured: MeasureReport) -> dict[str, Any]:
    """Return what `measure --json` says too of what could not be measured, or is no longer heard."""
    names = ("measured", "problems", "no_longer_heard")
    return {name: getattr(measured, name) for name in names}


def _measured(archive: Archive, report: ImportReport, *, workers: int, show: Any) -> MeasureReport:
    """Measure what was just imported; what fails then leaves the calls in the archive, and says so."""
    from workbench.archive import failures

    took_in = report.new or report.replaced
    what = "the calls are imported" if took_in else "nothing was imported anew"
    with failures.kept(archive.path, what, hint=archive.layout.command("workbench measure")):
        return archive.measure(workers=workers, verified=frozenset(report.recordings), on_progress=show)


@contextmanager
def _opened(layout: Layout) -> Iterator[Archive]:
    """Open an archive, made where there is none; one that was made and that nothing went into is removed again."""
    from workbench.archive.archive import Archive
    from workbench.archive.creating import create, is_free, undone, unmake

    made = None
    if is_free(layout):
        try:
            made = create(layout)
        except ArchiveFailed:
            if not layout.marker.exists():
                raise
    remove = partial(unmake, layout, made) if made is not None else _nothing
    with undone(remove, layout), Archive(layout.root) as archive:
        yield archive
    remove()


def _nothing() -> None:
    """Remove nothing: the archive was there before."""


def _tell_more(calls: Reading, report: ImportReport) -> None:
    """Say which files were passed over, and what was said in vain."""
    if calls.skipped:
        names = list(dict.fromkeys(path.name for path in calls.survey.skipped))
        shown = ", ".join([*names[:NAMED], *(["..."] if len(names) > NAMED else [])])
        click.echo(
            output.one_line(f"passed over: {output.plural(calls.skipped, 'file')} of which no call is made ({shown})")
        )
    if report.unchanged and not report.new:
        click.echo("unchanged calls keep what was said of them before; --replace takes them in anew")


def _roles(channels: str | None) -> tuple[ChannelRole, ...] | None:
    if channels is None:
        return None
    roles = tuple(role.strip() for role in channels.split(","))
    allowed = get_args(ChannelRole)
    for role in roles:
        if role not in allowed:
            raise click.BadParameter(f"{role!r} is not one of {', '.join(allowed)}", param_hint="--channels")
    return roles  # type: ignore[return-value]


def summary(report: ImportReport) -> dict[str, Any]:
    """Return an import's counts and refusals as JSON values."""
    return {
        "run_id": report.run_id,
        "new": report.new,
        "replaced": report.replaced,
        "unchanged": report.unchanged,
        "refused": report.refused(),
        "notes": report.refused("note"),
        "rows": dict(sorted(report.rows.items())),
        "refusals": report.refusals,
    }


def place(refusal: Refusal) -> str:
    """Return file and location of a refusal, each once."""
    if refusal.location.startswith(refusal.source_uri):
        return refusal.location
    return f"{refusal.source_uri}: {refusal.location}" if refusal.location else refusal.source_uri


def tell(report: ImportReport, layout: Layout, *, limit: int = 20) -> None:
    """Print what an import did: counts, then each refusal with its hint."""
    click.echo(
        f"{output.plural(report.new, 'call')} imported, {report.replaced} replaced, {report.unchanged} unchanged, "
        f"{report.refused()} refused, {output.plural(report.refused('note'), 'note')}"
    )
    if report.rows:
        click.echo("rows: " + ", ".join(f"{name} {count}" for name, count in sorted(report.rows.items())))
    serious = [refusal for refusal in report.refusals if refusal.scope != "note"]
    for hint, refusals in _by_hint(serious[:limit]).items():
        for refusal in refusals:
            click.echo(
                output.one_line(f"refused {refusal.scope}: {place(refusal)}: {refusal.message} [{refusal.rule}]")
            )
        click.echo(output.one_line(f"  hint: {hint}"))
    if report.refused() > limit:
        click.echo(f"... and {report.refused() - limit} more")
    notes = sorted((rule, count) for (scope, rule), count in report.rules.items() if scope == "note")
    for rule, count in notes:
        _tell_note(rule, count, next((r for r in report.refusals if r.scope == "note" and r.rule == rule), None))
    if report.accepted and (notes or report.refused() > limit):
        click.echo(output.safe("all of them: " + layout.command("workbench sql 'from refusals'")))


def _by_hint(refusals: list[Refusal]) -> dict[str, list[Refusal]]:
    """Return refusals by their hint, so that each hint is printed once, in the order they came."""
    found: dict[str, list[Refusal]] = {}
    for refusal in refusals:
        found.setdefault(refusal.hint, []).append(refusal)
    return found


def _tell_note(rule: str, count: int, first: Refusal | None) -> None:
    """Print how often a kind of note came, and what the first one says; one that was not kept is counted only."""
    click.echo(f"note: {rule} x {count}" + (", the first:" if first and count > 1 else ""))
    if first is not None:
        click.echo(output.safe(f"  {place(first)}: {first.message}"))
        click.echo(output.safe(f"  hint: {first.hint}"))
