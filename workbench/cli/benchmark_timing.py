"""`workbench benchmark-timing`: how far measured times are from labelled ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from workbench.cli import options, output
from workbench.errors import MissingExtra

if TYPE_CHECKING:
    from workbench.analysis.timing_truth import Findings, Report
    from workbench.timing.truth_errors import Distribution

NAMES = {
    "onset": "start of a stretch of speech",
    "first_onset": "caller's first speech, found without a label",
    "yield": "time to yield",
    "gap": "response gap",
    "overlap": "talk-over",
}

NAMED = 3
"""Most calls and files that are named of those left out for one reason."""


@options.command("benchmark-timing")
@click.argument("folders", nargs=-1, type=click.Path(exists=True, file_okay=False))
@click.option(
    "--backend",
    "backends",
    multiple=True,
    type=click.Choice(["energy", "silero", "refined"]),
    help="Beside the energy method; both others by default where the extra vad is installed.",
)
@click.option("--render", type=click.IntRange(0), default=12, show_default=True, help="Calls to make per condition.")
@click.option("--by", metavar="SLICE", help="Tell calls apart by caller_noisy, caller_narrow_band, ... of the archive.")
@options.archive
@click.option(
    "-o", "target", type=click.Path(dir_okay=False), metavar="FILE.json", help="Write the report, all errors."
)
@options.as_json
@options.quiet
def command(
    folders: tuple[str, ...],
    *,
    backends: tuple[str, ...],
    render: int,
    by: str | None,
    archive_path: str,
    target: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare measured times with known ones: signed and absolute errors in ms, and yields in four cells.

    FOLDERS hold calls with a channel for each party, and labels of kind `speech` or a transcript with times; by
    default the bundled meetings and bank calls. Each is told apart, and so are calls that are made with exact
    boundaries. Nothing is added up to one number. The energy method has two rows: with every run of speech, as scores
    and the scan count them, and with faint ones left out, as turn_gaps and the checks do. An archive is read only for
    --by, which asks it how the calls sounded. Exit code 2, and nothing written, where no call of them can be compared.
    """
    import msgspec

    from workbench.analysis.robustness_shares import groups_of
    from workbench.analysis.timing_truth import benchmark
    from workbench.archive.archive import Archive
    from workbench.report.new_file import require_place, write_whole

    if target is not None:
        require_place(target, kind="json")
    groups: dict[str, str] | None = None
    if by is not None:
        with Archive(archive_path) as archive:
            groups = groups_of(archive, by)
    report = benchmark(folders, backends=backends or _there(), render=render, groups=groups)
    if target is not None:
        text = msgspec.json.format(msgspec.json.encode(report, order="sorted"), indent=2).decode()
        write_whole(target, text + "\n", kind="json")
    if as_json:
        output.json_line(report)
    elif not quiet:
        tell(report)


def _there() -> tuple[str, ...]:
    from workbench.audio.neural_tracks import BACKENDS, check

    try:
        return check(BACKENDS)
    except MissingExtra:
        click.echo("only the energy method takes part: the extra vad is not installed", err=True)
        return ()


def tell(report: Report) -> None:
    """Print a table for each source, detectors below one another."""
    for source in dict.fromkeys(found.source for found in report.findings):
        some = [found for found in report.findings if found.source == source]
        click.echo(f"{output.safe(source)}: {output.plural(some[0].calls, 'call')} ({some[0].truth})")
        rows = [
            _row(name, found, found.signals[signal])
            for signal, name in NAMES.items()
            for found in some
            if any(other.signals[signal].n or other.signals[signal].missed for other in some)
        ]
        signed = ("median", "95 %", "p90", "95 %")
        columns = ("error of", "detector", "n", "missed", *signed, "|median|", "95 %", "|p90|", "95 %", "|max|")
        output.table(columns, rows)
        reasons = {found.signals[signal].reason: None for found in some for signal in NAMES if found.signals[signal].n}
        for reason in filter(None, reasons):
            click.echo(reason)
        for found in some:
            cells = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in found.cells.items())
            click.echo(f"{found.backend}: {cells}; {output.plural(found.false_starts, 'run')} where nobody speaks")
        click.echo()
    _tell_left_out(report)
    click.echo(
        "all errors in ms, measured less true, | | without their sign; an interval draws whole calls; no single number "
        "sums this up"
    )


def _tell_left_out(report: Report) -> None:
    """Print how many calls and files have no truth, by source and reason; the JSON names each of them."""
    found: dict[tuple[str, str], list[str]] = {}
    for gone in report.left_out:
        found.setdefault((gone["source"], gone["reason"]), []).append(gone["call_id"])
    for (source, reason), names in found.items():
        some = f"{', '.join(names[:NAMED])}{', ...' if len(names) > NAMED else ''}"
        click.echo(output.one_line(f"left out of {source}: {reason} ({len(names)}: {some})"), err=True)
    if any(len(names) > NAMED for names in found.values()):
        click.echo("-o FILE.json names each of them", err=True)


def _row(name: str, found: Findings, values: Distribution) -> tuple[Any, ...]:
    size = values.absolute
    return (
        name,
        found.backend,
        values.n,
        values.missed,
        values.signed.median,
        _interval(values.signed.median_interval),
        values.signed.p90,
        _interval(values.signed.p90_interval),
        size.median,
        _interval(size.median_interval),
        size.p90,
        _interval(size.p90_interval),
        size.max,
    )


def _interval(limits: tuple[float, float] | None) -> str:
    return "-" if limits is None else f"{limits[0]:.0f}..{limits[1]:.0f}"
