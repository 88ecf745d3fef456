"""`workbench sweep-timing`: how many verdicts flip when a parameter is another, and at which value."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from workbench.cli import interruptible, options, output, times
from workbench.errors import Exit, UsageError

if TYPE_CHECKING:
    from workbench.analysis.timing_sweep import Sweep

_MOST_ROWS = 40


@options.command("sweep-timing")
@options.archive
@options.as_of
@click.option(
    "--grid",
    "texts",
    multiple=True,
    metavar="NAME=V,V,...",
    help="Values of a parameter of measuring or scoring; give it several times for every combination.",
)
@click.option("--by", metavar="COLUMN", help="Count apart: caller_noisy, agent_version, source_format, ...")
@click.option("--max-time-to-yield-s", type=times.BOUND, help="Bound of the default, for labels that bring none.")
@click.option("--max-talk-over-s", type=times.BOUND, help="Bound of the default, for labels that bring none.")
@options.as_json
@options.quiet
def command(
    archive_path: str,
    *,
    as_of: int | None,
    texts: tuple[str, ...],
    by: str | None,
    as_json: bool,
    quiet: bool,
    **given: Any,
) -> None:
    """Derive every verdict on a labelled moment anew at every point of a grid, and tell what flips.

    No sound is read: parameters of scoring (yield_hangover_s, max_talk_over_s, ...) need the stored runs of speech,
    those of measuring (rel_db, abs_gate_db, hangover_s, noise_percentile, dyn_margin_db) the stored levels, which
    are kept in hundredths of a dB. A bound replaces the one that a label brings. Nothing is written.
    Exit code 2: nothing could be judged at any point.

    \b
    Example:
      workbench sweep-timing --grid rel_db=10,15,20 --grid yield_hangover_s=0.1,0.2,0.3
    """
    from workbench.analysis.timing_held import HeldMoments
    from workbench.analysis.timing_settings import grid_of
    from workbench.analysis.timing_slices import PARTS
    from workbench.analysis.timing_sweep import sweep
    from workbench.archive.archive import Archive
    from workbench.timing.score_config import ScoreConfig

    grid = grid_of(texts)
    if by is not None and by not in PARTS:
        raise UsageError(f"moments cannot be counted apart by {by!r}", where="--by", hint=f"one of {', '.join(PARTS)}")
    base = ScoreConfig(**{name: value for name, value in given.items() if value is not None})
    with Archive(archive_path, as_of=as_of) as archive:
        held = HeldMoments(archive)
        if not held.labels:
            raise UsageError(
                "no moment is labelled, so no verdict can flip",
                where=archive_path,
                hint=archive.layout.command("workbench label CALL --at SECONDS --expect yield"),
            )
        found = interruptible.run(lambda: sweep(held, grid, base=base, by=by))
        snapshot = archive.snapshot
    if as_json:
        tables = {name: getattr(found, name).to_dicts() for name in ("points", "moments", "flips")}
        configs = {"default": found.default, "scoring_config_id": base.config_id}
        output.json_line(
            {"snapshot": snapshot, **configs, "measuring_config_id": held.measured_with.config_id, **tables}
        )
    elif not quiet:
        tell(found, snapshot=snapshot, by=by)
    if not any(row["pass_count"] or row["fail_count"] for row in found.points.to_dicts()):
        sys.exit(Exit.REFUSED)


def tell(found: Sweep, *, snapshot: int, by: str | None) -> None:
    """Print the grid in its own order, then where each moment's verdict flips."""
    from workbench.analysis.timing_settings import value_text

    default = ", ".join(f"{name} {_default(name, value)}" for name, value in found.default.items())
    flipped = int((found.moments["flip_count"] > 0).sum())
    moments, points = len(found.moments), found.points.select(list(found.default)).unique().height
    click.echo(
        f"{output.plural(moments, 'labelled moment')} at {output.plural(points, 'grid point')}, snapshot {snapshot}; "
        f"{flipped} of {moments} flip somewhere\ncompared with the default: {default}\n"
    )
    parted = [] if by is None else ["group"]
    names = [
        *([] if by is None else [by]),
        *found.default,
        "flips",
        "pass to fail",
        "fail to pass",
        "PASS",
        "FAIL",
        "not scorable",
        "inconclusive",
    ]
    counts = "flip pass_to_fail fail_to_pass pass fail not_scorable inconclusive".split()
    columns = [*parted, *found.default, *(f"{name}_count" for name in counts)]
    rows = [
        [value_text(row[name]) if name in found.default else row[name] for name in columns]
        for row in found.points.to_dicts()
    ]
    output.table(names, rows[:_MOST_ROWS])
    _more(len(rows), "row")
    click.echo("\nwhere a verdict flips, the other parameters at their default")
    if found.flips.is_empty():
        click.echo("nowhere")
        return
    names = ["call", "at s", "expect", "parameter", "keeps", "flips at", "verdict", "becomes", "because"]
    columns = "call_id onset_s expect parameter kept_at flips_at status status_then reason_then".split()
    output.table(names, [[row[name] for name in columns] for row in found.flips.head(_MOST_ROWS).to_dicts()])
    _more(len(found.flips), "flip")


def _more(count: int, noun: str) -> None:
    if count > _MOST_ROWS:
        click.echo(f"{output.plural(count - _MOST_ROWS, f'more {noun}')}: --json has all")


def _default(name: str, value: Any) -> str:
    from workbench.analysis.timing_settings import value_text

    return "each label's own" if value is None and name.startswith("max_t") else value_text(value)
