"""`workbench report`: one HTML file to read and share."""

from __future__ import annotations

import click

from workbench.cli import interruptible, options, output


@options.command("report")
@click.argument("name")
@click.option("-o", "--output", "target", required=True, metavar="FILE", type=click.Path(), help="HTML file to write.")
@options.archive
@options.as_of
@click.option(
    "--worst",
    type=click.IntRange(0),
    default=8,
    show_default=True,
    metavar="N",
    help="Worst moments shown with lanes and sound.",
)
@options.as_json
@options.quiet
def command(
    name: str,
    target: str,
    archive_path: str,
    *,
    as_of: int | None,
    worst: int,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write the report NAME as one HTML file that opens from disk with no network.

    NAME is `archive`: what is in it, verdicts with intervals and denominators, response gaps, and the worst
    moments with their sound; or `timing`: who yielded to whom and how soon, on labelled moments, and
    how those that failed sound. The file holds words and voices of the calls: share it as you would share them.

    \b
    Example:
      workbench report archive -o report.html
      workbench report timing -o timing.html
    """
    from workbench.archive.archive import Archive
    from workbench.report.html import report
    from workbench.report.new_file import require_place, write_whole

    page = report(name)
    require_place(target, kind="html")
    with Archive(archive_path, as_of=as_of) as archive:
        text = interruptible.run(lambda: page.build(archive, worst=worst))
        size = write_whole(target, text, kind="html")
        snapshot = archive.snapshot
    if as_json:
        output.json_line({"report": name, "file": target, "byte_count": size, "snapshot": snapshot})
    elif not quiet:
        click.echo(f"{output.one_line(target)} ({size / 1e6:.1f} MB, snapshot {snapshot})")
