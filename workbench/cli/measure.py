"""`workbench measure`: levels, speech and input health of what is new."""

from __future__ import annotations

import click

from workbench.cli import measure_told, options, output


@options.command("measure")
@options.archive
@click.option("--rel-db", type=float, help="Speech is this far above the noise floor (15 dB).")
@click.option("--abs-gate-db", type=float, help="Speech is never below this level (-60 dBFS).")
@click.option("--hangover-s", type=float, help="Speech goes on this long after the last loud frame (0.15 s).")
@options.settings
@click.option(
    "--backend",
    "backends",
    multiple=True,
    type=click.Choice(["energy", "silero", "refined"]),
    help="Also hear by the neural track, or by its refined boundaries; repeatable. Needs the extra vad.",
)
@options.workers
@options.as_json
@options.quiet
def command(
    archive_path: str,
    rel_db: float | None,
    abs_gate_db: float | None,
    hangover_s: float | None,
    settings: tuple[str, ...],
    backends: tuple[str, ...],
    workers: int,
    *,
    as_json: bool,
    quiet: bool,
) -> None:
    """Measure recordings that are new, or were measured with another config.

    Fills `channels`, `frames`, `segments` and `input_health` by the published energy method: 20 ms
    window, 10 ms hop. Other backends add their own rows to `segments`; health, frames and verdicts stay
    those of the energy method. All rows of a recording come from one pass: name every backend that is to stay.
    --set reaches every number of the method: frame_ms, hop_ms, noise_percentile, dyn_margin_db, faint_db.
    """
    import msgspec

    from workbench.analysis.timing_settings import changed, with_settings
    from workbench.archive.archive import Archive
    from workbench.audio.config import MeasureConfig

    given = {"rel_db": rel_db, "abs_gate_db": abs_gate_db, "hangover_s": hangover_s}
    config = with_settings(MeasureConfig(), settings, given=given)
    with (
        Archive(archive_path) as archive,
        output.progress("measuring", unit="s of audio", quiet=quiet or as_json) as show,
    ):
        report = archive.measure(config=config, backends=backends, workers=workers, on_progress=show)
    if as_json:
        output.json_line(msgspec.to_builtins(report) | {"config": msgspec.structs.asdict(config)})
    else:
        if not quiet:
            click.echo(
                f"measured {output.plural(report.measured, 'recording')} ({report.duration_s:.0f} s of audio) "
                f"with config {report.config_id} ({changed(config)}); {output.were(report.current)} current"
            )
            for name in dict.fromkeys(backends) if report.measured else ():
                heard = output.plural(report.run_counts.get(name, 0), "run")
                click.echo(f"{name}: {heard} of speech in segments, where backend = '{name}'")
            measure_told.tell_lost(report, backends)
        measure_told.tell_problems(report)
    measure_told.end(report)
