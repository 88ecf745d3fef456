"""`workbench demo`: the main job on bundled calls, from files to findings."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import options, output
from workbench.errors import UsageError
from workbench.guarded import require_outside

if TYPE_CHECKING:
    from workbench.archive.archive import Archive
    from workbench.archive.import_commit import ImportReport

MARKER = "made-by-workbench-demo"


@options.command("demo")
@click.argument("folder", default="out/demo", type=click.Path(file_okay=False))
@options.workers
@options.as_json
@options.quiet
def command(folder: str, workers: int, *, as_json: bool, quiet: bool) -> None:
    """Build an archive from the bundled calls, measure, assert, report; say what was found.

    Writes FOLDER/archive and FOLDER/report.html. Running it again builds both anew.
    """
    begin = time.monotonic()
    target = Path(folder)
    _clear(target)
    report, archive = _build(target, workers=workers, quiet=quiet or as_json)
    with archive:
        if as_json:
            output.json_line(_summary(archive, report, target))
        elif not quiet:
            _tell(archive, report, target)
            click.echo(f"\ndone in {time.monotonic() - begin:.1f} s")


def _clear(target: Path) -> None:
    """Remove an earlier demo; refuse a folder that is something else, or lies in an archive."""
    require_outside(target / MARKER)
    if target.exists() and any(target.iterdir()):
        if not (target / MARKER).is_file():
            raise UsageError("the folder is not empty and holds no demo", where=str(target), hint="name a new folder")
        for path in (target / "archive", target / "report.html"):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    target.mkdir(parents=True, exist_ok=True)
    (target / MARKER).touch()


def _build(target: Path, *, workers: int, quiet: bool) -> tuple[ImportReport, Archive]:
    from workbench.archive.archive import Archive
    from workbench.archive.asserting import assert_pack
    from workbench.assertions import load_pack
    from workbench.assets import folder
    from workbench.ingest import read
    from workbench.ingest.protocol import Options
    from workbench.report.html import archive_report

    archive = Archive.create(target / "archive")
    with output.progress("importing", unit="MB", quiet=quiet) as show:
        calls = read(
            [folder("data") / "calls"],
            Options(),
            on_progress=lambda done, total, _path: show(done / 1e6, total / 1e6),
            workers=workers,
        )
        report = archive.add(calls, workers=workers, distinct=True)
    with output.progress("measuring", unit="s of audio", quiet=quiet) as show:
        archive.measure(workers=workers, verified=frozenset(report.recordings), on_progress=show)
    assert_pack(archive.layout, load_pack("caller-experience"), label="demo")
    archive.refresh()
    (target / "report.html").write_text(archive_report(archive), encoding="utf-8")
    return report, archive


def _summary(archive: Archive, report: ImportReport, target: Path) -> dict[str, Any]:
    """Return where the demo lies and what was found, as JSON values."""
    from workbench.cli.assert_ import pass_rates
    from workbench.cli.import_ import summary

    names, rates = pass_rates(archive, _newest_run(archive))
    found = [dict(zip(names, row, strict=True)) for row in rates]
    places = {"archive": str(target / "archive"), "report": str(target / "report.html")}
    return places | {"import": summary(report), "assertions": found}


def _newest_run(archive: Archive) -> str:
    return str(archive.reader.rows("select run_id from latest_runs where kind = 'assert'")[1][0][0])


def _tell(archive: Archive, report: ImportReport, target: Path) -> None:
    from workbench.cli.assert_ import pass_rates, tell

    rows = archive.reader.rows
    (calls, hours), *_ = rows("select count(*), sum(duration_s) / 3600 from calls")[1]
    (recordings, sound), *_ = rows("select count(*), coalesce(sum(duration_s), 0) / 60 from recordings")[1]
    formats = rows("select source_format, count(*) as n from calls group by all order by n desc, source_format")[1]
    click.echo(
        f"{output.plural(calls, 'call')} ({hours:.1f} h on their own clocks), "
        f"{output.plural(recordings, 'recording')} ({sound:.1f} min of audio)"
    )
    click.echo("from " + ", ".join(f"{name} {count}" for name, count in formats))

    click.echo("\nwhat was found (caller-experience; counts, rate and Wilson interval, unit: the call)")
    names, rates = pass_rates(archive, _newest_run(archive))
    tell([dict(zip(names, row, strict=True)) for row in rates])

    click.echo("\nworst calls")
    output.table(*rows("select rank, call_id, reason from worst_calls order by rank limit 5"))

    click.echo(f"\nrefused: {report.refused()}, and why")
    for refusal in [r for r in report.refusals if r.scope != "note"][:8]:
        click.echo(output.one_line(f"  {Path(refusal.source_uri).name}: {refusal.message} [{refusal.rule}]"))
    place, name = target / "archive", output.program()
    click.echo(f"\nthe report, to open in a browser: {target / 'report.html'}")
    click.echo("next:")
    click.echo(f'  {name} sql "from worst_calls limit 10" --archive {place}')
    click.echo(f"  {name} show refund-misheard-fifty --archive {place}")
    click.echo(f"  {name} import YOUR_FOLDER --measure --archive my.archive")
