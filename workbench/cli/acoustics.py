"""`workbench acoustics`: how each turn or run of speech sounded."""

from __future__ import annotations

import sys

import click

from workbench.cli import options, output
from workbench.errors import Exit


@options.command("acoustics")
@options.archive
@options.workers
@options.as_json
@options.quiet
def command(archive_path: str, workers: int, *, as_json: bool, quiet: bool) -> None:
    """Describe how each turn sounded: pitch, level, spectrum, bandwidth, hum, clipping, speaking rate.

    Fills `turn_acoustics` of what is new or changed since; run `workbench measure` before. The view
    `acoustic_slices` says of each side of a call whether it is noisy, narrow-band, or a fast talker.
    Needs the extra `audio`.
    """
    import msgspec

    from workbench.archive.acoustics import describe
    from workbench.archive.archive import Archive

    with (
        Archive(archive_path) as archive,
        output.progress("describing", unit="s of speech", quiet=quiet or as_json) as show,
    ):
        report = describe(archive.layout, workers=workers, on_progress=show)
    if as_json:
        output.json_line(msgspec.to_builtins(report))
    else:
        if not quiet:
            click.echo(
                f"described {output.plural(report.described, 'stretch', many='stretches')} of speech "
                f"({report.duration_s:.0f} s) with config {report.config_id}; {output.were(report.current)} current"
            )
            if not report.described and not report.current and not report.problems:
                click.echo(f"no speech with a time and a sound: {archive.layout.command('workbench measure')} finds it")
            if report.gone:
                click.echo(f"{output.plural(report.gone, 'recording')} deleted meanwhile, and not described")
        for problem in report.problems:
            click.echo(output.safe(f"not described: {problem}"), err=True)
    if report.problems and not report.described and not report.current:
        sys.exit(Exit.REFUSED)
