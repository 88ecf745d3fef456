"""A call whose two sides lie in a mono file each: both measured, laid on one clock, and scanned together."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import msgspec

from workbench.analysis.incidents import address, incidents
from workbench.analysis.incidents_channels import says_its_name
from workbench.analysis.incidents_hidden import hidden
from workbench.analysis.incidents_of_file import TWO_CHANNELS, Examined, examine, measured
from workbench.analysis.incidents_speech import warnings_of
from workbench.audio.config import MeasureConfig
from workbench.errors import ImportFailed, WorkbenchError
from workbench.ingest.audio_names import call_stem, partner, side, without_other_side
from workbench.ingest.audio_sidecar import load_sidecar
from workbench.ingest.protocol import Options
from workbench.plural import plural
from workbench.timing.file_steps import file_step
from workbench.timing.measuring import Measured
from workbench.timing.pair import SAME_SOUND, measure_pair
from workbench.timing.score_config import ScoreConfig

_LISTEN = "listen which file is whose; where they are exchanged, exchange their names"
_STEPS = {
    **dict.fromkeys(("silent_caller", "silent_agent", "possible_swap"), _LISTEN),
    "identical_channels": SAME_SOUND,
}


def examine_with_other(path: str | Path, *, channels: Sequence[str] | None = None) -> Examined:
    """Examine a file, together with the other side of its call where that lies beside it.

    Parameters
    ----------
    path : path
        A sound file.
    channels : sequence of {'caller', 'agent', 'mixed', 'unknown'}, optional
        One role a channel; with it the file is examined for itself, but for the side that its name says.

    Returns
    -------
    Examined
        As :func:`examine_pair` where its name says that it is one side of a call and the other one is there, else as
        :func:`workbench.analysis.incidents_of_file.examine`.

    Raises
    ------
    ImportFailed, MissingExtra, UsageError
        As those.
    """
    own = Path(path)
    alone = not own.is_file() or (channels is not None and not says_its_name(own, channels))
    other = None if alone else partner(own)
    if other is None:
        return examine(path, channels=channels)
    caller, agent = (own, other) if (side(own) or ("", ""))[1] == "caller" else (other, own)
    return examine_pair(caller, agent)


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
        Named by both files' bytes and their offsets, and judged as the two channels of one file would be. A side that
        is silent leaves the pair without incidents, and with the reason.

    Raises
    ------
    ImportFailed, MissingExtra
        When one of them cannot be read, or is not mono.
    """
    scanning, config = scanning or ScoreConfig(), config or MeasureConfig()
    sidecar = load_sidecar(caller, Options())
    starts = {role: sidecar.offset_of(role) for role in ("caller", "agent")}
    begin = min(starts.values())
    (first, heard), (second, answered) = (
        _side(path, other, offset_s=starts[role] - begin, scanning=scanning, config=config, digested=digested)
        for role, path, other in (("caller", caller, agent), ("agent", agent, caller))
    )
    digest = hashlib.sha256(f"{first.sha256} {second.sha256} {starts}".encode()).hexdigest()
    name = address(digest)
    duration_s = round(max(starts["caller"] + first.duration_s, starts["agent"] + second.duration_s) - begin, 6)
    paired = measure_pair(heard, answered, config=config, scanning=scanning)
    health = msgspec.structs.asdict(paired.health)
    channels = [*first.channels, *({**row, "channel_ix": 1} for row in second.channels)]
    health["warnings"] = warnings_of(health["warnings"], channels)
    health["next_step"] = _STEPS.get(health["reason"]) or file_step(health["reason"], count=2)
    scorable = paired.health.scorable
    runs = heard.segments + [row | {"channel_ix": 1} for row in answered.segments]
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
        mode=TWO_CHANNELS if scorable else None,
        reason=None if scorable else health["reason"],
        next_step=None if scorable else health["next_step"],
        health=health,
        channels=channels,
        incidents=incidents(
            [*paired.moments, *hidden(paired.moments, runs, duration_s=duration_s, config=scanning)],
            name=name,
            duration_s=duration_s,
            segments=runs,
            config=scanning,
        )
        if scorable
        else [],
        sound=first.sound + second.sound,
        lead_s=round(starts["agent"] - starts["caller"], 6),
    )


def _side(
    path: Path, other: Path, *, offset_s: float, scanning: ScoreConfig, config: MeasureConfig, digested: bool
) -> tuple[Examined, Measured]:
    """Measure one side; what it is refused for names both files."""
    try:
        one, found = measured(path, scanning=scanning, config=config, digested=digested, offset_s=offset_s)
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
