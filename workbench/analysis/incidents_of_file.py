"""One sound file examined in memory: its health, its channels, its incidents, or why it has none."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from workbench.analysis.incidents import address, incidents
from workbench.analysis.incidents_aside import TOUCH_S
from workbench.analysis.incidents_channels import (
    CONFIRMED,
    MapSource,
    is_one_side,
    recognised,
    roles_in_folder,
    roles_of,
)
from workbench.analysis.incidents_hidden import hidden
from workbench.analysis.incidents_speech import speech_of, warnings_of
from workbench.audio.config import MeasureConfig
from workbench.audio.file_digest import file_sha256
from workbench.ingest.audio_names import side
from workbench.timing.file_steps import file_step
from workbench.timing.measuring import Measured, measure_recording
from workbench.timing.score_config import ScoreConfig

if TYPE_CHECKING:
    from collections.abc import Sequence

TWO_CHANNELS, MONO = "two_channel", "mono"

_NO_SPEECH = "listen to the file; record at a higher level, or leave it out"


class Examined(msgspec.Struct, kw_only=True):
    """What one file holds.

    `mode` says what its incidents rest on: `two_channel`, `mono` (silence only), or None with a `reason` and a
    `next_step`. `channel_map` tells who says which channel is whose: the user (`option`), the `sidecar`, the
    file's `name` (one side of a pair), the `format` (one channel) or nobody (`assumed`: caller first, agent second).
    Times start with the recording. `channels` have the columns of the table of that name, which counts faint sound as
    speech, and beside them :func:`workbench.analysis.incidents_speech.speech_of`. `sound` has the digest of each
    channel's samples where it was asked for; `lead_s` is by how much a pair's agent file begins after the caller's.
    """

    path: str
    file: str
    sha256: str
    name: str
    container: str
    codec: str
    sample_rate_hz: int
    duration_s: float
    roles: tuple[str, ...]
    channel_map: MapSource
    mode: str | None
    reason: str | None
    next_step: str | None
    health: dict[str, Any]
    channels: list[dict[str, Any]]
    incidents: list[dict[str, Any]]
    sound: tuple[str, ...] = ()
    lead_s: float | None = None

    @property
    def verdict(self) -> tuple[bool, str | None, str | None]:
        """Whether a verdict on timing may rest on the file; else why not, and what would mend it."""
        health = self.health
        if health["verdict_eligible"] and self.channel_map == "assumed":
            return False, "channel_map_unknown", file_step("channel_map_unknown", count=len(self.roles))
        if health["verdict_eligible"]:
            return True, None, None
        return False, health["reason"], health["next_step"]


def policy_hash(scanning: ScoreConfig, config: MeasureConfig) -> str:
    """Return the name of all numbers that decide what is an incident and how severe.

    Parameters
    ----------
    scanning : ScoreConfig
    config : MeasureConfig

    Returns
    -------
    str
        First 12 hex digits of the SHA-256 of both configs' ids, of what stands apart, and of how silences are told.
    """
    apart = f"apart {TOUCH_S} and what the end cut short"
    told = f"{config.config_id} {scanning.config_id} {apart}, silences without faint sound"
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def examine(
    path: str | Path,
    *,
    channels: Sequence[str] | None = None,
    scanning: ScoreConfig | None = None,
    config: MeasureConfig | None = None,
) -> Examined:
    """Measure one file and tell its incidents.

    Parameters
    ----------
    path : path
        A sound file; a sidecar ``<stem>.json`` beside it is read too.
    channels : sequence of {'caller', 'agent', 'mixed', 'unknown'}, optional
        One role a channel; of two channels that nothing is said about, the first is taken for the caller's.
    scanning : ScoreConfig, optional
        What counts as an incident.
    config : MeasureConfig, optional
        What counts as speech.

    Returns
    -------
    Examined
        A file that nothing can be read from has no incidents, and a reason.

    Raises
    ------
    ImportFailed, MissingExtra
        When it is missing, empty, no sound file or damaged.
    UsageError
        When `channels` does not fit the file or is not what its sidecar says, or it has three channels or more and
        nothing says whose they are.
    """
    return measured(path, channels=channels, scanning=scanning, config=config)[0]


def measured(
    path: str | Path,
    *,
    channels: Sequence[str] | None = None,
    scanning: ScoreConfig | None = None,
    config: MeasureConfig | None = None,
    in_folder: bool = False,
    digested: bool = False,
    offset_s: float = 0.0,
) -> tuple[Examined, Measured]:
    """Measure one file as :func:`examine` does, and return the measurement as well.

    Parameters
    ----------
    path, channels, scanning, config
        As for :func:`examine`.
    in_folder : bool
        Of a folder, `channels` speaks of the files with several channels of which no sidecar says otherwise.
    digested : bool
        Whether the samples of each channel are digested as they are read.
    offset_s : float
        Where all times begin, in seconds.

    Returns
    -------
    tuple of Examined and Measured
        The frames of the measurement can be read once.

    Raises
    ------
    ImportFailed, MissingExtra, UsageError
        As :func:`examine`.
    """
    scanning, config = scanning or ScoreConfig(), config or MeasureConfig()
    source, sidecar = recognised(Path(path))
    of_file = roles_in_folder if in_folder else roles_of
    roles, channel_map = of_file(source, sidecar, channels=channels)
    digest = file_sha256(Path(path))
    name = address(digest)
    found = measure_recording(
        path,
        recording_id=digest,
        call_id=name,
        roles=roles,
        offset_s=offset_s,
        config=config,
        run_id="",
        scanning=scanning,
        encoding=sidecar.encoding,
        sample_rate_hz=sidecar.sample_rate_hz,
        channel_map_confirmed=channel_map in CONFIRMED,
        digested=digested,
    )
    channels_told = [_facts(row) | speech_of(found.segments, row["channel_ix"]) for row in found.channels]
    health = _facts(found.health)
    health["warnings"] = warnings_of(health["warnings"], channels_told)
    if channel_map == "format" and side(Path(path)) is not None:
        health["warnings"].append("pair_incomplete")
    health["next_step"] = file_step(health["reason"], count=len(roles), roles_given=channel_map in CONFIRMED)
    mode, reason, next_step = _mode(roles, health, one_side=is_one_side(Path(path), roles), heard=bool(found.segments))
    examined = Examined(
        path=str(path),
        file=Path(path).name,
        sha256=digest,
        name=name,
        container=source.container,
        codec=source.codec,
        sample_rate_hz=source.sample_rate_hz,
        duration_s=round(found.duration_s, 6),
        roles=roles,
        channel_map=channel_map,
        mode=mode,
        reason=reason,
        next_step=next_step,
        health=health,
        channels=channels_told,
        incidents=[]
        if mode is None
        else incidents(
            [
                *found.moments,
                *hidden(found.moments, found.segments, duration_s=found.duration_s, config=scanning),
            ],
            name=name,
            duration_s=found.duration_s,
            segments=found.segments,
            config=scanning,
        ),
        sound=found.sound,
    )
    return examined, found


def _mode(
    roles: tuple[str, ...], health: dict[str, Any], *, one_side: bool, heard: bool
) -> tuple[str | None, str | None, str | None]:
    if len(roles) == 1 and roles[0] in ("mixed", "unknown"):
        if not heard:
            return None, "no_speech", _NO_SPEECH
        return MONO, None, None
    if one_side:
        return None, "pair_of_files", file_step("pair_of_files", count=1)
    if not health["scorable"]:
        return None, health["reason"], health["next_step"]
    if {"caller", "agent"} <= set(roles):
        return TWO_CHANNELS, None, None
    return None, "channel_map_unknown", file_step("channel_map_unknown", count=len(roles))


def _facts(row: dict[str, Any]) -> dict[str, Any]:
    """A row without the ids that only an archive needs."""
    ids = ("recording_id", "call_id", "run_id", "config_id")
    return {name: value for name, value in row.items() if name not in ids}
