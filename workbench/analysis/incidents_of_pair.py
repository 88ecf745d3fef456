"""A call whose two sides lie in a mono file each: both measured, laid on one clock, and scanned together."""

from __future__ import annotations

import hashlib
from pathlib import Path

from workbench.analysis.incidents import address, incidents
from workbench.analysis.incidents_hidden import hidden
from workbench.analysis.incidents_of_file import TWO_CHANNELS, Examined, measured
from workbench.audio.config import MeasureConfig
from workbench.errors import ImportFailed, WorkbenchError
from workbench.ingest.audio_names import call_stem, without_other_side
from workbench.ingest.audio_sidecar import load_sidecar
from workbench.ingest.protocol import Options
from workbench.plural import plural
from workbench.timing.faint_moments import resting
from workbench.timing.health import CAUTION, ELIGIBLE
from workbench.timing.lines import lay
from workbench.timing.measuring import Measured
from workbench.timing.moments import scan
from workbench.timing.score_config import ScoreConfig


def examine_pair(
    caller: Path,
    agent: Path,
    *,
    scanning: ScoreConfig | None = None,
    config: MeasureConfig | None = None,
    digested: bool = False,
) -> Examined:
    """Measure two mono files of one call and tell its incidents.

    Parameters
    ----------
    caller, agent : pathlib.Path
        The two sides; a sidecar ``<stem>.json`` says when each begins, else both begin at once.
    scanning : ScoreConfig, optional
        What counts as an incident.
    config : MeasureConfig, optional
        What counts as speech.
    digested : bool
        Whether the samples of both are digested as they are read.

    Returns
    -------
    Examined
        Named by both files' bytes and their offsets. Echo, leakage and a swap are not looked for between two
        files. A side that is silent leaves the pair without incidents, and with the reason.

    Raises
    ------
    ImportFailed, MissingExtra
        When one of them cannot be read, or is not mono.
    """
    scanning, config = scanning or ScoreConfig(), config or MeasureConfig()
    offsets = load_sidecar(caller, Options()).offsets
    starts = {role: offsets.get(role, 0.0) for role in ("caller", "agent")}
    first, heard = _side(caller, agent, scanning=scanning, config=config, digested=digested)
    second, answered = _side(agent, caller, scanning=scanning, config=config, digested=digested)
    digest = hashlib.sha256(f"{first.sha256} {second.sha256} {starts}".encode()).hexdigest()
    name = address(digest)
    begin = min(starts.values())
    ends = [starts["caller"] + first.duration_s, starts["agent"] + second.duration_s]
    duration_s = round(max(ends) - begin, 6)
    silent = next((one for one in (first, second) if not one.health["scorable"]), None)
    rough = [one.health for one in (first, second) if one.health["recommendation"] != ELIGIBLE]
    health = {**first.health, **dict.fromkeys(("coherence", "echo_coherence", "leakage_db", "possible_swap"))}
    health |= {
        "recommendation": rough[0]["recommendation"] if rough and silent else CAUTION if rough else ELIGIBLE,
        "scorable": silent is None,
        "reason": rough[0]["reason"] if rough else None,
        "next_step": rough[0]["next_step"] if rough else None,
        "verdict_eligible": first.health["verdict_eligible"] and second.health["verdict_eligible"],
        "warnings": sorted({*first.health["warnings"], *second.health["warnings"]}),
    }
    sides = [(heard, first, starts["caller"] - begin), (answered, second, starts["agent"] - begin)]
    found = [] if silent else _incidents(sides, name=name, duration_s=duration_s, scanning=scanning, config=config)
    return Examined(
        path=first.path,
        file=f"{call_stem(caller)} ({first.file}, {second.file})",
        sha256=digest,
        name=name,
        container=first.container,
        codec=first.codec,
        sample_rate_hz=min(first.sample_rate_hz, second.sample_rate_hz),
        duration_s=duration_s,
        roles=("caller", "agent"),
        channel_map="name",
        mode=None if silent else TWO_CHANNELS,
        reason=silent.health["reason"] if silent else None,
        next_step=silent.health["next_step"] if silent else None,
        health=health,
        channels=[*first.channels, *({**row, "channel_ix": 1} for row in second.channels)],
        incidents=found,
        sound=first.sound + second.sound,
    )


def _side(
    path: Path, other: Path, *, scanning: ScoreConfig, config: MeasureConfig, digested: bool
) -> tuple[Examined, Measured]:
    """Measure one side; what it is refused for names both files."""
    try:
        one, found = measured(path, scanning=scanning, config=config, digested=digested)
        if len(one.roles) != 1:
            raise ImportFailed(
                f"one side of a pair has {plural(len(one.roles), 'channel')}",
                hint="a pair is two mono files; rename a file that holds both sides",
                rule="pair_not_mono",
            )
    except WorkbenchError as error:
        error.what = without_other_side(f"{path.name}: {error.what}", other)
        raise
    return one, found


def _incidents(
    sides: list[tuple[Measured, Examined, float]],
    *,
    name: str,
    duration_s: float,
    scanning: ScoreConfig,
    config: MeasureConfig,
) -> list[dict[str, object]]:
    import polars as pl

    recordings = pl.DataFrame(
        [
            {"call_id": name, "sample_rate_hz": one.sample_rate_hz, "offset_s": late_s, "duration_s": one.duration_s}
            for _, one, late_s in sides
        ]
    )
    times = ("start_s", "end_s", "voiced_end_s")
    runs = [
        {"call_id": name, **{key: row[key] for key in ("role", "channel_ix", "faint")}}
        | {time: row[time] + late_s for time in times}
        for measurement, _, late_s in sides
        for row in measurement.segments
    ]
    line = lay(recordings, pl.DataFrame(runs), config)
    moments = scan(line.speech, scanning)
    told = [row | {"faint": rests} for row, rests in zip(moments, resting(moments, runs, scanning), strict=True)]
    return incidents(
        [*told, *hidden(told, runs, duration_s=duration_s, config=scanning)],
        name=name,
        duration_s=duration_s,
        segments=runs,
        config=scanning,
    )
